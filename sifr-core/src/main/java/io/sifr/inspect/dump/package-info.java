/** Shows one file of a store piece by piece: {@link io.sifr.inspect.dump.FileDump}. */
@NullMarked
package io.sifr.inspect.dump;

import org.jspecify.annotations.NullMarked;
