/**
 * Other processes: each store of a comparison runs in a JVM of its own, in a memory limit if one is
 * asked for.
 */
@NullMarked
package io.sifr.bench.process;

import org.jspecify.annotations.NullMarked;
