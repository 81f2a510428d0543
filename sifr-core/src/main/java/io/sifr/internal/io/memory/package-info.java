/**
 * A store's files in the memory of the JVM: {@link io.sifr.internal.io.memory.MemoryFileSystem} has
 * the directory of one store on the heap, and hands all other paths to the disk. May use {@code io}
 * and {@code error}.
 */
@NullMarked
package io.sifr.internal.io.memory;

import org.jspecify.annotations.NullMarked;
