package io.sifr.internal.state;

import io.sifr.config.StoreOptions;
import io.sifr.internal.compaction.CompactionPolicy;
import io.sifr.internal.compaction.Policies;
import io.sifr.internal.entry.EntryKinds;
import io.sifr.internal.sst.BlockCodecs;

/**
 * The exchangeable parts of a store, which the engine knows by their interfaces alone. Tests open
 * stores with extensions of their own.
 *
 * @param kinds the kinds of entries
 * @param codecs the codecs that blocks may be encoded with
 * @param policy decides which trees are merged
 */
public record Extensions(EntryKinds kinds, BlockCodecs codecs, CompactionPolicy policy) {
  /** The extensions for these options. */
  public static Extensions of(StoreOptions options) {
    return new Extensions(EntryKinds.STANDARD, BlockCodecs.STANDARD, Policies.of(options));
  }
}
