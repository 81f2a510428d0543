package io.sifr.internal.state;

import io.sifr.config.StoreOptions;
import io.sifr.internal.compaction.CompactionPolicy;
import io.sifr.internal.compaction.Policies;
import io.sifr.internal.entry.EntryKinds;
import io.sifr.internal.sst.BlockCodec;

/**
 * The exchangeable parts of a store, which the engine knows by their interfaces alone. Tests open
 * stores with extensions of their own.
 *
 * @param kinds the kinds of entries
 * @param codec encodes the blocks of SSTs that are written
 * @param policy decides which trees are merged
 */
public record Extensions(EntryKinds kinds, BlockCodec codec, CompactionPolicy policy) {
  /** The extensions for these options. */
  public static Extensions of(StoreOptions options) {
    return new Extensions(EntryKinds.STANDARD, BlockCodec.NONE, Policies.of(options));
  }

  /** As this, with other kinds of entries. */
  public Extensions with(EntryKinds otherKinds) {
    return new Extensions(otherKinds, codec, policy);
  }

  /** As this, with another codec. */
  public Extensions with(BlockCodec otherCodec) {
    return new Extensions(kinds, otherCodec, policy);
  }

  /** As this, with another policy. */
  public Extensions with(CompactionPolicy otherPolicy) {
    return new Extensions(kinds, codec, otherPolicy);
  }
}
