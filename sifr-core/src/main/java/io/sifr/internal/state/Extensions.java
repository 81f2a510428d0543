package io.sifr.internal.state;

import io.sifr.config.StoreOptions;
import io.sifr.internal.compaction.CompactionPolicy;
import io.sifr.internal.compaction.Policies;
import io.sifr.internal.entry.EntryKinds;
import io.sifr.internal.sst.BlockCodec;

/**
 * What of a store may be of one kind or another: the engine knows these by their interfaces alone.
 * Tests open stores with extensions of their own.
 *
 * @param kinds the kinds of entries it has
 * @param codec encodes the blocks of SSTs that are written
 * @param policy the rules by which its trees are merged
 */
public record Extensions(EntryKinds kinds, BlockCodec codec, CompactionPolicy policy) {
  /** Those that a user asks for with these options. */
  public static Extensions of(StoreOptions options) {
    return new Extensions(EntryKinds.STANDARD, BlockCodec.NONE, Policies.of(options));
  }

  /** The same with other kinds of entries. */
  public Extensions with(EntryKinds otherKinds) {
    return new Extensions(otherKinds, codec, policy);
  }

  /** The same with another codec. */
  public Extensions with(BlockCodec otherCodec) {
    return new Extensions(kinds, otherCodec, policy);
  }

  /** The same with another policy. */
  public Extensions with(CompactionPolicy otherPolicy) {
    return new Extensions(kinds, codec, otherPolicy);
  }
}
