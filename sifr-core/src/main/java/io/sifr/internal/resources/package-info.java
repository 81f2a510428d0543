/**
 * The resources that the stores of one process share: memory, within one budget ({@link
 * io.sifr.internal.resources.SharedMemory}; a store takes part in it by its {@link
 * io.sifr.internal.resources.StoreMemory}), and threads ({@link
 * io.sifr.internal.resources.SharedThreads}).
 */
@NullMarked
package io.sifr.internal.resources;

import org.jspecify.annotations.NullMarked;
