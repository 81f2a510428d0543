package io.sifr.internal.state;

import io.sifr.config.StoreOptions;
import io.sifr.internal.compaction.CompactionPolicy;
import io.sifr.internal.compaction.Policies;
import io.sifr.internal.compaction.ReadMerges;
import io.sifr.internal.entry.EntryKinds;
import io.sifr.internal.sst.BlockCodecs;

/**
 * The exchangeable parts of a store, which the engine knows by their interfaces alone. Tests open
 * stores with extensions of their own.
 *
 * @param kinds the kinds of entries
 * @param codecs the codecs that blocks may be encoded with
 * @param policy decides which trees are merged
 * @param readMerges decides which are merged because they are read
 */
public record Extensions(
    EntryKinds kinds, BlockCodecs codecs, CompactionPolicy policy, ReadMerges readMerges) {
  /**
   * The extensions for these options.
   *
   * @throws IllegalArgumentException when they need a library that is not there
   */
  public static Extensions of(StoreOptions options) {
    return new Extensions(
        EntryKinds.STANDARD, BlockCodecs.of(options), Policies.of(options), ReadMerges.of(options));
  }

  /** As above, without merges for readers. */
  public Extensions(EntryKinds kinds, BlockCodecs codecs, CompactionPolicy policy) {
    this(kinds, codecs, policy, ReadMerges.NONE);
  }
}
