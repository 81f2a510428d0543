/**
 * Child processes: each store of a comparison runs in a JVM of its own, with a memory limit if
 * requested.
 */
@NullMarked
package io.sifr.bench.process;

import org.jspecify.annotations.NullMarked;
