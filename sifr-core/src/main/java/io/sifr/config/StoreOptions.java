package io.sifr.config;

import io.sifr.config.Domain.Numbers;
import java.util.Arrays;
import java.util.List;
import java.util.OptionalLong;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * The settings of a store. Immutable; safe for any thread. None of them is stored: a directory can
 * be opened with other settings at any time, they govern what is written from then on.
 *
 * <pre>{@code
 * StoreOptions options = StoreOptions.builder().writeBufferBytes(4 << 20).build();
 * }</pre>
 */
public final class StoreOptions {
  private static final SettingTable TABLE = new SettingTable();

  private static final Setting<Boolean> CREATE_IF_MISSING =
      TABLE.flag(
          "createIfMissing", true, "Whether opening a directory that holds no store makes one.");
  private static final Setting<Boolean> OPEN_IF_DAMAGED =
      TABLE.flag(
          "openIfDamaged", true, "Whether a store is opened of which some SSTs cannot be read.");
  private static final Setting<Durability> DURABILITY =
      TABLE.choice(
          "durability",
          Durability.BUFFERED,
          "What a write has survived when it returns: nothing, a killed process, a power loss.");
  private static final Setting<Long> WRITE_BUFFER_BYTES =
      TABLE.bytes(
          "writeBufferBytes",
          16 << 20,
          4 << 10,
          1 << 30,
          "Writes a database collects in memory before they are flushed as one tree.");
  private static final Setting<Long> MAX_IMMUTABLE_MEMTABLES =
      TABLE.count(
          "maxImmutableMemtables",
          "write buffers",
          4,
          1,
          64,
          "Full write buffers of a database that may wait for their flush before writers have to.");
  private static final Setting<Long> SPLIT_UNIT_BYTES =
      TABLE.bytes("splitUnitBytes", 2 << 20, 4 << 10, 1 << 30, "Size aimed at for an SST.");
  private static final Setting<Long> GROWTH_FACTOR =
      TABLE.count(
          "growthFactor",
          "trees",
          4,
          2,
          64,
          "Trees of a stage that are merged into one tree of the next.");
  private static final Setting<MergeTrigger> MERGE_TRIGGER =
      TABLE.choice("mergeTrigger", MergeTrigger.EAGER, "When the trees of a stage are merged.");
  private static final Setting<LogAccess> LOG_ACCESS =
      TABLE.choice("logAccess", LogAccess.MAPPED, "How the log reaches its files.");
  private static final Setting<Long> LOG_SEGMENT_BYTES =
      TABLE.automaticBytes(
          "logSegmentBytes",
          4 << 10,
          1 << 30,
          "Size that log segments grow to; auto: that of a write buffer, but 1MiB to 16MiB.");
  private static final Setting<Long> MAX_LOG_BYTES =
      TABLE.bytes(
          "maxLogBytes",
          256 << 20,
          64 << 10,
          1L << 40,
          "Log beyond which the database that holds the oldest of it is flushed.");
  private static final Setting<Long> KEPT_LOG_BYTES =
      TABLE.bytes(
          "keptLogBytes",
          1 << 20,
          0,
          1 << 30,
          "Log that may be left when the store is closed, instead of a flush.");
  private static final Setting<Long> MERGE_THREADS =
      TABLE.count("mergeThreads", "threads", 2, 1, 64, "Threads that merge.");
  private static final Setting<Boolean> EARLY_CLEANING =
      TABLE.flag("earlyCleaning", true, "Whether inputs of a merge are deleted while it runs.");
  private static final Setting<Long> CLEANING_THRESHOLD =
      TABLE.count(
          "cleaningThreshold",
          "SSTs",
          10,
          1,
          1_000_000,
          "SSTs a merge writes at most before it deletes the inputs they replace.");
  private static final Setting<ReadMode> READ_MODE =
      TABLE.choice("readMode", ReadMode.AUTO, "How blocks of data come into memory.");
  private static final Setting<Long> BLOCK_CACHE_BYTES =
      TABLE.automaticBytes(
          "blockCacheBytes",
          0,
          1L << 40,
          "Blocks kept that were read by position; auto: a sixteenth of the memory beside the largest"
              + " heap, but 4MiB to 32MiB.");
  private static final Setting<Long> MAX_OPEN_SSTS =
      TABLE.count("maxOpenSsts", "SSTs", 8192, 16, 1_000_000, "SSTs that may be open at a time.");
  private static final Setting<SearchScheme> SEARCH_SCHEME =
      TABLE.choice(
          "searchScheme",
          SearchScheme.ADAPTIVE,
          "Which of the SSTs that may hold a key a get searches at once.");
  private static final Setting<Long> SEARCH_THREADS =
      TABLE.count(
          "searchThreads", "threads", 16, 1, 256, "Threads that search beside the callers.");
  private static final Setting<FilterMode> FILTER_MODE =
      TABLE.choice("filterMode", FilterMode.RESIDENT, "Where the filters of SSTs are.");
  private static final Setting<Long> FILTER_BITS_PER_KEY =
      TABLE.count(
          "filterBitsPerKey",
          "bits",
          10,
          1,
          32,
          "Bits a key of filters that are made for the last stage.");
  private static final Setting<Long> FILTER_CACHE_BYTES =
      TABLE.bytes(
          "filterCacheBytes", 64 << 20, 0, 1L << 40, "Filters kept in memory with filterMode HOT.");

  /** The settings a store has when none are given. */
  public static final StoreOptions DEFAULT = builder().build();

  private final Object[] values;

  private StoreOptions(Object[] values) {
    this.values = values;
  }

  /** All settings, each with its name, default, range and meaning. */
  public static List<Setting<?>> settings() {
    return TABLE.all();
  }

  /** A builder with the default settings. */
  public static Builder builder() {
    return new Builder();
  }

  /** Whether opening a directory that holds no store makes one. */
  public boolean createIfMissing() {
    return get(CREATE_IF_MISSING);
  }

  /** Whether a store is opened of which some SSTs cannot be. */
  public boolean openIfDamaged() {
    return get(OPEN_IF_DAMAGED);
  }

  /** Durability of writes that do not say their own. */
  public Durability durability() {
    return get(DURABILITY);
  }

  /** Bytes a database collects in memory before they are flushed as one tree. */
  public long writeBufferBytes() {
    return get(WRITE_BUFFER_BYTES);
  }

  /** Full write buffers of a database that may wait for their flush before writers have to. */
  public int maxImmutableMemtables() {
    return get(MAX_IMMUTABLE_MEMTABLES).intValue();
  }

  /** Size aimed at for an SST. */
  public long splitUnitBytes() {
    return get(SPLIT_UNIT_BYTES);
  }

  /** Trees of a stage that are merged into one tree of the next. */
  public int growthFactor() {
    return get(GROWTH_FACTOR).intValue();
  }

  /** When the trees of a stage are merged. */
  public MergeTrigger mergeTrigger() {
    return get(MERGE_TRIGGER);
  }

  /** How the log reaches its files. */
  public LogAccess logAccess() {
    return get(LOG_ACCESS);
  }

  /** Size that log segments grow to. */
  public int logSegmentBytes() {
    long bytes = get(LOG_SEGMENT_BYTES);
    long chosen =
        bytes == Numbers.AUTOMATIC
            ? Math.max(1 << 20, Math.min(writeBufferBytes(), 16 << 20))
            : bytes;
    return Math.toIntExact((chosen + 4095) & -4096); // whole pages
  }

  /** Bytes of log beyond which the database that holds the oldest of it is flushed. */
  public long maxLogBytes() {
    return get(MAX_LOG_BYTES);
  }

  /** Bytes of log that may be left when the store is closed, instead of a flush. */
  public long keptLogBytes() {
    return get(KEPT_LOG_BYTES);
  }

  /** Threads that merge. */
  public int mergeThreads() {
    return get(MERGE_THREADS).intValue();
  }

  /** Whether inputs of a merge are deleted while it runs. */
  public boolean earlyCleaning() {
    return get(EARLY_CLEANING);
  }

  /** SSTs a merge writes at most before it commits them and deletes the inputs they replace. */
  public int cleaningThreshold() {
    return get(CLEANING_THRESHOLD).intValue();
  }

  /** How blocks of data come into memory. */
  public ReadMode readMode() {
    return get(READ_MODE);
  }

  /**
   * Bytes of blocks kept in memory that were read by position; empty where that follows the memory
   * there is, see {@link Builder#blockCacheBytes}.
   */
  public OptionalLong blockCacheBytes() {
    long bytes = get(BLOCK_CACHE_BYTES);
    return bytes == Numbers.AUTOMATIC ? OptionalLong.empty() : OptionalLong.of(bytes);
  }

  /** SSTs that may be open at a time. */
  public int maxOpenSsts() {
    return get(MAX_OPEN_SSTS).intValue();
  }

  /** Which SSTs a point query searches at once, unless it says so itself. */
  public SearchScheme searchScheme() {
    return get(SEARCH_SCHEME);
  }

  /** Threads that search beside the callers. */
  public int searchThreads() {
    return get(SEARCH_THREADS).intValue();
  }

  /** Where the filters of SSTs are. */
  public FilterMode filterMode() {
    return get(FILTER_MODE);
  }

  /** Bits a key of filters that are made. */
  public int filterBitsPerKey() {
    return get(FILTER_BITS_PER_KEY).intValue();
  }

  /** Bytes of filters kept in memory with {@link FilterMode#HOT}. */
  public long filterCacheBytes() {
    return get(FILTER_CACHE_BYTES);
  }

  private <T> T get(Setting<T> setting) {
    return setting.of(values);
  }

  @Override
  public boolean equals(@Nullable Object other) {
    return other instanceof StoreOptions options && Arrays.equals(values, options.values);
  }

  @Override
  public int hashCode() {
    return Arrays.hashCode(values);
  }

  /** Names and values, as {@link Builder#set} reads them. */
  @Override
  public String toString() {
    return settings().stream()
        .map(setting -> setting.name() + "=" + setting.textOf(values))
        .collect(Collectors.joining(" "));
  }

  /** Collects settings; every setter checks its argument. Not thread-safe. */
  public static final class Builder {
    private final Object[] values = TABLE.defaults();

    private Builder() {}

    /** Whether opening a directory that holds no store makes one (default) or is an error. */
    public Builder createIfMissing(boolean value) {
      return set(CREATE_IF_MISSING, value);
    }

    /**
     * Whether a store is opened (default) of which some SSTs are missing, shortened, damaged or
     * unreadable. All other data can be read and written then. A read that needs such an SST throws
     * a {@link io.sifr.error.CorruptionException} with its file and its range of keys, or a {@link
     * io.sifr.error.StoreIoException}; that a key is absent is never said by mistake. A merge that
     * needs one stops, others go on. If false, opening throws and names all of them. Damage to the
     * manifest or the log always keeps a store from being opened.
     */
    public Builder openIfDamaged(boolean value) {
      return set(OPEN_IF_DAMAGED, value);
    }

    /** Durability of writes that do not say their own; default {@link Durability#BUFFERED}. */
    public Builder durability(Durability value) {
      return set(DURABILITY, value);
    }

    /**
     * Bytes a database collects in memory before they are flushed as one tree; default 16 MiB.
     * Larger buffers mean fewer flushes and merges, more memory, and a longer replay after a crash.
     *
     * @param value 4096 (4 KiB) to 1073741824 (1 GiB)
     */
    public Builder writeBufferBytes(long value) {
      return set(WRITE_BUFFER_BYTES, value);
    }

    /**
     * Full write buffers of a database that may wait for their flush before writers have to;
     * default 4. More of them even out bursts and cost memory.
     *
     * @param value 1 to 64
     */
    public Builder maxImmutableMemtables(int value) {
      return set(MAX_IMMUTABLE_MEMTABLES, (long) value);
    }

    /**
     * Size aimed at for an SST (the split unit of TPDS §4.1); default 2 MiB. Larger ones mean fewer
     * files, and fewer that overlap nothing and so are moved instead of rewritten.
     *
     * @param value 4096 (4 KiB) to 1073741824 (1 GiB)
     */
    public Builder splitUnitBytes(long value) {
      return set(SPLIT_UNIT_BYTES, value);
    }

    /**
     * Trees of a stage that are merged into one tree of the next; default 4. A larger factor writes
     * less and leaves more trees to be asked.
     *
     * @param value 2 to 64
     */
    public Builder growthFactor(int value) {
      return set(GROWTH_FACTOR, (long) value);
    }

    /** When the trees of a stage are merged; default {@link MergeTrigger#EAGER}. */
    public Builder mergeTrigger(MergeTrigger value) {
      return set(MERGE_TRIGGER, value);
    }

    /** How the log reaches its files; default {@link LogAccess#MAPPED}. */
    public Builder logAccess(LogAccess value) {
      return set(LOG_ACCESS, value);
    }

    /**
     * Size that log segments grow to; by default that of a write buffer, but 1 to 16 MiB. The first
     * ones of a log are smaller, so that a small store takes little space. A record larger than
     * that gets a segment of its own. Some segments are kept to be used again, so small ones save
     * space on disk; each new one costs a header, two syncs and a change of files.
     *
     * @param value 4096 (4 KiB) to 1073741824 (1 GiB); rounded up to whole pages of 4 KiB
     */
    public Builder logSegmentBytes(int value) {
      return set(LOG_SEGMENT_BYTES, (long) value);
    }

    /**
     * Bytes of log beyond which the database that holds the oldest of it is flushed, though its
     * write buffer is not full; default 256 MiB. It bounds the replay after a crash when some
     * databases are written much more than others.
     *
     * @param value 65536 (64 KiB) to 1099511627776 (1 TiB)
     */
    public Builder maxLogBytes(long value) {
      return set(MAX_LOG_BYTES, value);
    }

    /**
     * Bytes of log that may be left when the store is closed; default 1 MiB. When what is not
     * flushed takes no more there, it stays in the log, which is synced, and the next opening reads
     * it back; else it is flushed. So a few writes at a time make no tree each time. Writes without
     * a log are flushed in any case.
     *
     * @param value 0 (everything is flushed) to 1073741824 (1 GiB)
     */
    public Builder keptLogBytes(long value) {
      return set(KEPT_LOG_BYTES, value);
    }

    /**
     * Threads that merge; default 2. A merge of many SSTs is split by key range, so that all of
     * them can work at it.
     *
     * @param value 1 to 64
     */
    public Builder mergeThreads(int value) {
      return set(MERGE_THREADS, (long) value);
    }

    /**
     * Whether inputs of a merge are deleted while it runs (TPDS §4.3); default true. Without, a
     * merge needs as much free space as its inputs hold, and one that is interrupted begins anew.
     */
    public Builder earlyCleaning(boolean value) {
      return set(EARLY_CLEANING, value);
    }

    /**
     * SSTs a merge writes at most before it commits them and deletes the inputs they replace;
     * default 10. More of them mean fewer syncs and more space. When the file system runs short of
     * space the store commits earlier, in the end after each SST. No effect without {@link
     * #earlyCleaning}.
     *
     * @param value 1 to 1000000
     */
    public Builder cleaningThreshold(int value) {
      return set(CLEANING_THRESHOLD, (long) value);
    }

    /** How blocks of data come into memory; default {@link ReadMode#AUTO}. */
    public Builder readMode(ReadMode value) {
      return set(READ_MODE, value);
    }

    /**
     * Bytes of blocks kept in memory that were read by position, off the heap. By default one part
     * in sixteen of the memory, of the machine or the container, that the largest heap leaves; at
     * least 4 MiB, at most 32. A value is taken as it is; one of more than a quarter of the memory
     * is warned of when the store is opened. No effect while files are mapped, see {@link
     * ReadMode}.
     *
     * @param value 0 (none is kept) to 1099511627776 (1 TiB)
     */
    public Builder blockCacheBytes(long value) {
      return set(BLOCK_CACHE_BYTES, value);
    }

    /**
     * SSTs that may be open at a time; default 8192. An open one takes a file handle or a mapping,
     * and about a hundredth of its size on the heap for its index: with SSTs of 2 MiB some 20 KiB,
     * 160 MiB for 8192. One that is not open is opened when it is asked, which takes three reads.
     * Walks and merges keep those open in which they stand, even if they are more. Where files are
     * read and not mapped, it is at most three quarters of the files the process may have open.
     *
     * @param value 16 to 1000000
     */
    public Builder maxOpenSsts(int value) {
      return set(MAX_OPEN_SSTS, (long) value);
    }

    /**
     * Which SSTs a point query searches at once, unless it says so itself with {@link
     * io.sifr.ReadOptions}; default {@link SearchScheme#ADAPTIVE}.
     */
    public Builder searchScheme(SearchScheme value) {
      return set(SEARCH_SCHEME, value);
    }

    /**
     * Threads that search beside the callers; default 16. They are started when they are needed for
     * the first time, and all queries of the store share them. More of them keep a disk busier that
     * serves many reads at once; each takes a stack.
     *
     * @param value 1 to 256
     */
    public Builder searchThreads(int value) {
      return set(SEARCH_THREADS, (long) value);
    }

    /**
     * Where the filters of SSTs are (TPDS §4.1); default {@link FilterMode#RESIDENT}. Filters that
     * are missing, because the store was last open without, are made in the background when it is
     * opened.
     */
    public Builder filterMode(FilterMode value) {
      return set(FILTER_MODE, value);
    }

    /**
     * Bits a key of filters that are made for the last stage, which holds most keys; default 10,
     * with which one absent key in 104 passes a filter; 5 let one in 11 pass, 20 one in 5000. Those
     * of each stage before have 3 bits more than those of the next, up to 32: they spare more reads
     * and take less memory. Filters that there are stay as they are until a merge writes their SSTs
     * anew. No effect with {@link FilterMode#OFF}.
     *
     * @param value 1 to 32
     */
    public Builder filterBitsPerKey(int value) {
      return set(FILTER_BITS_PER_KEY, (long) value);
    }

    /**
     * Bytes of filters kept in memory with {@link FilterMode#HOT}, and with that only; default 64
     * MiB.
     *
     * @param value 0 to 1099511627776 (1 TiB)
     */
    public Builder filterCacheBytes(long value) {
      return set(FILTER_CACHE_BYTES, value);
    }

    /**
     * Sets a setting by its name, as {@link StoreOptions#settings} lists them. Sizes may carry a
     * unit, "64MiB"; case does not matter in names of constants.
     *
     * @throws IllegalArgumentException when there is no such setting, or when the value is not
     *     allowed; the message says what is
     */
    public Builder set(String name, String value) {
      return parse(TABLE.named(name), value);
    }

    private <T> Builder parse(Setting<T> setting, String value) {
      return put(setting, setting.parse(value));
    }

    private <T> Builder set(Setting<T> setting, T value) {
      return put(setting, setting.checked(value));
    }

    private <T> Builder put(Setting<T> setting, T value) {
      values[setting.index()] = value;
      return this;
    }

    /** The settings collected so far. */
    public StoreOptions build() {
      return new StoreOptions(values.clone());
    }
  }
}
