/**
 * What the stores of one process share: memory, within one budget. Start with {@link
 * io.sifr.internal.resources.SharedMemory}; a store takes part in it by its {@link
 * io.sifr.internal.resources.StoreMemory}.
 */
@NullMarked
package io.sifr.internal.resources;

import org.jspecify.annotations.NullMarked;
