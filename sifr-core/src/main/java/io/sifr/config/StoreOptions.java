package io.sifr.config;

import io.sifr.config.Domain.Directories;
import io.sifr.config.Domain.Numbers;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.BitSet;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * The settings of a store. Immutable; safe for any thread. None of them is stored, except how much
 * of the log is retained: a directory can be opened with other settings at any time, which apply to
 * what is written from then on.
 *
 * <pre>{@code
 * StoreOptions options = StoreOptions.builder().writeBufferBytes(4 << 20).build();
 * }</pre>
 */
public final class StoreOptions {
  private static final SettingTable TABLE = new SettingTable("there is no setting");

  private static final Setting<Boolean> CREATE_IF_MISSING =
      TABLE.flag(
          "createIfMissing", true, "Whether opening a directory that holds no store makes one.");
  private static final Setting<Boolean> OPEN_IF_DAMAGED =
      TABLE.flag(
          "openIfDamaged", true, "Whether a store is opened of which some SSTs cannot be read.");
  private static final Setting<Long> CHECK_BYTES_PER_SECOND =
      TABLE.bytes(
          "checkBytesPerSecond",
          8 << 20,
          0,
          1L << 40,
          "Reads of the check of all SSTs in the background, once a day at most; 0 for no check.");
  private static final Setting<Durability> DURABILITY =
      TABLE.choice(
          "durability",
          Durability.BUFFERED,
          "What a write has survived when it returns: nothing, a killed process, a power loss.");
  private static final Setting<Long> MEMORY_BUDGET_BYTES =
      TABLE.automaticBytes(
          "memoryBudgetBytes",
          1 << 20,
          1L << 40,
          "Memory of cache, write buffers and read-ahead together; auto: by the memory there is.");
  private static final Setting<Long> WRITE_BUFFER_BYTES =
      TABLE.bytes(
          "writeBufferBytes",
          16 << 20,
          4 << 10,
          1 << 30,
          "Writes a database collects in memory before they are flushed as one tree.");
  private static final Setting<Long> TOTAL_WRITE_BUFFER_BYTES =
      TABLE.automaticBytes(
          "totalWriteBufferBytes",
          16 << 10,
          1L << 40,
          "Memory of all write buffers of the store; auto: a quarter of the largest heap, at most"
              + " half of a budget that is set.");
  private static final Setting<Long> SPLIT_UNIT_BYTES =
      TABLE.bytes(
          "splitUnitBytes",
          2 << 20,
          4 << 10,
          1 << 30,
          "Size aimed at for an SST, as long as the store has few.");
  private static final Setting<Long> MAX_SST_BYTES =
      TABLE.bytes(
          "maxSstBytes",
          64 << 20,
          4 << 10,
          1 << 30,
          "Size that SSTs grow to with the store; if not above splitUnitBytes, they do not grow.");
  private static final Setting<CompactionPolicy> COMPACTION =
      TABLE.add(
          "compaction",
          new CompactionPolicy.Policies(),
          CompactionPolicy.splitForest(),
          "Which trees are compacted or dropped: a policy, with parameters or without.");
  private static final Setting<Double> MAX_SPACE_AMPLIFICATION =
      TABLE.factor(
          "maxSpaceAmplification",
          1.5,
          1.1,
          100,
          "Bytes of files per live byte, about, beyond which what is overwritten and deleted is"
              + " compacted away; 0 for no limit.");
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
  private static final Setting<Long> RETAINED_LOG_BYTES =
      TABLE.automaticBytes(
          "retainedLogBytes",
          0,
          1L << 40,
          "Log kept for readers of changes, beyond what recovery needs; 0: no such limit; auto: as"
              + " before.");
  private static final Setting<Long> RETAINED_LOG_SECONDS =
      TABLE.automaticCount(
          "retainedLogSeconds",
          "seconds",
          0,
          10L * 365 * 86400,
          "For how long log is kept for them, none without any limit; 0: no such limit; auto: as"
              + " before.");
  private static final Setting<Long> COMPACTION_THREADS =
      TABLE.count("compactionThreads", "threads", 2, 1, 64, "Threads of compactions.");
  private static final Setting<Long> COMPACTION_BYTES_PER_SECOND =
      TABLE.bytes(
          "compactionBytesPerSecond",
          0,
          0,
          1L << 40,
          "Writes of all compactions of the store together, whoever waits for them; 0 for no"
              + " limit.");
  private static final Setting<Long> READ_COMPACTION_BYTES_PER_SECOND =
      TABLE.bytes(
          "readCompactionBytesPerSecond",
          32 << 20,
          0,
          1L << 40,
          "Writes of compactions whose only reason is that many trees make reads slow; 0 for"
              + " none.");
  private static final Setting<Boolean> EARLY_CLEANING =
      TABLE.flag(
          "earlyCleaning", true, "Whether inputs of a compaction are deleted while it runs.");
  private static final Setting<String> FAST_DIRECTORY =
      TABLE.add(
          "fastDirectory",
          new Directories(),
          "",
          "Where the log and SSTs of the first stage lie, on a device that is faster than the"
              + " store's.");
  private static final Setting<Long> FAST_BYTES =
      TABLE.bytes(
          "fastBytes",
          1 << 30,
          64 << 10,
          1L << 40,
          "SSTs that may lie in fastDirectory, beside the log; they are compacted when most of it is"
              + " filled.");
  private static final Setting<Boolean> FAST_IS_VOLATILE =
      TABLE.flag(
          "fastIsVolatile",
          false,
          "Whether fastDirectory may lose all its files in a power failure: then the log has them,"
              + " too.");
  private static final Setting<String> COLD_DIRECTORY =
      TABLE.add(
          "coldDirectory",
          new Directories(),
          "",
          "Where SSTs of the last stage lie, on a device that is larger and slower than the"
              + " store's.");
  private static final Setting<ReadMode> READ_MODE =
      TABLE.choice("readMode", ReadMode.AUTO, "How blocks of data come into memory.");
  private static final Setting<Long> BLOCK_CACHE_BYTES =
      TABLE.automaticBytes(
          "blockCacheBytes",
          0,
          1L << 40,
          "Blocks that are kept in memory, without indexes and filters; auto: what a budget leaves,"
              + " or by the memory there is.");
  private static final Setting<Long> MAX_OPEN_SSTS =
      TABLE.count(
          "maxOpenSsts", "SSTs", 30_000, 16, 1_000_000, "SSTs whose files may be open at a time.");
  private static final Setting<SearchScheme> SEARCH_SCHEME =
      TABLE.choice(
          "searchScheme",
          SearchScheme.ADAPTIVE,
          "Which of the SSTs that may hold a key a get searches at once.");
  private static final Setting<Long> SEARCH_THREADS =
      TABLE.count(
          "searchThreads", "threads", 16, 1, 256, "Threads that search beside the callers.");
  private static final Setting<Long> FILTER_BITS_PER_KEY =
      TABLE.count(
          "filterBitsPerKey",
          "bits",
          10,
          0,
          32,
          "Bits a key of filters of SSTs of the last stage; 0 for no filters.");
  private static final Setting<Compression> COMPRESSION =
      TABLE.choice("compression", Compression.NONE, "How blocks of data are made smaller.");

  static {
    // Those of what stores can share.
    List.of(
            MEMORY_BUDGET_BYTES,
            TOTAL_WRITE_BUFFER_BYTES,
            COMPACTION_THREADS,
            BLOCK_CACHE_BYTES,
            MAX_OPEN_SSTS,
            SEARCH_THREADS)
        .forEach(Setting::markShared);
  }

  /** The settings a store has when none are given. */
  public static final StoreOptions DEFAULT = builder().build();

  private final Object[] values;

  /** Indexes of the settings that were set. */
  private final BitSet given;

  private StoreOptions(Object[] values, BitSet given) {
    this.values = values;
    this.given = given;
  }

  /** All settings, each with its name, default, range and meaning. */
  public static List<Setting<?>> settings() {
    return TABLE.all();
  }

  /** A builder with the default settings. */
  public static Builder builder() {
    return new Builder();
  }

  /** Whether a setting was set, be it to its default value. */
  public boolean isGiven(Setting<?> setting) {
    return given.get(setting.index());
  }

  /**
   * These options without the settings of what stores can share, which are as if they had not been
   * set: those for a store that is opened with {@code io.sifr.Resources} made of the options.
   */
  public StoreOptions withoutShared() {
    return onlyThose(setting -> !setting.isShared());
  }

  /**
   * These options without all settings but {@linkplain Setting#isShared those} of what stores can
   * share.
   */
  public StoreOptions onlyShared() {
    return onlyThose(Setting::isShared);
  }

  private StoreOptions onlyThose(Predicate<Setting<?>> kept) {
    Object[] those = TABLE.defaults();
    BitSet givenThose = new BitSet();
    for (Setting<?> setting : settings()) {
      if (isGiven(setting) && kept.test(setting)) {
        those[setting.index()] = values[setting.index()];
        givenThose.set(setting.index());
      }
    }
    return new StoreOptions(those, givenThose);
  }

  /** Whether opening a directory that holds no store makes one. */
  public boolean createIfMissing() {
    return get(CREATE_IF_MISSING);
  }

  /** Whether a store is opened although some SSTs cannot be. */
  public boolean openIfDamaged() {
    return get(OPEN_IF_DAMAGED);
  }

  /** Bytes a second of the check of SSTs in the background; 0 for no check. */
  public long checkBytesPerSecond() {
    return get(CHECK_BYTES_PER_SECOND);
  }

  /** Durability of writes that do not specify one. */
  public Durability durability() {
    return get(DURABILITY);
  }

  /**
   * Bytes of memory for everything of a size that matters; empty if derived from the memory of the
   * machine or the container and the heap, see {@link Builder#memoryBudgetBytes}.
   */
  public OptionalLong memoryBudgetBytes() {
    return bytesOrAutomatic(MEMORY_BUDGET_BYTES);
  }

  /** Bytes a database collects in memory before they are flushed as one tree. */
  public long writeBufferBytes() {
    return get(WRITE_BUFFER_BYTES);
  }

  /**
   * Bytes of memory for the write buffers of all databases, full ones included; empty if derived
   * from the size of the heap, see {@link Builder#totalWriteBufferBytes}.
   */
  public OptionalLong totalWriteBufferBytes() {
    return bytesOrAutomatic(TOTAL_WRITE_BUFFER_BYTES);
  }

  /** Target size of an SST, as long as the store has few. */
  public long splitUnitBytes() {
    return get(SPLIT_UNIT_BYTES);
  }

  /** Most that the target size of an SST grows to; no effect if it is not above the split unit. */
  public long maxSstBytes() {
    return get(MAX_SST_BYTES);
  }

  /** Decides which trees are compacted or dropped. */
  public CompactionPolicy compaction() {
    return get(COMPACTION);
  }

  /** See {@link Builder#maxSpaceAmplification}; 0 for no limit. */
  public double maxSpaceAmplification() {
    return get(MAX_SPACE_AMPLIFICATION);
  }

  /** The directory of the log and of SSTs of the first stage, see {@link Builder#fastDirectory}. */
  public Optional<Path> fastDirectory() {
    String path = get(FAST_DIRECTORY);
    return path.isEmpty() ? Optional.empty() : Optional.of(Path.of(path));
  }

  /** Bytes of SSTs that may lie in {@link #fastDirectory}. */
  public long fastBytes() {
    return get(FAST_BYTES);
  }

  /** Whether the {@link #fastDirectory}, if there is one, may lose its files. */
  public boolean fastIsVolatile() {
    return get(FAST_IS_VOLATILE);
  }

  /** The directory of SSTs of the last stage, see {@link Builder#coldDirectory}. */
  public Optional<Path> coldDirectory() {
    String path = get(COLD_DIRECTORY);
    return path.isEmpty() ? Optional.empty() : Optional.of(Path.of(path));
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

  /** Bytes of log that are retained, see {@link Builder#retainedLogBytes}; empty if not set. */
  public OptionalLong retainedLogBytes() {
    return bytesOrAutomatic(RETAINED_LOG_BYTES);
  }

  /** For how long log is retained, see {@link Builder#retainedLogSeconds}; empty if not set. */
  public OptionalLong retainedLogSeconds() {
    return bytesOrAutomatic(RETAINED_LOG_SECONDS);
  }

  /** Threads that compact. */
  public int compactionThreads() {
    return get(COMPACTION_THREADS).intValue();
  }

  /** Bytes a second that all compactions write together; 0 for no limit. */
  public long compactionBytesPerSecond() {
    return get(COMPACTION_BYTES_PER_SECOND);
  }

  /** Bytes a second that compactions write whose only reason is reads, now or later; 0 for none. */
  public long readCompactionBytesPerSecond() {
    return get(READ_COMPACTION_BYTES_PER_SECOND);
  }

  /** Whether inputs of a compaction are deleted while it runs. */
  public boolean earlyCleaning() {
    return get(EARLY_CLEANING);
  }

  /** The way in which blocks of data are read into memory. */
  public ReadMode readMode() {
    return get(READ_MODE);
  }

  /**
   * Bytes of blocks kept in memory; empty if derived from the size of the memory, see {@link
   * Builder#blockCacheBytes}.
   */
  public OptionalLong blockCacheBytes() {
    return bytesOrAutomatic(BLOCK_CACHE_BYTES);
  }

  /** SSTs whose files may be open at a time. */
  public int maxOpenSsts() {
    return get(MAX_OPEN_SSTS).intValue();
  }

  /** Which SSTs a point query searches concurrently, unless its own options say otherwise. */
  public SearchScheme searchScheme() {
    return get(SEARCH_SCHEME);
  }

  /** Threads that search beside the callers. */
  public int searchThreads() {
    return get(SEARCH_THREADS).intValue();
  }

  /** Bits per key of new filters; 0 for no filters. */
  public int filterBitsPerKey() {
    return get(FILTER_BITS_PER_KEY).intValue();
  }

  /** How blocks of data are stored that are written. */
  public Compression compression() {
    return get(COMPRESSION);
  }

  private OptionalLong bytesOrAutomatic(Setting<Long> setting) {
    long bytes = get(setting);
    return bytes == Numbers.AUTOMATIC ? OptionalLong.empty() : OptionalLong.of(bytes);
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
    private final BitSet given = new BitSet();

    private Builder() {}

    /** Whether opening a directory that holds no store creates one (default) or is an error. */
    public Builder createIfMissing(boolean value) {
      return set(CREATE_IF_MISSING, value);
    }

    /**
     * Whether a store is opened (default) although some SSTs are missing, shortened, damaged or
     * unreadable. All other data can then be read and written. A read that needs such an SST throws
     * a {@link io.sifr.error.CorruptionException} with its file and its range of keys, or a {@link
     * io.sifr.error.StoreIoException}; a key is never reported absent by mistake. A compaction that
     * needs one stops, others go on. Opening does not look at the SSTs: each is opened when it is
     * first needed, and checked in the background, see {@link #checkBytesPerSecond}. If false, all
     * of them are opened first, which takes a read each, and opening throws and names those that
     * cannot be. Damage to the manifest or the log always prevents opening.
     */
    public Builder openIfDamaged(boolean value) {
      return set(OPEN_IF_DAMAGED, value);
    }

    /**
     * Bytes a second that are read to check SSTs. First those that are there when the store is
     * opened, one after the other: each file's existence and size, its footer, properties, index
     * and filter, by their checksums. Then, in rounds, all of every SST and value file there is,
     * blocks of data included; a round begins a day after the one before began, or when that has
     * ended. Damage is reported by {@link io.sifr.event.StoreListener#failed} and in statistics.
     * Nothing of it is kept in memory, and {@code pauseCompactions} pauses it. Default 8 MiB: a
     * disk hardly notices it; of a terabyte the first part, 5 to 15 GB, takes a quarter to half an
     * hour, and a round a day and a half.
     *
     * @param value 0 (no check) to 1099511627776 (1 TiB)
     */
    public Builder checkBytesPerSecond(long value) {
      return set(CHECK_BYTES_PER_SECOND, value);
    }

    /** Durability of writes that do not specify one; default {@link Durability#BUFFERED}. */
    public Builder durability(Durability value) {
      return set(DURABILITY, value);
    }

    /**
     * Bytes of memory for what the store keeps of its SSTs ({@link #blockCacheBytes}), its write
     * buffers ({@link #totalWriteBufferBytes}), and what cursors and compactions read ahead; by
     * default the sum of what these take by default. Of a budget that is set,
     *
     * <ul>
     *   <li>write buffers take at most half, and at most a quarter of the JVM's largest heap, which
     *       they are on;
     *   <li>read-ahead takes at most an eighth, up to 64 MiB; with more cursors each reads less at
     *       a time;
     *   <li>the cache takes what these two do not use at the moment; of the heap, indexes and
     *       filters take at most a quarter, and off the heap, blocks at most twice its largest
     *       size.
     * </ul>
     *
     * <p>What is not in it: some hundred bytes for each SST; blocks while a single read uses them;
     * files that are mapped, such as the log, which the system may write back at any time. Memory
     * off the heap is requested by the megabyte, so that a budget of less than 16 MiB may be
     * exceeded by some. A store with a small budget is slow rather than larger. If it is more than
     * half of the memory there is, opening the store logs a warning.
     *
     * @param value 1048576 (1 MiB) to 1099511627776 (1 TiB)
     */
    public Builder memoryBudgetBytes(long value) {
      return set(MEMORY_BUDGET_BYTES, value);
    }

    /**
     * Bytes a database collects in memory before they are flushed as one tree; default 16 MiB.
     * Larger buffers mean fewer flushes and compactions, more memory, and a longer replay after a
     * crash.
     *
     * @param value 4096 (4 KiB) to 1073741824 (1 GiB)
     */
    public Builder writeBufferBytes(long value) {
      return set(WRITE_BUFFER_BYTES, value);
    }

    /**
     * Bytes of memory for the write buffers of all databases, full ones that wait for their flush
     * included; by default a quarter of the JVM's largest heap, and at most half of {@link
     * #memoryBudgetBytes} if that is set; never more than all of that. When those that are written
     * to take half of it, the largest are flushed, many small ones together; when all of it is
     * taken, writers wait. A write buffer grows with its content, from about 3 KiB.
     *
     * @param value 16384 (16 KiB) to 1099511627776 (1 TiB)
     */
    public Builder totalWriteBufferBytes(long value) {
      return set(TOTAL_WRITE_BUFFER_BYTES, value);
    }

    /**
     * Target size of an SST (the split unit of TPDS §4.1), as long as the store has at most 9000 of
     * them; default 2 MiB. Larger ones mean fewer files, and fewer that overlap no other and are
     * moved instead of rewritten.
     *
     * @param value 4096 (4 KiB) to 1073741824 (1 GiB)
     */
    public Builder splitUnitBytes(long value) {
      return set(SPLIT_UNIT_BYTES, value);
    }

    /**
     * Target size that SSTs grow to with the store; default 64 MiB. If it is not above the split
     * unit, SSTs do not grow. The target size of new SSTs is
     *
     * <pre>{@code splitUnitBytes × (storeBytes / (splitUnitBytes × 9000)) ^ 1.5}</pre>
     *
     * <p>but at least {@link #splitUnitBytes} and at most this; {@code storeBytes} are those of all
     * SSTs of the store. So SSTs of 2 MiB grow from 18.9 GB on, and there are at most about twice
     * as many of them, until they cannot grow any more: with the defaults, at a terabyte. When the
     * store shrinks, so does the target. A flush writes SSTs of at most half a write buffer, or a
     * split unit if that is more.
     *
     * @param value 4096 (4 KiB) to 1073741824 (1 GiB)
     */
    public Builder maxSstBytes(long value) {
      return set(MAX_SST_BYTES, value);
    }

    /**
     * Decides which trees are compacted or dropped; default {@link CompactionPolicy#splitForest()}.
     *
     * @throws IllegalArgumentException when it is null
     */
    public Builder compaction(CompactionPolicy value) {
      return set(COMPACTION, value);
    }

    /**
     * How many times as large as its live data a database may be, about; default 1.5. The rest is
     * what was overwritten or deleted and is still there. Beyond that, the trees that hold most of
     * it are compacted, whatever policy compactions. The store estimates it from samples of the
     * keys, without reading anything, and does nothing while less than half a write buffer could be
     * freed. A smaller factor saves space and writes more: to free a byte, 1 / (factor - 1) bytes
     * are rewritten, or twice that. A database whose keys are written once pays nothing.
     *
     * <p>It holds for value files, too: those with the least live data are emptied, by copying that
     * to other files. Writers are slowed as far as that lags behind.
     *
     * @param value 1.1 to 100, or 0 (no limit)
     */
    public Builder maxSpaceAmplification(double value) {
      return set(MAX_SPACE_AMPLIFICATION, value);
    }

    /** How the log reaches its files; default {@link LogAccess#MAPPED}. */
    public Builder logAccess(LogAccess value) {
      return set(LOG_ACCESS, value);
    }

    /**
     * Size that log segments grow to; by default that of a write buffer, but 1 to 16 MiB. The first
     * ones of a log are smaller, so that a small store takes little space. A record larger than
     * that gets a segment of its own. Some segments are kept for reuse, so small ones save space on
     * disk; each new one costs a header, two syncs and a switch of files.
     *
     * @param value 4096 (4 KiB) to 1073741824 (1 GiB); rounded up to whole pages of 4 KiB
     */
    public Builder logSegmentBytes(int value) {
      return set(LOG_SEGMENT_BYTES, (long) value);
    }

    /**
     * Bytes of log beyond which the database that needs the oldest segment is flushed, though its
     * write buffer is not full; default 256 MiB. It bounds the replay after a crash when some
     * databases are written much more than others.
     *
     * @param value 65536 (64 KiB) to 1099511627776 (1 TiB)
     */
    public Builder maxLogBytes(long value) {
      return set(MAX_LOG_BYTES, value);
    }

    /**
     * Bytes of log that may be left when the store is closed; default 1 MiB. If unflushed writes
     * take no more than that, they stay in the log, which is synced, and the next open reads them
     * back; else they are flushed. So opening the store for a few writes does not create a tree
     * each time. Writes without a log are always flushed.
     *
     * @param value 0 (everything is flushed) to 1073741824 (1 GiB)
     */
    public Builder keptLogBytes(long value) {
      return set(KEPT_LOG_BYTES, value);
    }

    /**
     * Bytes of log that are retained although no recovery needs them, so that {@link
     * io.sifr.Store#changes} can read what has changed. A segment of the log is retained from the
     * moment on at which all it contains is flushed; when those that are retained take more than
     * this, the oldest are deleted, and also those that exceed {@link #retainedLogSeconds}.
     *
     * <p>As long as either is set to more than 0, all writes are logged, whatever their {@link
     * Durability}, and each flush syncs the log. Other opens of the store that set neither go on as
     * it was last set, so that a tool takes nothing away; a new store retains nothing. This is the
     * only setting that is stored. Setting it to 0, and not the time, deletes all.
     *
     * @param value 0 (no such limit, if there is one of time; else nothing is retained) to
     *     1099511627776 (1 TiB)
     */
    public Builder retainedLogBytes(long value) {
      return set(RETAINED_LOG_BYTES, value);
    }

    /**
     * Seconds for which log is retained, at most, see {@link #retainedLogBytes}. The age of a
     * segment counts from the moment on at which it was flushed. What is too old is deleted with
     * the next flush, when the store is opened, and within a minute.
     *
     * @param value 0 (no such limit, if there is one of bytes; else nothing is retained) to
     *     315360000 (ten years)
     */
    public Builder retainedLogSeconds(long value) {
      return set(RETAINED_LOG_SECONDS, value);
    }

    /**
     * Threads that compact; default 2. A compaction of many SSTs is split by key range, so that all
     * of them can work on it.
     *
     * @param value 1 to 64
     */
    public Builder compactionThreads(int value) {
      return set(COMPACTION_THREADS, (long) value);
    }

    /**
     * Bytes a second that all compactions of the store write together, on average; default 0, no
     * limit. They read about as much. They pause after every few hundred kilobytes, so a disk or a
     * volume with a quota has room for other work all the time. Flushes are not limited, nor are
     * bulk loads and the log.
     *
     * <p>The limit holds whoever waits: for writers, and for {@code compact}, {@code awaitIdle} and
     * range deletes that make room. So it should be well above what compactions have to write: the
     * rate of the user's writes times the write amplification, see {@link
     * io.sifr.event.Metric#WRITE_AMPLIFICATION}. If it is not, trees accumulate, reads take longer,
     * and writers are slowed more and more, but never stopped for it, until compactions keep up.
     * Closing the store does not wait for it. What compactions have not written while there was
     * nothing to compact they do not catch up on.
     *
     * @param value 0 (no limit) to 1099511627776 (1 TiB)
     */
    public Builder compactionBytesPerSecond(long value) {
      return set(COMPACTION_BYTES_PER_SECOND, value);
    }

    /**
     * Bytes a second that the store writes, on average, to compact trees only because they are
     * read. A read takes longer the more trees there are, and the stages of a store that is no
     * longer written to would never become full. So what reads waste on that is counted. Trees that
     * have wasted as much CPU time as it takes to compact them are compacted, those of low stages
     * first, until one is left if reads go on. In all, such compactions never take more time than
     * reads have wasted before. There are none in a store that is written to as much as it is read,
     * nor while anything else is to be flushed or compacted.
     *
     * <p>When nobody has written for ten seconds trees are compacted before there are reads, until
     * at most two are left. These compactions write at most as many bytes as were flushed since the
     * last of them. Default 32 MiB, about a quarter of a processor.
     *
     * @param value 0 (no such compactions) to 1099511627776 (1 TiB)
     */
    public Builder readCompactionBytesPerSecond(long value) {
      return set(READ_COMPACTION_BYTES_PER_SECOND, value);
    }

    /**
     * Whether inputs of a compaction are deleted while it runs (TPDS §4.3); default true. If false,
     * a compaction needs as much free space as its inputs take, and one that is interrupted starts
     * again.
     */
    public Builder earlyCleaning(boolean value) {
      return set(EARLY_CLEANING, value);
    }

    /**
     * The directory, on another device, to which flushes write their SSTs, and in which the log is;
     * default: null, that of the store. For a device that is faster than the one of the store, and
     * smaller: local NVMe beside a network volume or a hard disk. It is created if it does not
     * exist, must be empty, and belongs to the store from then on, which is not opened without it:
     * {@link io.sifr.error.SideDirectoryException}. Its files must survive a power failure, unless
     * {@link #fastIsVolatile} is set.
     *
     * <p>With the policies {@code split-forest} and {@code size-tiered}, trees of the first stage
     * are compacted when they take 0.6 of {@link #fastBytes}, or there are 64 of them, all at once,
     * instead of each few: so each byte is written to the store's own device once or twice less,
     * and reads look into more trees (MatrixKV, §3). While the directory is full or fails, flushes
     * and new segments of the log are written to the store's. If a segment in use cannot be written
     * or synced, writes wait until all is flushed and another log begun in the store's directory.
     *
     * <p>A store that was opened with one and then without, or with null, reads what is left there,
     * moves it when it is opened and by its next compactions, and no longer needs the directory
     * when it is opened after that.
     *
     * @param value of the default file system, or null
     */
    public Builder fastDirectory(@Nullable Path value) {
      return set(FAST_DIRECTORY, value == null ? "" : value.toString());
    }

    /**
     * Bytes of SSTs that may lie in {@link #fastDirectory}; default 1 GiB. The log does not count:
     * it has about as many bytes as write buffers hold, besides what is retained of it.
     *
     * @param value 65536 (64 KiB) to 1099511627776 (1 TiB)
     */
    public Builder fastBytes(long value) {
      return set(FAST_BYTES, value);
    }

    /**
     * Whether {@link #fastDirectory} may lose all its files when the machine stops, as a file
     * system in memory or the local device of a virtual machine does; default: false. Such a
     * directory is refused otherwise, if the system says that it is in memory.
     *
     * <p>Then no segment of the log lies there, and what was flushed to it is also kept in the log,
     * in the store's directory, until a compaction has written it there: about {@link #fastBytes}
     * more of the log, at most about twice as much. All writes are logged, also those with {@link
     * Durability#NONE}. When the store is opened and the directory, or files in it, are gone, they
     * are made again from the log, in the store's directory, at some hundred thousand entries a
     * second; nothing is lost that had been durable without it. The option can change when nothing
     * is left in the directory.
     */
    public Builder fastIsVolatile(boolean value) {
      return set(FAST_IS_VOLATILE, value);
    }

    /**
     * The directory, on another device, to which compactions write the SSTs of the last stage of
     * each database, which hold most of its data; default: null, that of the store. For a device
     * that is larger and cheaper than the one of the store: a hard disk, or object storage that is
     * mounted. It is created if it does not exist, must be empty, and belongs to the store from
     * then on, which is not opened without it: {@link io.sifr.error.SideDirectoryException}. Its
     * files must survive a power failure. They are written once, from the start, never mapped, and
     * neither renamed nor linked there.
     *
     * <p>Of each SST there the store's directory has a copy of its end, with filter and index: a
     * get reads nothing but blocks there, and none if the filter says that the key is absent.
     * Nothing is mapped in such a store: {@link ReadMode#AUTO} and {@link ReadMode#MMAP} read
     * through the page cache. While the directory is full or fails, compactions write to the
     * store's.
     *
     * <p>A store that was opened with one and then without, or with null, reads what is left there,
     * moves it by its next compactions, and no longer needs the directory when it is opened after
     * that.
     *
     * @param value of the default file system, or null
     */
    public Builder coldDirectory(@Nullable Path value) {
      return set(COLD_DIRECTORY, value == null ? "" : value.toString());
    }

    /** How blocks of data are read into memory; default {@link ReadMode#AUTO}. */
    public Builder readMode(ReadMode value) {
      return set(READ_MODE, value);
    }

    /**
     * Bytes of blocks that are kept in memory, off the heap: those that were read by position, and
     * compressed ones of mapped files. Indexes and filters are not in it: of what was read of these
     * as much is kept, on the heap, as an eighth of the memory of the machine or the container
     * outside the largest heap, up to 1 GiB and a quarter of the heap; of entries of 100 bytes they
     * take about a fortieth of the SSTs, of entries of 1 KiB a hundredth. While files are mapped,
     * see {@link ReadMode}, filters need nothing, since they can be used where they are; they are
     * copied while half of that memory is free. {@link #memoryBudgetBytes}, if it is set, bounds
     * both. If they do not find room they are read again and again, which the statistics count and
     * a warning in the log says once.
     *
     * <p>By default what the rest of {@link #memoryBudgetBytes} leaves at the moment, if that is
     * set; else a sixteenth of the memory outside the largest heap, at least 4 MiB, at most 32 MiB,
     * and of what indexes and filters do not use up to 256 MiB more. A given value is used as far
     * as {@link #memoryBudgetBytes}, the heap and the memory allow: at most what the largest heap
     * and 144 MiB for the JVM itself leave of the memory of the machine or the container, or 4 MiB.
     * If it is more than that, or than a quarter of the memory, opening the store logs a warning.
     *
     * @param value 0 (no block is kept) to 1099511627776 (1 TiB)
     */
    public Builder blockCacheBytes(long value) {
      return set(BLOCK_CACHE_BYTES, value);
    }

    /**
     * SSTs whose files may be open at a time; default 30000. An open file takes a file handle or a
     * mapping, and nothing else: what is in memory of an SST does not depend on it. A file that is
     * not open is opened when something has to be read from it. Cursors and compactions keep their
     * current files open, even beyond the limit. Where files are read and not mapped, the limit is
     * at most three quarters of the files the process may have open; where they are mapped, 30000.
     *
     * @param value 16 to 1000000
     */
    public Builder maxOpenSsts(int value) {
      return set(MAX_OPEN_SSTS, (long) value);
    }

    /**
     * Which SSTs a point query searches concurrently, unless its {@link io.sifr.ReadOptions} say
     * otherwise; default {@link SearchScheme#ADAPTIVE}.
     */
    public Builder searchScheme(SearchScheme value) {
      return set(SEARCH_SCHEME, value);
    }

    /**
     * Threads that search beside the callers; default 16. They are started when first needed, and
     * shared by all queries of the store. More of them make better use of a disk that serves many
     * concurrent reads; each takes a stack.
     *
     * @param value 1 to 256
     */
    public Builder searchThreads(int value) {
      return set(SEARCH_THREADS, (long) value);
    }

    /**
     * Bits per key of the filters of SSTs of the last stage, which holds most keys; default 10,
     * with a false positive for one absent key in 104; with 5 it is one in 11, with 20 one in 5000;
     * 0 for no filters. A filter rules out most keys that its SST does not hold without a search of
     * the SST (TPDS §4.1). Filters of each earlier stage have 3 bits more than those of the next,
     * up to 32: they save more reads and take less memory. An SST has the filter it was written
     * with until a compaction rewrites it.
     *
     * @param value 0 to 32
     */
    public Builder filterBitsPerKey(int value) {
      return set(FILTER_BITS_PER_KEY, (long) value);
    }

    /**
     * How blocks of data are stored; default {@link Compression#NONE}. Affects what flushes and
     * compactions write from then on; what is there is read whatever its form, and gets the new one
     * when a compaction rewrites it ({@link io.sifr.Database#compact} does so with everything). A
     * database can have its own, {@link DatabaseOptions.Builder#compression}.
     *
     * @throws NullPointerException when the value is null
     */
    public Builder compression(Compression value) {
      return set(COMPRESSION, value);
    }

    /**
     * Sets a setting by its name, as listed by {@link StoreOptions#settings}. Sizes may have a
     * unit, "64MiB"; case does not matter in names of constants.
     *
     * @throws IllegalArgumentException when there is no such setting, or the value is not allowed;
     *     the message says what is
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
      given.set(setting.index());
      return this;
    }

    /** The settings collected so far. */
    public StoreOptions build() {
      return new StoreOptions(values.clone(), (BitSet) given.clone());
    }
  }
}
