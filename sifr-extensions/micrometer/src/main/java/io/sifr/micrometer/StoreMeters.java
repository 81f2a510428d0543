package io.sifr.micrometer;

import io.sifr.event.CompactionReason;
import io.sifr.event.StoreStatistics.Memory;
import java.util.Locale;

/** Which figures of a store's statistics are shown, and under which names. */
final class StoreMeters {
  private StoreMeters() {}

  static void register(Meters meters) {
    writes(meters);
    merges(meters);
    reads(meters);
    memory(meters);
    contents(meters);
  }

  private static void writes(Meters meters) {
    meters.calls("put", s -> s.writes().latencies());
    meters.byteCounter(
        "sifr.store.user.written",
        "Keys and values passed to puts and deletes",
        s -> s.writes().userBytes());
    meters.byteCounter(
        "sifr.store.log.written", "Bytes appended to the log", s -> s.writes().logBytes());
    meters.byteCounter(
        "sifr.store.flush.written", "SSTs written by flushes", s -> s.writes().flushBytes());
    meters.counter(
        "sifr.store.flushes", "Write buffers that were flushed", s -> s.writes().flushes());
    meters.counter("sifr.store.stalls", "How often writers were delayed", s -> s.writes().stalls());
    meters.timeCounter(
        "sifr.store.stall.time",
        "For how long writers were delayed",
        s -> s.writes().stallMillis());
    meters.counter(
        "sifr.store.writes.refused",
        "Writes that would have been delayed for longer than maxStall",
        s -> s.writes().refused());
    meters.gauge(
        "sifr.store.write.amplification",
        "SST bytes written per user byte",
        s -> s.writeAmplification());
    meters.gauge(
        "sifr.store.backlog.write.buffers",
        "Write buffers that wait for their flush",
        s -> s.backlog().fullWriteBuffers());
    meters.gauge(
        "sifr.store.backlog.merges",
        "How far merges are behind; above 0 writers are slowed",
        s -> s.backlog().mergeDebt());
  }

  private static void merges(Meters meters) {
    for (CompactionReason reason : CompactionReason.values()) {
      meters.counter(
          "sifr.store.merges",
          "Merges that have ended",
          s -> s.compactions().ended().getOrDefault(reason, 0L),
          "reason",
          tag(reason));
    }
    meters.gauge("sifr.store.merges.running", "Merges that run", s -> s.compactions().running());
    meters.byteCounter(
        "sifr.store.merge.written", "SSTs written by merges", s -> s.compactions().writtenBytes());
    meters.byteCounter(
        "sifr.store.merge.moved",
        "SSTs that changed stage without being rewritten",
        s -> s.compactions().movedBytes());
    meters.timeCounter(
        "sifr.store.merge.stepback.time",
        "For how long threads paused because merges made reads slow",
        s -> s.compactions().stepBackMillis());
    meters.timeCounter(
        "sifr.store.merge.limit.time",
        "For how long threads paused because of mergeBytesPerSecond",
        s -> s.compactions().rateLimitMillis());
    meters.byteGauge(
        "sifr.store.merge.threshold",
        "SSTs that a merge may write before it deletes inputs",
        s -> s.compactions().currentCleaningThresholdBytes());
  }

  static String tag(CompactionReason reason) {
    return reason.name().toLowerCase(Locale.ROOT);
  }

  private static void reads(Meters meters) {
    meters.calls("get", s -> s.reads().latencies());
    meters.counter(
        "sifr.store.search.ssts", "SSTs searched for single keys", s -> s.reads().candidates());
    meters.counter(
        "sifr.store.search.handoffs",
        "Searches handed to a search thread",
        s -> s.reads().handOffs());
    meters.counter(
        "sifr.store.search.useless",
        "Searches of SSTs with I/O whose answer was not needed",
        s -> s.reads().uselessReads());
    meters.counter(
        "sifr.store.file.reads",
        "Reads of SSTs by position, each a miss of the block cache",
        s -> s.reads().fileReads());
    meters.byteCounter(
        "sifr.store.file.read", "Bytes of SSTs read by position", s -> s.reads().fileBytes());
    meters.counter(
        "sifr.store.filter.answers",
        "Answers of filters that spared a search, and that did not though there was nothing",
        s -> s.filters().rejects(),
        "answer",
        "no");
    meters.counter(
        "sifr.store.filter.answers",
        "Answers of filters that spared a search, and that did not though there was nothing",
        s -> s.filters().falsePositives(),
        "answer",
        "false_positive");
  }

  private static void memory(Meters meters) {
    part(meters, "write_buffers", s -> s.writeBufferBytes());
    part(meters, "blocks", s -> s.blockCacheBytes() - s.indexBytes() - s.filterBytes());
    part(meters, "indexes", s -> s.indexBytes());
    part(meters, "filters", s -> s.filterBytes());
    part(meters, "read_ahead", s -> s.readAheadBytes());
    meters.byteGauge(
        "sifr.store.memory.range.tombstones",
        "Memory of range tombstones, in write buffers and of SSTs",
        s -> s.memory().rangeTombstoneBytes());
    meters.byteGauge(
        "sifr.store.memory.budget",
        "Memory that all stores of the same resources may take",
        s -> s.memory().budgetBytes());
    meters.byteGauge(
        "sifr.store.memory.budget.used",
        "Memory that these stores take of it",
        s -> s.memory().budgetUsedBytes());
    meters.byteGauge(
        "sifr.store.memory.idle",
        "Memory held for blocks without being used",
        s -> s.memory().idleBytes());
  }

  /** A figure of memory. */
  private interface Bytes {
    long of(Memory memory);
  }

  private static void part(Meters meters, String part, Bytes bytes) {
    meters.byteGauge(
        "sifr.store.memory", "Memory of the store", s -> bytes.of(s.memory()), "part", part);
  }

  private static void contents(Meters meters) {
    meters.byteGauge("sifr.store.disk", "All files of the store", s -> s.space().diskBytes());
    meters.byteGauge(
        "sifr.store.disk.retained.log",
        "Log that is kept for readers of changes only",
        s -> s.retainedLog().bytes());
    meters.byteGauge("sifr.store.disk.ssts", "SSTs that hold data", s -> s.space().liveBytes());
    meters.byteGauge(
        "sifr.store.disk.raw",
        "Keys and values in SSTs before they were compressed",
        s -> s.space().rawBytes());
    meters.byteGauge(
        "sifr.store.disk.data",
        "SSTs that would be left without what is overwritten and deleted, estimated",
        s -> s.space().estimatedDataBytes());
    meters.gauge(
        "sifr.store.space.amplification",
        "SST bytes per byte of data, estimated",
        s -> s.space().amplification());
    meters.gauge("sifr.store.databases", "Databases", s -> s.contents().databases());
    meters.gauge("sifr.store.stages", "Stages of the deepest forest", s -> s.contents().stages());
    meters.gauge("sifr.store.trees", "Trees of all forests", s -> s.contents().trees());
    meters.gauge("sifr.store.ssts", "SSTs of all forests", s -> s.contents().ssts());
    meters.gauge(
        "sifr.store.ssts.unusable",
        "SSTs that could not be opened or are damaged",
        s -> s.contents().unusableSsts());
    meters.gauge(
        "sifr.store.ssts.unchecked",
        "SSTs that are still to be checked since the store was opened",
        s -> s.contents().uncheckedSsts());
    meters.gauge(
        "sifr.store.range.tombstones",
        "Range tombstones of write buffers and SSTs",
        s -> s.contents().rangeTombstones());
  }
}
