/** Many threads at one store for a long time, every answer compared with what it may be. */
@NullMarked
package io.sifr.stress;

import org.jspecify.annotations.NullMarked;
