package io.sifr.internal.state;

import io.sifr.config.Compression;
import io.sifr.config.DatabaseOptions;
import io.sifr.config.StoreOptions;
import io.sifr.internal.codec.Codecs;
import io.sifr.internal.compaction.pick.CompactionPolicy;
import io.sifr.internal.compaction.pick.Policies;
import io.sifr.internal.entry.EntryKinds;
import io.sifr.internal.entry.ExpiringKind;
import io.sifr.internal.forest.Forest;
import io.sifr.internal.sst.format.BlockCodecs;
import java.time.InstantSource;

/**
 * The exchangeable parts of a store, which the engine knows by their interfaces alone. Tests open
 * stores with extensions of their own.
 *
 * @param kinds the kinds of entries there may be in any database
 * @param codecs the codecs that blocks may be encoded with
 * @param policy decides which trees are merged or dropped
 * @param operators the merge operators
 * @param tuning numbers that no user has to choose
 * @param clock by which values expire, and log is retained
 */
public record Extensions(
    EntryKinds kinds,
    BlockCodecs codecs,
    CompactionPolicy policy,
    MergeOperatorTable operators,
    Tuning tuning,
    InstantSource clock) {
  /**
   * The extensions for these options.
   *
   * @throws IllegalArgumentException when they need a library that is not there
   */
  public static Extensions of(StoreOptions options) {
    return new Extensions(
        EntryKinds.STANDARD,
        BlockCodecs.of(options),
        Policies.of(options),
        MergeOperatorTable.GIVEN,
        Tuning.DEFAULT,
        InstantSource.system());
  }

  /** As above, with the merge operators of every store. */
  public Extensions(EntryKinds kinds, BlockCodecs codecs, CompactionPolicy policy) {
    this(kinds, codecs, policy, MergeOperatorTable.GIVEN, Tuning.DEFAULT, InstantSource.system());
  }

  /** These with other merge operators. */
  public Extensions with(MergeOperatorTable others) {
    return new Extensions(kinds, codecs, policy, others, tuning, clock);
  }

  /** These with other numbers. */
  public Extensions with(Tuning other) {
    return new Extensions(kinds, codecs, policy, operators, other, clock);
  }

  /** These with another clock. */
  public Extensions with(InstantSource other) {
    return new Extensions(
        kinds.with(new ExpiringKind(other)), codecs, policy, operators, tuning, other);
  }

  /**
   * Checks that there is what the options of a database need.
   *
   * @throws IllegalArgumentException when its merge operator is not registered, or its codec needs
   *     a library that is not there
   */
  public void require(String database, DatabaseOptions options) {
    operators.require(database, options.mergeOperator());
    Compression compression = options.compression();
    if (compression != null) {
      try {
        var unused = Codecs.required(compression);
      } catch (IllegalArgumentException e) {
        throw new IllegalArgumentException("database \"" + database + "\": " + e.getMessage(), e);
      }
    }
  }

  /** What entries mean in a database. */
  public EntryKinds kindsIn(Forest forest) {
    return operators.in(forest, kinds);
  }
}
