/**
 * The view of a reader for one operation: an immutable {@link io.sifr.internal.view.StoreView},
 * published through one volatile field; the epochs of reads, after which what a view has shown is
 * deleted; and the registry of snapshots, from which compactions know which old versions are still
 * needed. May use {@code forest}, {@code memtable} and what lies below them.
 */
@NullMarked
package io.sifr.internal.view;

import org.jspecify.annotations.NullMarked;
