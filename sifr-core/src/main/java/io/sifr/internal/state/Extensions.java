package io.sifr.internal.state;

import io.sifr.config.Compression;
import io.sifr.config.DatabaseOptions;
import io.sifr.config.IndexOptions;
import io.sifr.config.StoreOptions;
import io.sifr.internal.codec.Codecs;
import io.sifr.internal.compaction.pick.CompactionPicker;
import io.sifr.internal.compaction.pick.Policies;
import io.sifr.internal.entry.EntryKinds;
import io.sifr.internal.entry.EntryKinds.MergeKind;
import io.sifr.internal.entry.ExpiringKind;
import io.sifr.internal.entry.SeparatedKind;
import io.sifr.internal.forest.Forest;
import io.sifr.internal.sst.format.BlockCodecs;
import io.sifr.spi.CompactionFilter;
import io.sifr.spi.IndexExtractor;
import io.sifr.spi.MergeOperator;
import io.sifr.spi.MergeOperators;
import java.time.InstantSource;
import java.util.Collection;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * The exchangeable parts of a store, which the engine knows by their interfaces alone. Tests open
 * stores with extensions of their own.
 *
 * @param kinds the kinds of entries there may be in any database
 * @param codecs the codecs that blocks may be encoded with
 * @param policy decides which trees are compacted or dropped
 * @param operators the merge operators, compaction filters and index extractors
 * @param tuning numbers that no user has to choose
 * @param clock by which values expire, and log is retained
 */
public record Extensions(
    EntryKinds kinds,
    BlockCodecs codecs,
    CompactionPicker policy,
    Operators operators,
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
        Operators.GIVEN,
        Tuning.DEFAULT,
        InstantSource.system());
  }

  /** As above, with the merge operators of every store. */
  public Extensions(EntryKinds kinds, BlockCodecs codecs, CompactionPicker policy) {
    this(kinds, codecs, policy, Operators.GIVEN, Tuning.DEFAULT, InstantSource.system());
  }

  /** These with other merge operators. */
  public Extensions with(Operators others) {
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

  /** These, of a store whose files are encrypted, see {@link Policies#rotatingKeys}. */
  public Extensions rotatingKeys() {
    CompactionPicker rotating = Policies.rotatingKeys(policy);
    return new Extensions(kinds, codecs, rotating, operators, tuning, clock);
  }

  /** These, with values that are read there. */
  public Extensions with(SeparatedKind.Source values) {
    EntryKinds reading = kinds.with(new SeparatedKind(clock, values));
    return new Extensions(reading, codecs, policy, operators, tuning, clock);
  }

  /**
   * Checks that there is what the options of a database need.
   *
   * @throws IllegalArgumentException when its merge operator, compaction filter or an index
   *     extractor is not registered, its codec needs a library that is not there, or the policy
   *     drops entries that an index may find
   */
  public void require(String database, DatabaseOptions options) {
    operators.require(database, options);
    if (!options.indexes().isEmpty() && policy.dropsVisible()) {
      throw new IllegalArgumentException(
          "database \""
              + database
              + "\" has indexes, and the compaction policy drops old data of each database by"
              + " itself: it cannot drop from an index what it drops from the database");
    }
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

  /** What decides which entries compactions keep of a database; null for all. */
  public @Nullable CompactionFilter filterIn(Forest forest) {
    String name = forest.options().compactionFilter();
    return name == null ? null : operators.filters.get(name);
  }

  /** What says the keys of an index; null if it is not registered. */
  public @Nullable IndexExtractor extractorOf(IndexOptions index) {
    return operators.extractors.get(index.extractor());
  }

  /**
   * The merge operators, compaction filters and index extractors that a store knows, by name.
   * Immutable.
   */
  public static final class Operators {
    /** Those of every store. */
    public static final Operators GIVEN = new Operators(Set.of(), false);

    /** The same, for a store in which others may be missing. */
    public static final Operators LENIENT = new Operators(Set.of(), true);

    private final Map<String, MergeOperator> merging = new TreeMap<>();
    private final Map<String, CompactionFilter> filters = new TreeMap<>();
    private final Map<String, IndexExtractor> extractors = new TreeMap<>();
    private final boolean mayBeMissing;

    /**
     * @param registered in addition to those of every store
     * @param mayBeMissing whether databases may have others: their operands cannot be resolved, and
     *     compactions filter nothing
     * @throws IllegalArgumentException when two have one name
     */
    public Operators(Collection<MergeOperator> registered, boolean mayBeMissing) {
      this.mayBeMissing = mayBeMissing;
      MergeOperators.all().forEach(this::add);
      registered.forEach(this::add);
    }

    private void add(MergeOperator operator) {
      add("merge operator", operator.name(), operator, merging);
    }

    /** These and filters. */
    public Operators with(Collection<CompactionFilter> more) {
      Operators all = copy();
      more.forEach(filter -> add("compaction filter", filter.name(), filter, all.filters));
      return all;
    }

    /** These and index extractors. */
    public Operators withExtractors(Collection<IndexExtractor> more) {
      Operators all = copy();
      for (IndexExtractor extractor : more) {
        add("index extractor", extractor.name(), extractor, all.extractors);
      }
      return all;
    }

    private Operators copy() {
      Operators all = new Operators(merging.values(), mayBeMissing);
      all.filters.putAll(filters);
      all.extractors.putAll(extractors);
      return all;
    }

    private static <T> void add(String what, String name, T added, Map<String, T> to) {
      if (name == null) {
        throw new IllegalArgumentException("the " + what + " " + added + " has no name");
      }
      DatabaseOptions.checkName(what, name);
      T other = to.putIfAbsent(name, added);
      if (other != null && other != added) {
        throw new IllegalArgumentException("there are two " + what + "s \"" + name + "\"");
      }
    }

    /**
     * Checks that all that options name is known, unless it may be missing.
     *
     * @throws IllegalArgumentException when it is not; the message names what is
     */
    public void require(String database, DatabaseOptions options) {
      require(database, "merge operator", options.mergeOperator(), merging);
      require(database, "compaction filter", options.compactionFilter(), filters);
      for (IndexOptions index : options.indexes()) {
        require(database, "index extractor", index.extractor(), extractors);
      }
    }

    private void require(String database, String what, @Nullable String name, Map<String, ?> of) {
      if (name != null && !mayBeMissing && !of.containsKey(name)) {
        throw new IllegalArgumentException(
            String.format(
                "the %s \"%s\" of database \"%s\" is not registered (Store.Builder.%s);"
                    + " there are %s",
                what, name, database, setterOf(what), of.keySet()));
      }
    }

    private static String setterOf(String what) {
      return switch (what) {
        case "merge operator" -> "mergeOperator";
        case "compaction filter" -> "compactionFilter";
        default -> "indexExtractor";
      };
    }

    /** What entries mean in a database. */
    public EntryKinds in(Forest forest, EntryKinds kinds) {
      String name = forest.options().mergeOperator();
      MergeOperator operator = name == null ? null : merging.get(name);
      return kinds.with(new MergeKind(forest.name(), name, operator));
    }
  }

  /**
   * Numbers of a store that no user has to choose. Tests open stores with others, so that little
   * data reaches what takes much otherwise.
   *
   * @param sstsBeforeGrowth SSTs of a split unit that a store has before new ones are larger, at
   *     least 1
   * @param cleaningThresholdBytes bytes of SSTs that a compaction writes before it commits them and
   *     deletes the inputs they replace
   * @param rangeTombstoneBytes memory of a database's range tombstones beyond which range deletes
   *     wait for compactions
   * @param immutableMemtables full write buffers of a database that may wait for their flush before
   *     writers have to
   * @param stepsBack whether compactions step back while they make reads slow
   * @param writeValuesOnceFrom length from which on values that are to be apart are written to
   *     value files before they are logged
   */
  public record Tuning(
      int sstsBeforeGrowth,
      long cleaningThresholdBytes,
      long rangeTombstoneBytes,
      int immutableMemtables,
      boolean stepsBack,
      int writeValuesOnceFrom) {
    /**
     * The values that users have.
     *
     * <ul>
     *   <li>9000 SSTs of 2 MiB are 18.9 GB, with all files open and all overlaps small; with a
     *       growth from there a terabyte has about twice as many.
     *   <li>20 MiB are ten split units: a sync of the manifest for each is not felt, and the space
     *       that a compaction takes besides is small in any store that has compactions.
     *   <li>16 MiB of range tombstones are some hundred thousand; each is looked through by reads.
     *   <li>Four buffers even out a burst for as long as a flush takes; more of them only delay the
     *       moment at which writers are slowed.
     *   <li>Compactions that nobody waits for always step back.
     *   <li>A value of 64 KiB takes less CPU when it is written to its file at once than when it is
     *       copied to the log and to memory first, and is written half as often.
     * </ul>
     */
    public static final Tuning DEFAULT = new Tuning(9000, 20 << 20, 16 << 20, 4, true, 64 << 10);

    /** This with another number of SSTs before they grow. */
    public Tuning withSstsBeforeGrowth(int ssts) {
      return new Tuning(
          ssts,
          cleaningThresholdBytes,
          rangeTombstoneBytes,
          immutableMemtables,
          stepsBack,
          writeValuesOnceFrom);
    }

    /** This with another threshold of early cleaning. */
    public Tuning withCleaningThresholdBytes(long bytes) {
      return new Tuning(
          sstsBeforeGrowth,
          bytes,
          rangeTombstoneBytes,
          immutableMemtables,
          stepsBack,
          writeValuesOnceFrom);
    }

    /** This with another limit of range tombstones. */
    public Tuning withRangeTombstoneBytes(long bytes) {
      return new Tuning(
          sstsBeforeGrowth,
          cleaningThresholdBytes,
          bytes,
          immutableMemtables,
          stepsBack,
          writeValuesOnceFrom);
    }

    /** This with another number of waiting write buffers. */
    public Tuning withImmutableMemtables(int buffers) {
      return new Tuning(
          sstsBeforeGrowth,
          cleaningThresholdBytes,
          rangeTombstoneBytes,
          buffers,
          stepsBack,
          writeValuesOnceFrom);
    }

    /** This with another length from which on values are written once. */
    public Tuning withWriteValuesOnceFrom(int bytes) {
      return new Tuning(
          sstsBeforeGrowth,
          cleaningThresholdBytes,
          rangeTombstoneBytes,
          immutableMemtables,
          stepsBack,
          bytes);
    }

    /** This with compactions that step back, or do not. */
    public Tuning withStepsBack(boolean steps) {
      return new Tuning(
          sstsBeforeGrowth,
          cleaningThresholdBytes,
          rangeTombstoneBytes,
          immutableMemtables,
          steps,
          writeValuesOnceFrom);
    }
  }
}
