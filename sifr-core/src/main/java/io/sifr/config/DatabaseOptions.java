package io.sifr.config;

import static com.google.common.base.Preconditions.checkArgument;

import com.google.errorprone.annotations.CanIgnoreReturnValue;
import io.sifr.spi.CompactionFilter;
import io.sifr.spi.IndexExtractor;
import io.sifr.spi.MergeOperator;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * Settings of one database rather than of the store: given when it is created ({@link
 * io.sifr.Store#createDatabase(String, DatabaseOptions)}) or later ({@link
 * io.sifr.Store#alterDatabase}), and stored with it, so that it holds whenever the store is opened.
 * Immutable; safe for any thread.
 */
public final class DatabaseOptions {
  /** Nothing is set. */
  public static final DatabaseOptions DEFAULT = builder().build();

  /**
   * Random loads of larger values take half the time and less when they are apart from their keys;
   * below, reads from memory lose more than loads gain.
   */
  private static final int USUAL_SEPARATE_VALUES_FROM = 16 << 10;

  private static final int MAX_NAME_LENGTH = 255;

  private static final int MAX_VALUE_BYTES = 1 << 29;

  private static final String ALLOWED_NAMES =
      "1 to " + MAX_NAME_LENGTH + ", none of them a control character or an unpaired surrogate";

  private static final Duration LONGEST_EXPIRY = Duration.ofDays(365_000);

  private final @Nullable String mergeOperator;
  private final @Nullable Duration expireAfter;
  private final @Nullable Compression compression;
  private final int separateValuesFrom;
  private final @Nullable String compactionFilter;
  private final @Nullable KeyPrefix filterPrefix;
  private final List<IndexOptions> indexes;

  private DatabaseOptions(Builder from) {
    this.mergeOperator = from.mergeOperator;
    this.expireAfter = from.expireAfter;
    this.compression = from.compression;
    this.separateValuesFrom = from.separateValuesFrom;
    this.compactionFilter = from.compactionFilter;
    this.filterPrefix = from.filterPrefix;
    this.indexes = from.indexes;
  }

  /**
   * Checks the name of a database, a merge operator or a compaction filter: 1 to 255 characters,
   * none of them a control character or an unpaired surrogate, which cannot be stored.
   *
   * @param what whose name it is, for the message
   * @throws IllegalArgumentException when it is not allowed
   */
  public static void checkName(String what, String name) {
    if (!isAllowedName(name)) {
      throw new IllegalArgumentException(
          "the "
              + what
              + "'s name has "
              + name.length()
              + " characters; allowed: "
              + ALLOWED_NAMES);
    }
  }

  /** Whether {@link #checkName} accepts a name. */
  public static boolean isAllowedName(String name) {
    return !name.isEmpty()
        && name.length() <= MAX_NAME_LENGTH
        && name.codePoints().noneMatch(Character::isISOControl)
        && StandardCharsets.UTF_8.newEncoder().canEncode(name);
  }

  /** The time in whole milliseconds, if values may expire after it. */
  static Duration checkedExpiry(Duration time) {
    if (time.toMillis() < 1 || time.compareTo(LONGEST_EXPIRY) > 0) {
      throw new IllegalArgumentException(
          "expireAfter is " + time + "; allowed: 1 millisecond to 365000 days");
    }
    return Duration.ofMillis(time.toMillis());
  }

  /** Options to be set, from {@link #DEFAULT} on. */
  public static Builder builder() {
    return new Builder();
  }

  /** Options to be set, from these on. */
  public Builder toBuilder() {
    Builder builder = new Builder();
    builder.mergeOperator = mergeOperator;
    builder.expireAfter = expireAfter;
    builder.compression = compression;
    builder.separateValuesFrom = separateValuesFrom;
    builder.compactionFilter = compactionFilter;
    builder.filterPrefix = filterPrefix;
    builder.indexes = indexes;
    return builder;
  }

  /**
   * The name of the operator that {@link io.sifr.Database#merge} applies; null when nothing can be
   * merged, as by default.
   */
  public @Nullable String mergeOperator() {
    return mergeOperator;
  }

  /**
   * How long the values of puts are there that say nothing else; null for ever, as by default. See
   * {@link WriteOptions.Builder#expireAfter}.
   */
  public @Nullable Duration expireAfter() {
    return expireAfter;
  }

  /**
   * How blocks of its data are stored; null as {@link StoreOptions#compression} says, as by
   * default.
   */
  public @Nullable Compression compression() {
    return compression;
  }

  /**
   * The length in bytes from which on values are stored apart from their keys; 0: none is. Default
   * 16 KiB.
   */
  public int separateValuesFrom() {
    return separateValuesFrom;
  }

  /** The name of the filter that compactions ask; null for none, as by default. */
  public @Nullable String compactionFilter() {
    return compactionFilter;
  }

  /** How long the prefixes are that filters know; null: they know none, as by default. */
  public @Nullable KeyPrefix filterPrefix() {
    return filterPrefix;
  }

  /** Its indexes, by name; none, as by default. Unmodifiable. */
  public List<IndexOptions> indexes() {
    return indexes;
  }

  /**
   * Checks whether a database with these options may get others. An operator that a database has
   * once got stays: it may hold operands, which mean nothing to another one.
   *
   * @throws IllegalArgumentException when it may not; the message says what it has
   */
  public void requireCanBecome(DatabaseOptions other) {
    if (mergeOperator != null && !mergeOperator.equals(other.mergeOperator)) {
      throw new IllegalArgumentException(
          "the merge operator cannot become "
              + (other.mergeOperator == null ? "none" : "\"" + other.mergeOperator + "\"")
              + ": the database may hold operands of \""
              + mergeOperator
              + "\"");
    }
  }

  @Override
  public boolean equals(@Nullable Object other) {
    return other instanceof DatabaseOptions that
        && Objects.equals(mergeOperator, that.mergeOperator)
        && Objects.equals(expireAfter, that.expireAfter)
        && compression == that.compression
        && separateValuesFrom == that.separateValuesFrom
        && Objects.equals(compactionFilter, that.compactionFilter)
        && Objects.equals(filterPrefix, that.filterPrefix)
        && indexes.equals(that.indexes);
  }

  @Override
  public int hashCode() {
    return Objects.hash(
        mergeOperator,
        expireAfter,
        compression,
        separateValuesFrom,
        compactionFilter,
        filterPrefix,
        indexes);
  }

  @Override
  public String toString() {
    return "DatabaseOptions[mergeOperator="
        + mergeOperator
        + ", expireAfter="
        + expireAfter
        + ", compression="
        + compression
        + ", separateValuesFrom="
        + separateValuesFrom
        + ", compactionFilter="
        + compactionFilter
        + ", filterPrefix="
        + filterPrefix
        + ", indexes="
        + indexes
        + "]";
  }

  /** Not thread-safe. */
  public static final class Builder {
    private @Nullable String mergeOperator;
    private @Nullable Duration expireAfter;
    private @Nullable Compression compression;
    private int separateValuesFrom = USUAL_SEPARATE_VALUES_FROM;
    private @Nullable String compactionFilter;
    private @Nullable KeyPrefix filterPrefix;

    /** Ordered by name; never changed. */
    private List<IndexOptions> indexes = List.of();

    private Builder() {}

    /**
     * Sets the operator of {@link io.sifr.Database#merge}, by its name. It has to be one of {@link
     * io.sifr.spi.MergeOperators}, or registered by {@link io.sifr.Store.Builder#mergeOperator}
     * whenever the store is opened. It can be set for a database that has data, but not be changed
     * or removed afterwards.
     *
     * @param name null for none
     * @throws IllegalArgumentException when no operator can have that name
     */
    @CanIgnoreReturnValue
    public Builder mergeOperator(@Nullable String name) {
      if (name != null) {
        checkName("merge operator", name);
      }
      this.mergeOperator = name;
      return this;
    }

    /** As above, by the name of that operator. */
    @CanIgnoreReturnValue
    public Builder mergeOperator(MergeOperator operator) {
      return mergeOperator(operator.name());
    }

    /**
     * Sets how long the values of puts are there that say nothing else: of {@link
     * io.sifr.Database#put} from now on, not of those before. Operands of merges do not expire, so
     * a database with a merge operator cannot have it.
     *
     * @param time 1 ms to 365000 days, parts of a millisecond do not count; null for ever
     * @throws IllegalArgumentException when it is shorter or longer
     */
    @CanIgnoreReturnValue
    public Builder expireAfter(@Nullable Duration time) {
      this.expireAfter = time == null ? null : checkedExpiry(time);
      return this;
    }

    /**
     * Sets how blocks of its data are stored that flushes and compactions write from then on,
     * whatever {@link StoreOptions.Builder#compression} says.
     *
     * @param value null as the store's options say
     */
    @CanIgnoreReturnValue
    public Builder compression(@Nullable Compression value) {
      this.compression = value;
      return this;
    }

    /**
     * Sets the length from which on values are stored apart from their keys, in value files: then
     * compactions move what refers to a value, and never read or write the value itself. So a large
     * value is written to the log and to one file, however often its neighbours are compacted. A
     * value file is deleted when nothing refers to any of its values any more; values that are
     * overwritten take space until then.
     *
     * <p>It is about what flushes and compactions write from then on. Values that are ingested or
     * bulk loaded are beside their keys until then, and operands of merges always.
     *
     * @param bytes 1 to 536870912, default 16384; 0: no value is
     * @throws IllegalArgumentException when it is negative or larger
     */
    @CanIgnoreReturnValue
    public Builder separateValuesFrom(int bytes) {
      checkArgument(
          bytes >= 0 && bytes <= MAX_VALUE_BYTES,
          "separateValuesFrom is %s; allowed: 0 to %s bytes",
          bytes,
          MAX_VALUE_BYTES);
      this.separateValuesFrom = bytes;
      return this;
    }

    /**
     * Sets the filter that compactions ask which entries to keep, by its name. It has to be
     * registered by {@link io.sifr.Store.Builder#compactionFilter} whenever the store is opened.
     * Compactions that begin from then on ask it. It can be changed and removed at any time; what
     * it has dropped stays away.
     *
     * @param name null for none
     * @throws IllegalArgumentException when no filter can have that name
     */
    @CanIgnoreReturnValue
    public Builder compactionFilter(@Nullable String name) {
      if (name != null) {
        checkName("compaction filter", name);
      }
      this.compactionFilter = name;
      return this;
    }

    /** As above, by the name of that filter. */
    @CanIgnoreReturnValue
    public Builder compactionFilter(CompactionFilter filter) {
      return compactionFilter(filter.name());
    }

    /**
     * Sets how long the prefixes of keys are that filters know besides whole keys. Then a cursor
     * over keys with one prefix, of {@link io.sifr.KeyRange#prefix} or of any range within one, as
     * well as counts and other reads of such a range, asks no SST that holds none of them. For
     * databases in which keys of one user, device or row have a prefix in common, and many are
     * asked for that have none.
     *
     * <p>It is about what flushes and compactions write from then on. Each prefix takes as much of
     * a filter as a key; ranges that reach from one prefix to another are read as without it.
     *
     * @param prefix null for none
     */
    @CanIgnoreReturnValue
    public Builder filterPrefix(@Nullable KeyPrefix prefix) {
      this.filterPrefix = prefix;
      return this;
    }

    /**
     * Adds an index: the store keeps for each entry the keys that the extractor says of it, so that
     * {@link io.sifr.Index} finds it by them. The extractor has to be registered by {@link
     * io.sifr.Store.Builder#indexExtractor} whenever the store is opened. What the database has
     * already is indexed in the background, see {@code src-docs/guide/indexes.md}. An index of that
     * name is replaced.
     *
     * @throws IllegalArgumentException when no index, or no extractor, can have that name
     */
    @CanIgnoreReturnValue
    public Builder index(String name, String extractor) {
      return withIndex(new IndexOptions(name, extractor, false));
    }

    /** As above, by the name of that extractor. */
    @CanIgnoreReturnValue
    public Builder index(String name, IndexExtractor extractor) {
      return index(name, nameOf(extractor));
    }

    /**
     * Adds an index in which no two entries have one index key: a write that would give an entry
     * the index key of another one throws {@link io.sifr.error.DuplicateIndexKeyException}. Each
     * write has to look for it, so it takes about a cursor and a step for each index key. All
     * writes to the database are logged, whatever their {@link Durability}.
     *
     * @throws IllegalArgumentException when no index, or no extractor, can have that name
     */
    @CanIgnoreReturnValue
    public Builder uniqueIndex(String name, String extractor) {
      return withIndex(new IndexOptions(name, extractor, true));
    }

    /** As above, by the name of that extractor. */
    @CanIgnoreReturnValue
    public Builder uniqueIndex(String name, IndexExtractor extractor) {
      return uniqueIndex(name, nameOf(extractor));
    }

    private static String nameOf(IndexExtractor extractor) {
      checkArgument(extractor != null, "the index extractor is null");
      return extractor.name();
    }

    private Builder withIndex(IndexOptions index) {
      checkArgument(index.name() != null, "the index's name is null");
      checkArgument(index.extractor() != null, "the index extractor's name is null");
      checkName("index", index.name());
      checkName("index extractor", index.extractor());
      withoutIndex(index.name());
      List<IndexOptions> changed = new ArrayList<>(indexes);
      changed.add(index);
      changed.sort(Comparator.comparing(IndexOptions::name));
      indexes = List.copyOf(changed);
      return this;
    }

    /** Removes an index with all its entries; nothing if there is none of that name. */
    @CanIgnoreReturnValue
    public Builder withoutIndex(String name) {
      if (!indexes.isEmpty()) {
        indexes = indexes.stream().filter(index -> !index.name().equals(name)).toList();
      }
      return this;
    }

    /**
     * The options.
     *
     * @throws IllegalArgumentException when they contradict each other
     */
    public DatabaseOptions build() {
      checkArgument(
          mergeOperator == null || expireAfter == null,
          "expireAfter is %s, but operands of the merge operator \"%s\" do not expire: a database has one of both",
          expireAfter,
          mergeOperator);
      checkArgument(
          mergeOperator == null || compactionFilter == null,
          "the compaction filter is \"%s\", but decides nothing about operands of the merge operator \"%s\": a database has one of both",
          compactionFilter,
          mergeOperator);
      if (!indexes.isEmpty()) {
        checkArgument(
            mergeOperator == null,
            "the merge operator is \"%s\", but what operands come to is not known when they are written: a database has one or an index",
            mergeOperator);
        checkArgument(
            compactionFilter == null,
            "the compaction filter is \"%s\", but what it drops or replaces no index would know: a database has one or an index",
            compactionFilter);
      }
      return new DatabaseOptions(this);
    }
  }
}
