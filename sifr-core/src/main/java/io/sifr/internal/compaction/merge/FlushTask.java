package io.sifr.internal.compaction.merge;

import io.sifr.internal.codec.Codecs;
import io.sifr.internal.compaction.cut.Cuts;
import io.sifr.internal.compaction.cut.Cuts.FlushCutter;
import io.sifr.internal.compaction.cut.SstSizes;
import io.sifr.internal.compaction.merge.OutputWriter.OutputCrashPoint;
import io.sifr.internal.compaction.merge.TaskEnvironment.YieldPoints;
import io.sifr.internal.entry.ExpiringKind;
import io.sifr.internal.entry.JoinedVersions;
import io.sifr.internal.entry.SeparatedKind.Reference;
import io.sifr.internal.entry.VersionFilter;
import io.sifr.internal.entry.range.DeadSpans;
import io.sifr.internal.entry.range.RangeTombstones;
import io.sifr.internal.forest.KeySpan;
import io.sifr.internal.forest.LogicalTree;
import io.sifr.internal.memtable.Memtable;
import io.sifr.internal.memtable.MemtableScan;
import io.sifr.internal.sst.read.Sst;
import io.sifr.internal.util.Bytes;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Writes a full memtable as the SSTs of one tree (TPDS §4.1), cut where {@link FlushCutter} finds
 * gaps in the key space, without versions that no reader can see.
 *
 * <p>If its range tombstones cover much more than its keys, what they cover before the first key
 * and after the last one is in SSTs of its own: else ascending keys after a range delete of
 * everything would be in SSTs that overlap all later ones.
 */
public final class FlushTask {
  private static final int SAMPLED_SSTS = 64;
  private static final double LEAST_EXPECTED_SHARE = 1 / 16.0;

  private final TaskEnvironment environment;
  private final Memtable memtable;
  private final DeadSpans dead;
  private final long[] snapshots;
  private final List<LogicalTree> older;

  /**
   * @param environment what the task needs of the store
   * @param memtable the entries; no longer written to
   * @param dead what cursors had found to be deleted before anything newer was written
   * @param snapshots sequence numbers that must stay readable, ascending
   * @param older all trees, which are older than the memtable, newest first
   */
  public FlushTask(
      TaskEnvironment environment,
      Memtable memtable,
      DeadSpans dead,
      long[] snapshots,
      List<LogicalTree> older) {
    this.environment = environment;
    this.memtable = memtable;
    this.dead = dead;
    this.snapshots = snapshots;
    this.older = older;
  }

  /**
   * Writes the SSTs. When it returns their content is durable, their names are not; they are open,
   * and ascending. There may be none, if no entry has to be kept.
   */
  public List<Sst> run() {
    List<Sst> written = new ArrayList<>();
    try (MemtableScan entries = memtable.scan()) {
      write(entries, cuts(entries), written);
      if (!written.isEmpty()) {
        environment.files().fileSystem().reached(OutputCrashPoint.FLUSH_SSTS_SYNCED);
      }
      return written;
    } catch (RuntimeException | Error e) {
      written.forEach(environment::discard);
      throw e;
    }
  }

  private void write(MemtableScan entries, int[] cuts, List<Sst> written) {
    YieldPoints yieldPoints = new YieldPoints(environment.progress().yieldPoint());
    try (OutputWriter output = new OutputWriter(environment);
        SeparatedValues values =
            new SeparatedValues(environment, Set.of(), output::add, bytes -> {})) {
      RangeTombstones ranges = rangeTombstones();
      output.beginRanges(Survivors.ranges(ranges, snapshots, older));
      VersionFilter filter = environment.filter(snapshots, older, ranges);
      JoinedVersions joined = environment.joined(snapshots, older, values::add);
      int keys = 0;
      int nextCut = 0;
      Ends exceeded = ranges == null ? null : Ends.exceeded(entries, ranges);
      byte[] before = exceeded == null ? null : KeySpan.before(exceeded.first());
      if (before != null) {
        addTo(written, output.cutAfter(before));
      }
      for (boolean more = entries.seekToFirst(); more; more = entries.next()) {
        long trailer = ExpiringKind.trailerAt(entries, environment.entries().now());
        boolean keep =
            filter.keep(entries.keyArray(), entries.keyOffset(), entries.keyLength(), trailer);
        if (filter.isFirstOfKey()) {
          joined.endKey();
          if (nextCut < cuts.length && keys == cuts[nextCut]) {
            addTo(written, output.cutAfter(filter.keyBefore()));
            nextCut++;
          }
          keys++;
        }
        if (keep) {
          joined.add(entries, trailer);
        }
        yieldPoints.entry(entries.keyLength() + entries.valueLength());
      }
      joined.endKey();
      if (exceeded != null) {
        addTo(written, output.cutAfter(exceeded.last()));
      }
      addTo(written, output.cut());
      values.finish();
    }
  }

  /**
   * Those of the memtable, and what cursors have found to be deleted key by key: then all of it is
   * dropped at once, here and below, and cursors pass over it after a restart, too.
   *
   * <p>A snapshot that is older than such a key range could take it for a change of the keys in it.
   */
  private @Nullable RangeTombstones rangeTombstones() {
    long below = older.stream().mapToLong(LogicalTree::maxSequence).max().orElse(0);
    RangeTombstones found = dead.asTombstones(below, memtable.maxSequence());
    boolean isSeen = found != null && snapshots.length > 0 && snapshots[0] < found.newest();
    List<RangeTombstones> all = new ArrayList<>();
    addTo(all, memtable.rangeTombstones());
    addTo(all, isSeen ? null : found);
    return RangeTombstones.merged(all);
  }

  private static <T> void addTo(List<T> all, @Nullable T one) {
    if (one != null) {
      all.add(one);
    }
  }

  /**
   * Where to cut. The memtable's keys do not move in its arena, so the previous one can be compared
   * without a copy.
   */
  private int[] cuts(MemtableScan entries) {
    FlushCutter cutter = Cuts.ofFlush(entries.size());
    byte[] key = Bytes.EMPTY;
    int keyOffset = 0;
    int keyLength = -1;
    long keyBytes = 0;
    for (boolean more = entries.seekToFirst(); more; more = entries.next()) {
      if (keyLength < 0
          || Bytes.compare(
                  key,
                  keyOffset,
                  keyLength,
                  entries.keyArray(),
                  entries.keyOffset(),
                  entries.keyLength())
              != 0) {
        if (keyLength >= 0) {
          cutter.add(key, keyOffset, keyLength, keyBytes);
        }
        key = entries.keyArray();
        keyOffset = entries.keyOffset();
        keyLength = entries.keyLength();
        keyBytes = 0;
      }
      boolean separates = environment.output().separates(entries.trailer(), entries.valueLength());
      keyBytes += entries.keyLength() + (separates ? Reference.BYTES : entries.valueLength());
    }
    if (keyLength >= 0) {
      cutter.add(key, keyOffset, keyLength, keyBytes);
    }
    SstSizes sizes = environment.output().sizes();
    boolean isPlain = environment.output().codec() == Codecs.NONE;
    return cutter.finish(isPlain ? sizes : sizes.inRawBytes(expectedShare()));
  }

  /** Bytes of SSTs per byte of keys and values, as in the newest tree: most likely of the like. */
  private double expectedShare() {
    long stored = 0;
    long raw = 0;
    if (!older.isEmpty()) {
      List<Sst> newest = older.get(0).ssts();
      for (Sst sst : newest.subList(0, Math.min(newest.size(), SAMPLED_SSTS))) {
        stored += sst.meta().fileBytes();
        raw += sst.meta().rawBytes();
      }
    }
    return raw == 0 ? 1 : Math.min(1, Math.max((double) stored / raw, LEAST_EXPECTED_SHARE));
  }

  /** The first and the last key of a memtable. */
  @SuppressWarnings("ArrayRecordComponent") // never compared as a record
  private record Ends(byte[] first, byte[] last) {
    /** Those keys if range tombstones cover more than twice as much; else, or without any, null. */
    static @Nullable Ends exceeded(MemtableScan entries, RangeTombstones ranges) {
      if (!entries.seekToFirst()) {
        return null;
      }
      byte[] first = key(entries);
      entries.seekToLast();
      byte[] last = key(entries);
      byte[] from = ranges.first();
      byte[] end = ranges.end();
      if (end == null) {
        return new Ends(first, last);
      }
      byte[] low = Arrays.compareUnsigned(from, first) < 0 ? from : first;
      byte[] high = Arrays.compareUnsigned(end, last) > 0 ? end : last;
      int shared = Bytes.commonPrefix(low, 0, low.length, high, 0, high.length);
      double covered = number(end, shared) - number(from, shared);
      double held = number(last, shared) - number(first, shared);
      return covered > 2 * held ? new Ends(first, last) : null;
    }

    private static byte[] key(MemtableScan entries) {
      int from = entries.keyOffset();
      return Arrays.copyOfRange(entries.keyArray(), from, from + entries.keyLength());
    }

    /** The first bytes of a key after some, as a number. */
    private static double number(byte[] key, int from) {
      return Bytes.prefix(key, from, key.length - from) >>> 1;
    }
  }
}
