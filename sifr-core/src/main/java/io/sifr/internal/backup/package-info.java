/**
 * Copies of whole stores: checkpoints, and backups with the points that can be restored. Above the
 * engine: an open store is copied through an {@link io.sifr.internal.engine.Capture}.
 */
@NullMarked
package io.sifr.internal.backup;

import org.jspecify.annotations.NullMarked;
