package io.sifr.event;

import static io.sifr.event.Metric.Kind.COUNTER;
import static io.sifr.event.Metric.Kind.GAUGE;
import static io.sifr.event.Metric.Kind.LATENCY;
import static io.sifr.event.Metric.Kind.TOTAL;

import com.google.common.base.CaseFormat;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * A row of the table of metrics: what a figure of {@link StoreStatistics} is called, of which kind
 * it is and what it means. JMX, JSON, the guide and systems of metrics show what is in the table.
 * Later versions may have more rows. Immutable; safe for any thread.
 *
 * @param <T> type of its values: a number, latencies, or counts by reason
 */
public sealed class Metric<T> {
  /** The behaviour of a metric over time. */
  public enum Kind {
    /** Only grows, over the life of the store. */
    TOTAL,
    /** Only grows, from 0 when the store is opened. */
    COUNTER,
    /** The state at this moment. */
    GAUGE,
    /** Latencies of one kind of call since the store was opened. */
    LATENCY
  }

  /** Values of metrics: {@link io.sifr.event.StoreStatistics}. */
  public interface Values {
    /** The value of a metric. */
    <T> T get(Metric<T> metric);

    /** As above, of a whole number. */
    long get(OfLong metric);

    /** As above, of a ratio. */
    double get(OfDouble metric);
  }

  /** A metric whose value is a whole number. */
  public static final class OfLong extends Metric<Long> {
    private OfLong(
        Kind kind,
        String name,
        @Nullable String meter,
        String meaning,
        @Nullable Function<Values, Long> formula) {
      super(kind, name, meter, meaning, formula);
    }
  }

  /** A metric whose value is a ratio at this moment. */
  public static final class OfDouble extends Metric<Double> {
    private OfDouble(
        String name,
        @Nullable String meter,
        String meaning,
        @Nullable Function<Values, Double> formula) {
      super(GAUGE, name, meter, meaning, formula);
    }
  }

  // Filled while the rows below are made.
  private static final List<Metric<?>> ALL = new ArrayList<>();
  private static final List<OfLong> COUNTERS = new ArrayList<>();

  public static final OfLong USER_BYTES =
      total("userBytes", "user.written", "Keys and values that were written, bounds included.");
  public static final OfLong LOG_BYTES =
      total("logBytes", "log.written", "Bytes appended to the log.");
  public static final OfLong FLUSH_BYTES =
      total(
          "flushBytes",
          "flush.written",
          "SSTs written by flushes, and values to which these refer.");
  public static final OfLong FLUSHES =
      counter("flushes", "flushes", "Write buffers that were flushed.");
  public static final OfLong STALLS =
      counter("stalls", "stalls", "How often writers were delayed.");
  public static final OfLong STALL_MILLIS =
      total("stallMillis", "stall.time", "For how long writers were delayed.");
  public static final OfLong REFUSED_WRITES =
      counter(
          "refusedWrites",
          "writes.refused",
          "Writes refused because they would have been delayed for longer than maxStall.");
  public static final Metric<LatencySummary> PUT_MICROS =
      new Metric<>(
          LATENCY,
          "putMicros",
          "put.latency",
          "Latency of put, delete, deleteRange and write.",
          null);
  public static final OfDouble WRITE_AMPLIFICATION =
      new OfDouble(
          "writeAmplification",
          "write.amplification",
          "flushBytes and compactionBytes per user byte; 0 before any.",
          s -> perUserByte(s, 0));
  public static final OfDouble WRITE_AMPLIFICATION_WITH_LOG =
      new OfDouble(
          "writeAmplificationWithLog",
          null,
          "As writeAmplification, including the bytes of the log.",
          s -> perUserByte(s, s.get(LOG_BYTES)));

  public static final OfLong COMPACTION_BYTES =
      total("compactionBytes", "compaction.written", "SSTs and values written by compactions.");
  public static final OfLong MOVED_BYTES =
      total("movedBytes", "compaction.moved", "SSTs that changed stage without being rewritten.");
  public static final OfLong FAST_WRITTEN_BYTES =
      counter("fastWrittenBytes", "fast.written", "SSTs written to the fast directory.");
  public static final OfLong COLD_WRITTEN_BYTES =
      counter("coldWrittenBytes", "cold.written", "SSTs written to the cold directory.");
  public static final OfLong LOG_REPLACEMENTS =
      counter(
          "logReplacements",
          "log.replacements",
          "How often the log was replaced, because it had failed in the fast directory.");
  public static final OfLong COMPACTION_FILTER_DROPS =
      counter(
          "compactionFilterDrops",
          "compaction.filter.drops",
          "Entries dropped by compaction filters.");
  public static final OfLong COMPACTION_FILTER_REPLACEMENTS =
      counter(
          "compactionFilterReplacements",
          "compaction.filter.replacements",
          "Values replaced by compaction filters.");
  public static final OfLong COMPACTION_FILTER_FAILURES =
      counter(
          "compactionFilterFailures",
          "compaction.filter.failures",
          "Calls of compaction filters that have failed; the entries were kept.");
  public static final OfLong INDEX_ENTRIES_BUILT =
      counter(
          "indexEntriesBuilt",
          "index.built",
          "Entries of databases that builds of indexes have passed.");
  public static final OfLong INDEX_STALE_READS =
      counter(
          "indexStaleReads",
          "index.stale.reads",
          "Entries of indexes that reads have passed over, because they do not count any more.");
  public static final OfLong INDEX_STALE_DELETES =
      counter(
          "indexStaleDeletes",
          "index.stale.deletes",
          "Entries of indexes that were deleted, because they do not count any more.");
  public static final Metric<Map<CompactionReason, Long>> COMPACTIONS =
      new Metric<>(
          COUNTER, "compactions", "compactions", "Compactions that have ended, by reason.", null);
  public static final OfLong RUNNING_COMPACTIONS =
      gauge("runningCompactions", "compactions.running", "Compactions that run.");
  public static final OfLong STEP_BACK_MILLIS =
      counter(
          "stepBackMillis",
          "compaction.stepback.time",
          "For how long threads paused because compactions made reads slow.");
  public static final OfLong RATE_LIMIT_MILLIS =
      counter(
          "rateLimitMillis",
          "compaction.limit.time",
          "For how long threads paused because of compactionBytesPerSecond.");
  public static final OfLong CLEANING_THRESHOLD_BYTES =
      gauge(
          "cleaningThresholdBytes",
          null,
          "What a compaction may write before it deletes inputs; 0 without early cleaning.");
  public static final OfLong CURRENT_CLEANING_THRESHOLD_BYTES =
      gauge(
          "currentCleaningThresholdBytes",
          "compaction.threshold",
          "The same at this moment: lower when the disk is nearly full.");
  public static final OfDouble COMPACTION_DEBT =
      new OfDouble(
          "compactionDebt",
          "backlog.compactions",
          "How far compactions are behind, at most; above 0 writers are slowed, to 2 MB/s at 1.",
          null);
  public static final OfLong FULL_WRITE_BUFFERS =
      gauge(
          "fullWriteBuffers",
          "backlog.write.buffers",
          "Write buffers that wait for their flush, or are being flushed.");

  public static final OfLong SEARCHED_SSTS =
      counter("searchedSsts", "search.ssts", "SSTs searched for single keys.");
  public static final OfLong HAND_OFFS =
      counter("handOffs", "search.handoffs", "Searches, or parts, handed to a search thread.");
  public static final OfLong ANNOUNCED_READS =
      counter(
          "announcedReads",
          "search.announced",
          "Reads of blocks announced to the system, by the module sifr-native-reads.");
  public static final OfLong USELESS_READS =
      counter(
          "uselessReads",
          "search.useless",
          "SSTs searched with I/O whose answer was not needed: the cost of searching ahead.");
  public static final OfLong FILE_READS =
      counter(
          "fileReads",
          "file.reads",
          "Reads of SSTs and value files by position, also by compactions; not through mappings.");
  public static final OfLong FILE_READ_BYTES =
      counter("fileReadBytes", "file.read", "Bytes of these reads.");
  public static final Metric<LatencySummary> GET_MICROS =
      new Metric<>(LATENCY, "getMicros", "get.latency", "Latency of get.", null);
  public static final OfLong FILTER_REJECTS =
      counter(
          "filterRejects",
          "filter.answers{answer=no}",
          "How often a filter spared a search of its SST; about.");
  public static final OfLong FILTER_FALSE_POSITIVES =
      counter(
          "filterFalsePositives",
          "filter.answers{answer=false_positive}",
          "How often one did not, though its SST had no such key; about.");

  public static final OfLong REREADS =
      counter(
          "rereads",
          "cache.rereads",
          "Parts of indexes and filters read again because memory to keep them is short.");

  public static final OfLong WRITE_BUFFER_BYTES =
      gauge("writeBufferBytes", "memory{part=write_buffers}", "Memory of write buffers.");
  public static final OfLong BLOCK_CACHE_BYTES =
      gauge("blockCacheBytes", null, "Memory of the block cache, indexes and filters included.");
  public static final OfLong INDEX_BYTES =
      gauge("indexBytes", "memory{part=indexes}", "Memory of indexes in the block cache.");
  public static final OfLong FILTER_BYTES =
      gauge("filterBytes", "memory{part=filters}", "Memory of filters in the block cache.");
  public static final OfLong DATA_BLOCK_BYTES =
      new OfLong(
          GAUGE,
          "dataBlockBytes",
          "memory{part=blocks}",
          "Memory of data blocks in the block cache.",
          s -> s.get(BLOCK_CACHE_BYTES) - s.get(INDEX_BYTES) - s.get(FILTER_BYTES));
  public static final OfLong READ_AHEAD_BYTES =
      gauge(
          "readAheadBytes",
          "memory{part=read_ahead}",
          "Memory of what cursors and compactions have read ahead.");
  public static final OfLong RANGE_TOMBSTONE_BYTES =
      gauge(
          "rangeTombstoneBytes",
          "memory.range.tombstones",
          "Memory of range tombstones, in write buffers and of SSTs that were read.");
  public static final OfLong BUDGET_BYTES =
      gauge(
          "budgetBytes", "memory.budget", "Memory that all stores of the same resources may take.");
  public static final OfLong BUDGET_USED_BYTES =
      gauge(
          "budgetUsedBytes",
          "memory.budget.used",
          "Memory that these stores take of it, idle memory included.");
  public static final OfLong IDLE_BYTES =
      gauge(
          "idleBytes", "memory.idle", "Memory that the process holds for blocks without using it.");

  public static final OfLong DISK_BYTES = gauge("diskBytes", "disk", "All files of the store.");
  public static final OfLong OTHER_KEY_BYTES =
      gauge(
          "otherKeyBytes",
          "disk.other.key",
          "Files that are encrypted with another key than new ones; 0: only the current is needed.");
  public static final OfLong LIVE_BYTES =
      gauge("liveBytes", "disk.ssts", "SSTs that are part of a forest.");
  public static final OfLong RAW_BYTES =
      gauge(
          "rawBytes",
          "disk.raw",
          "Keys and values in them before compression, obsolete versions included.");
  public static final OfLong ESTIMATED_DATA_BYTES =
      gauge(
          "estimatedDataBytes",
          "disk.data",
          "What would be left of liveBytes without what is overwritten and deleted, by samples.");
  public static final OfDouble SPACE_AMPLIFICATION =
      new OfDouble(
          "spaceAmplification",
          "space.amplification",
          "SST bytes per byte of data, as maxSpaceAmplification bounds it; 1 without any.",
          Metric::spaceAmplification);

  public static final OfLong FAST_SST_BYTES =
      gauge("fastSstBytes", "disk.ssts.fast", "Part of liveBytes in the fast directory.");
  public static final OfLong COLD_SST_BYTES =
      gauge("coldSstBytes", "disk.ssts.cold", "Part of liveBytes in the cold directory.");

  public static final OfLong VALUE_FILES =
      gauge("valueFiles", "value.files", "Value files to which SSTs refer.");
  public static final OfLong VALUE_FILE_BYTES =
      gauge("valueFileBytes", "disk.values", "Values in these, needed or not.");
  public static final OfLong VALUE_GARBAGE_BYTES =
      gauge(
          "valueGarbageBytes",
          "disk.values.garbage",
          "Those of them that are overwritten or deleted, in part by samples.");

  public static final OfLong DATABASES = gauge("databases", "databases", "Databases of the store.");
  public static final OfLong STAGES = gauge("stages", "stages", "Stages of the deepest forest.");
  public static final OfLong TREES = gauge("trees", "trees", "Trees of all forests.");
  public static final OfLong SSTS = gauge("ssts", "ssts", "SSTs of all forests.");
  public static final OfLong RANGE_TOMBSTONES =
      gauge(
          "rangeTombstones",
          "range.tombstones",
          "Range tombstones of write buffers and SSTs; of one in several, each part.");
  public static final OfLong UNUSABLE_SSTS =
      gauge(
          "unusableSsts",
          "ssts.unusable",
          "SSTs that could not be opened or are damaged: their data cannot be read, or not all.");
  public static final OfLong UNCHECKED_SSTS =
      gauge(
          "uncheckedSsts",
          "ssts.unchecked",
          "SSTs whose indexes and filters are still to be checked since the store was opened.");

  public static final OfLong RETAINED_LOG_BYTES =
      gauge(
          "retainedLogBytes",
          "disk.retained.log",
          "Log segments that are kept for readers of changes only.");
  public static final OfLong RETAINED_LOG_SEGMENTS =
      gauge("retainedLogSegments", null, "Number of these.");
  public static final OfLong OLDEST_SEQUENCE =
      gauge(
          "oldestSequence",
          null,
          "The first sequence number from which on all changes are kept; 0: log is not retained.");
  public static final OfLong LAST_SEQUENCE =
      gauge("lastSequence", null, "The last sequence number of the store.");

  private final int index = ALL.size();
  private final Kind kind;
  private final String name;
  private final @Nullable String meter;
  private final String meaning;
  private final @Nullable Function<Values, T> formula;

  private Metric(
      Kind kind,
      String name,
      @Nullable String meter,
      String meaning,
      @Nullable Function<Values, T> formula) {
    this.kind = kind;
    this.name = name;
    this.meter = meter;
    this.meaning = meaning;
    this.formula = formula;
    ALL.add(this);
  }

  private static OfLong total(String name, String meter, String meaning) {
    return new OfLong(TOTAL, name, meter, meaning, null);
  }

  private static OfLong counter(String name, String meter, String meaning) {
    OfLong counter = new OfLong(COUNTER, name, meter, meaning, null);
    COUNTERS.add(counter);
    return counter;
  }

  private static OfLong gauge(String name, @Nullable String meter, String meaning) {
    return new OfLong(GAUGE, name, meter, meaning, null);
  }

  private static double perUserByte(Values s, long moreBytes) {
    long written = s.get(FLUSH_BYTES) + s.get(COMPACTION_BYTES) + moreBytes;
    long user = s.get(USER_BYTES);
    return user == 0 ? 0 : (double) written / user;
  }

  private static double spaceAmplification(Values s) {
    long live = s.get(LIVE_BYTES);
    return live == 0 ? 1 : (double) live / Math.max(1, s.get(ESTIMATED_DATA_BYTES));
  }

  /** All metrics, in the order of the table. */
  public static List<Metric<?>> all() {
    return Collections.unmodifiableList(ALL);
  }

  /** The single numbers among them that count from 0 when a store is opened. */
  public static List<OfLong> counters() {
    return Collections.unmodifiableList(COUNTERS);
  }

  /** Its index in {@link #all}. */
  public int index() {
    return index;
  }

  /** Its name: of a JMX attribute with its first letter in upper case, of a field in JSON. */
  public String name() {
    return name;
  }

  /** Its kind. */
  public Kind kind() {
    return kind;
  }

  /** "bytes", "milliseconds", "microseconds"; empty for a count or a ratio. */
  public String unit() {
    return name.endsWith("Bytes")
        ? "bytes"
        : name.endsWith("Millis") ? "milliseconds" : name.endsWith("Micros") ? "microseconds" : "";
  }

  /** Its meaning, in one sentence. */
  public String meaning() {
    return meaning;
  }

  /**
   * Its name in systems of metrics, where parts of one whole are one meter, with a tag: {@code
   * sifr.store.disk}, {@code sifr.store.memory{part=filters}}. Null if none shows it, because other
   * meters add up to it or it is an option.
   */
  public @Nullable String meter() {
    return meter == null ? null : "sifr.store." + meter;
  }

  /**
   * Its value as plain numbers. The name of a number is that of the metric; of latencies and counts
   * by reason there are several, with the part after that: {@code putMicrosP99}, {@code
   * compactionsStageFull}.
   */
  public Map<String, Number> numbers(Values statistics) {
    Map<String, Number> numbers = new LinkedHashMap<>();
    T value = statistics.get(this);
    if (value instanceof LatencySummary latencies) {
      numbers.put(name + "Samples", latencies.samples());
      numbers.put(name + "Mean", latencies.meanMicros());
      numbers.put(name + "P50", latencies.p50Micros());
      numbers.put(name + "P99", latencies.p99Micros());
      numbers.put(name + "P999", latencies.p999Micros());
      numbers.put(name + "Max", latencies.maxMicros());
    } else if (value instanceof Map<?, ?> counts) {
      counts.forEach((part, count) -> numbers.put(name + camelCase(part), (Number) count));
    } else {
      numbers.put(name, (Number) value);
    }
    return numbers;
  }

  private static String camelCase(Object constant) {
    return CaseFormat.UPPER_UNDERSCORE.to(CaseFormat.UPPER_CAMEL, constant.toString());
  }

  @Override
  public String toString() {
    return name;
  }

  /** How it follows from other metrics; null if it does not. */
  @Nullable Function<Values, T> formula() {
    return formula;
  }
}
