package io.sifr.internal.manifest;

import io.sifr.error.CorruptionException;
import io.sifr.error.UnsupportedFormatException;
import io.sifr.internal.entry.EntryLimits;
import io.sifr.internal.entry.ExpiringKind;
import io.sifr.internal.forest.Compaction;
import io.sifr.internal.forest.ForestEdit;
import io.sifr.internal.forest.ForestEdit.Totals;
import io.sifr.internal.forest.KeySpan;
import io.sifr.internal.forest.LogHistory;
import io.sifr.internal.forest.Retention;
import io.sifr.internal.manifest.EditWriter.EditNumbers;
import io.sifr.internal.sst.format.KeySketch;
import io.sifr.internal.sst.format.SstMeta;
import io.sifr.internal.sst.read.Sst;
import io.sifr.internal.sst.read.SstSlice;
import java.nio.BufferUnderflowException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * Encodes groups of edits: their count, then for each edit its tag, the length of its body and the
 * body. The byte tables are in {@code src-docs/format/manifest.md}.
 */
final class EditCodec {
  /**
   * Longest group. Twelve million SSTs in one tree, which is 24 TiB, reach it. It is half of what
   * an array can hold, so that a frame fits around it.
   */
  static final int MAX_BYTES = 1 << 30;

  private static final int DATABASE_CREATED = 1;
  private static final int DATABASE_DROPPED = 2;
  private static final int TREE_ADDED = 3;
  private static final int FLUSHED_TO = 4;
  private static final int TREES_MOVED = 5;
  private static final int COMPACTION_BEGUN = 6;
  private static final int COMPACTION_PROGRESSED = 7;
  private static final int COMPACTION_ENDED = 8;
  private static final int NUMBERS_RESERVED = 9;
  private static final int DATABASE_IDS_USED = 10;
  private static final int SEQUENCES_RESERVED = 11;
  private static final int LOG_START = 12;
  private static final int LOG_CLOSED = 13;
  private static final int TOTALS_REACHED = 14;
  private static final int DATABASE_OPTIONS_SET = 15;
  private static final int LOG_RETAINED = 16;
  private static final int SEGMENT_RETAINED = 17;
  private static final int SEGMENTS_GIVEN_BACK = 18;
  private static final int EVENT_RECORDED = 19;

  /** By their numbers in the manifest. */
  private static final List<Compaction.Shape> SHAPES =
      List.of(
          Compaction.Shape.MOVES,
          Compaction.Shape.REWRITES,
          Compaction.Shape.DROPS,
          Compaction.Shape.WHOLE);

  private static final int HAS_LOWER_BOUND = 1;
  private static final int HAS_UPPER_BOUND = 2;

  /** Added to the level of a key sketch if the time follows at which the values expire. */
  private static final int EXPIRES = 64;

  /** Tag and length of an empty body. */
  private static final int MIN_EDIT_BYTES = 2;

  /** An SST with one-byte numbers and two empty keys. */
  private static final int MIN_SST_BYTES = 21;

  /** Bytes and entries of one SST are below this, so that sums over a tree do not overflow. */
  private static final long MAX_SST_SIZE = 1L << 40;

  private EditCodec() {}

  /**
   * Encodes a group.
   *
   * @throws IllegalArgumentException when the group is empty, longer than {@link #MAX_BYTES}, or
   *     holds a value that {@link #decode} would reject
   */
  static byte[] encode(List<ForestEdit> group) {
    if (group.isEmpty()) {
      throw new IllegalArgumentException("a group has at least one edit");
    }
    EditWriter out = new EditWriter(MAX_BYTES);
    EditWriter body = new EditWriter(MAX_BYTES);
    out.unsigned(group.size());
    for (ForestEdit edit : group) {
      body.clear();
      out.tag(encodeBody(edit, body));
      out.nested(body);
    }
    return out.toByteArray();
  }

  private static int encodeBody(ForestEdit edit, EditWriter out) {
    if (edit instanceof ForestEdit.DatabaseCreated created) {
      out.unsigned(EditNumbers.databaseId(created.databaseId()));
      out.text(created.name());
      return DATABASE_CREATED;
    } else if (edit instanceof ForestEdit.DatabaseOptionsSet set) {
      out.unsigned(EditNumbers.databaseId(set.databaseId()));
      OptionsCodec.encode(set.options(), out);
      return DATABASE_OPTIONS_SET;
    } else if (edit instanceof ForestEdit.DatabaseDropped dropped) {
      out.unsigned(EditNumbers.databaseId(dropped.databaseId()));
      return DATABASE_DROPPED;
    } else if (edit instanceof ForestEdit.TreeAdded added) {
      out.unsigned(EditNumbers.databaseId(added.databaseId()));
      out.unsigned(added.stage());
      out.unsigned(EditNumbers.number(added.treeId()));
      encodeSlices(added, out);
      return TREE_ADDED;
    } else if (edit instanceof ForestEdit.FlushedTo flushed) {
      out.unsigned(EditNumbers.databaseId(flushed.databaseId()));
      out.unsigned(EditNumbers.sequence(flushed.sequence()));
      return FLUSHED_TO;
    } else if (edit instanceof ForestEdit.TreesMoved moved) {
      out.unsigned(EditNumbers.databaseId(moved.databaseId()));
      out.unsigned(moved.stage());
      encodeNumbers(moved.treeIds(), out);
      return TREES_MOVED;
    } else if (edit instanceof ForestEdit.CompactionBegun begun) {
      encodeBegun(begun, out);
      return COMPACTION_BEGUN;
    } else if (edit instanceof ForestEdit.CompactionProgressed progress) {
      encodeProgress(progress, out);
      return COMPACTION_PROGRESSED;
    } else if (edit instanceof ForestEdit.CompactionEnded ended) {
      out.unsigned(EditNumbers.databaseId(ended.databaseId()));
      out.unsigned(EditNumbers.number(ended.number()));
      return COMPACTION_ENDED;
    } else if (edit instanceof ForestEdit.NumbersReserved reserved) {
      out.unsigned(EditNumbers.nextNumber(reserved.next()));
      return NUMBERS_RESERVED;
    } else if (edit instanceof ForestEdit.DatabaseIdsUsed used) {
      out.unsigned(EditNumbers.databaseId(used.next()));
      return DATABASE_IDS_USED;
    } else if (edit instanceof ForestEdit.SequencesReserved reserved) {
      out.unsigned(EditNumbers.nextSequence(reserved.next()));
      return SEQUENCES_RESERVED;
    } else if (edit instanceof ForestEdit.LogStart start) {
      out.unsigned(EditNumbers.number(start.firstSegment()));
      return LOG_START;
    } else if (edit instanceof ForestEdit.LogClosed closed) {
      out.unsigned(EditNumbers.number(closed.lastSegment()));
      out.unsigned(closed.end());
      return LOG_CLOSED;
    } else if (edit instanceof ForestEdit.TotalsReached reached) {
      encodeTotals(reached.totals(), out);
      return TOTALS_REACHED;
    } else if (edit instanceof ForestEdit.LogRetained retained) {
      out.unsigned(retained.retention().bytes());
      out.unsigned(retained.retention().seconds());
      out.unsigned(EditNumbers.nextSequence(retained.firstSequence()));
      return LOG_RETAINED;
    } else if (edit instanceof ForestEdit.SegmentRetained retained) {
      encodeSegment(retained.segment(), out);
      return SEGMENT_RETAINED;
    } else if (edit instanceof ForestEdit.SegmentsGivenBack back) {
      out.unsigned(EditNumbers.number(back.firstSegment()));
      return SEGMENTS_GIVEN_BACK;
    } else if (edit instanceof ForestEdit.EventRecorded recorded) {
      EventCodec.encode(recorded.event(), out);
      return EVENT_RECORDED;
    }
    throw new IllegalArgumentException("unknown edit " + edit);
  }

  private static void encodeBegun(ForestEdit.CompactionBegun begun, EditWriter out) {
    Compaction compaction = begun.compaction();
    out.unsigned(EditNumbers.databaseId(begun.databaseId()));
    out.unsigned(EditNumbers.number(compaction.number()));
    encodeNumbers(compaction.inputTreeIds(), out);
    out.unsigned(EditNumbers.number(compaction.outputTreeId()));
    out.unsigned(begun.outputStage());
    out.unsigned(SHAPES.indexOf(compaction.shape()));
    encodeSpans(compaction.remaining(), out);
  }

  private static void encodeProgress(ForestEdit.CompactionProgressed progress, EditWriter out) {
    out.unsigned(EditNumbers.databaseId(progress.databaseId()));
    out.unsigned(EditNumbers.number(progress.number()));
    encodeSpan(progress.span(), out);
    encodeSsts(progress.written(), out);
    encodeNumbers(progress.movedSsts(), out);
  }

  private static void encodeSlices(ForestEdit.TreeAdded added, EditWriter out) {
    encodeSsts(added.ssts(), out);
    List<SstSlice> clipped = new ArrayList<>(added.slices());
    clipped.removeIf(Sst.class::isInstance);
    out.unsigned(clipped.size());
    for (SstSlice slice : clipped) {
      out.unsigned(EditNumbers.number(slice.sst().number()));
      encodeSpan(KeySpan.of(slice), out);
    }
  }

  private static void encodeSpans(List<KeySpan> spans, EditWriter out) {
    out.unsigned(spans.size());
    spans.forEach(span -> encodeSpan(span, out));
  }

  private static void encodeSpan(KeySpan span, EditWriter out) {
    byte[] above = span.above();
    byte[] last = span.last();
    out.unsigned((above == null ? 0 : HAS_LOWER_BOUND) | (last == null ? 0 : HAS_UPPER_BOUND));
    if (above != null) {
      out.key(above);
    }
    if (last != null) {
      out.key(last);
    }
  }

  private static void encodeNumbers(List<Long> numbers, EditWriter out) {
    out.unsigned(numbers.size());
    for (long number : numbers) {
      out.unsigned(EditNumbers.number(number));
    }
  }

  private static void encodeSsts(List<Sst> ssts, EditWriter out) {
    out.unsigned(ssts.size());
    for (Sst sst : ssts) {
      SstMeta meta = checked(sst.meta());
      out.unsigned(meta.number());
      out.fixedLong(meta.uniqueId());
      out.unsigned(meta.fileBytes());
      out.unsigned(meta.entries());
      out.unsigned(meta.tombstones());
      out.unsigned(meta.rangeTombstones());
      out.unsigned(meta.rawBytes());
      out.unsigned(meta.baseSequence());
      out.unsigned(meta.minSequence());
      out.unsigned(meta.maxSequence());
      out.key(meta.smallestKey());
      out.key(meta.largestKey());
      encodeSketch(meta, out);
    }
  }

  /** Differences of ascending numbers take fewer bytes than these. */
  private static void encodeSketch(SstMeta meta, EditWriter out) {
    KeySketch sketch = meta.sketch();
    if (meta.lastExpiry() == ExpiringKind.NEVER) {
      out.unsigned(sketch.level());
    } else {
      out.unsigned(sketch.level() + EXPIRES);
      out.unsigned(meta.lastExpiry());
    }
    out.unsigned(sketch.size());
    long before = 0;
    for (int i = 0; i < sketch.size(); i++) {
      out.unsigned(sketch.get(i) - before);
      before = sketch.get(i);
    }
  }

  private static void encodeSegment(LogHistory.Segment segment, EditWriter out) {
    out.unsigned(EditNumbers.number(segment.number()));
    out.unsigned(segment.bytes());
    out.unsigned(segment.end());
    out.unsigned(EditNumbers.nextSequence(segment.nextSequence()));
    out.unsigned(segment.time());
  }

  private static LogHistory.Segment decodeSegment(EditReader in) {
    return new LogHistory.Segment(
        EditNumbers.number(in.unsigned()),
        EditNumbers.atMost("the size of a segment", in.unsigned(), Integer.MAX_VALUE),
        in.unsignedInt(),
        EditNumbers.nextSequence(in.unsigned()),
        in.unsigned());
  }

  private static void encodeTotals(Totals totals, EditWriter out) {
    out.unsigned(totals.userBytes());
    out.unsigned(totals.walBytes());
    out.unsigned(totals.flushBytes());
    out.unsigned(totals.compactionBytes());
    out.unsigned(totals.movedBytes());
    out.unsigned(totals.stallMillis());
  }

  /**
   * Decodes the group between the buffer's position and its limit.
   *
   * @param file the file they come from, for messages
   * @param offset where they begin in it, for messages
   * @throws CorruptionException when the bytes are not a group
   * @throws UnsupportedFormatException when an edit has a tag this version does not know
   */
  static List<ForestEdit> decode(Path file, long offset, ByteBuffer bytes) {
    try {
      EditReader in = new EditReader(bytes);
      int count = in.count(MIN_EDIT_BYTES);
      if (count == 0) {
        throw new IllegalArgumentException("the group has no edits");
      }
      List<ForestEdit> group = new ArrayList<>(count);
      for (int i = 0; i < count; i++) {
        int tag = in.tag();
        EditReader body = in.nested();
        group.add(decodeBody(file, offset, tag, body));
        body.checkAtEnd();
      }
      in.checkAtEnd();
      return group;
    } catch (BufferUnderflowException e) {
      throw new CorruptionException(file, offset, "an edit ends too soon");
    } catch (IllegalArgumentException e) {
      throw new CorruptionException(file, offset, "in an edit, " + e.getMessage());
    }
  }

  /** Offsets of the edits in the bytes of a group that {@link #decode} has accepted. */
  static List<Integer> offsets(ByteBuffer bytes) {
    EditReader in = new EditReader(bytes);
    int count = in.count(MIN_EDIT_BYTES);
    List<Integer> offsets = new ArrayList<>(count);
    for (int i = 0; i < count; i++) {
      offsets.add(bytes.position());
      in.tag();
      in.nested();
    }
    return offsets;
  }

  private static ForestEdit decodeBody(Path file, long offset, int tag, EditReader in) {
    return switch (tag) {
      case DATABASE_CREATED ->
          new ForestEdit.DatabaseCreated(EditNumbers.databaseId(in.unsignedInt()), in.text());
      case DATABASE_DROPPED ->
          new ForestEdit.DatabaseDropped(EditNumbers.databaseId(in.unsignedInt()));
      case TREE_ADDED ->
          new ForestEdit.TreeAdded(
              EditNumbers.databaseId(in.unsignedInt()),
              in.unsignedInt(),
              EditNumbers.number(in.unsigned()),
              decodeSlices(in));
      case FLUSHED_TO ->
          new ForestEdit.FlushedTo(
              EditNumbers.databaseId(in.unsignedInt()), EditNumbers.sequence(in.unsigned()));
      case TREES_MOVED ->
          new ForestEdit.TreesMoved(
              EditNumbers.databaseId(in.unsignedInt()), in.unsignedInt(), decodeNumbers(in));
      case COMPACTION_BEGUN -> decodeBegun(in);
      case COMPACTION_PROGRESSED ->
          new ForestEdit.CompactionProgressed(
              EditNumbers.databaseId(in.unsignedInt()),
              EditNumbers.number(in.unsigned()),
              decodeSpan(in),
              decodeSsts(in),
              decodeNumbers(in));
      case COMPACTION_ENDED ->
          new ForestEdit.CompactionEnded(
              EditNumbers.databaseId(in.unsignedInt()), EditNumbers.number(in.unsigned()));
      case NUMBERS_RESERVED ->
          new ForestEdit.NumbersReserved(EditNumbers.nextNumber(in.unsigned()));
      case DATABASE_IDS_USED ->
          new ForestEdit.DatabaseIdsUsed(EditNumbers.databaseId(in.unsignedInt()));
      case SEQUENCES_RESERVED ->
          new ForestEdit.SequencesReserved(EditNumbers.nextSequence(in.unsigned()));
      case LOG_START -> new ForestEdit.LogStart(EditNumbers.number(in.unsigned()));
      case LOG_CLOSED ->
          new ForestEdit.LogClosed(EditNumbers.number(in.unsigned()), in.unsignedInt());
      case TOTALS_REACHED -> new ForestEdit.TotalsReached(decodeTotals(in));
      case DATABASE_OPTIONS_SET ->
          new ForestEdit.DatabaseOptionsSet(
              EditNumbers.databaseId(in.unsignedInt()), OptionsCodec.decode(file, offset, in));
      case LOG_RETAINED ->
          new ForestEdit.LogRetained(
              new Retention(in.unsigned(), in.unsigned()), EditNumbers.nextSequence(in.unsigned()));
      case SEGMENT_RETAINED -> new ForestEdit.SegmentRetained(decodeSegment(in));
      case SEGMENTS_GIVEN_BACK ->
          new ForestEdit.SegmentsGivenBack(EditNumbers.number(in.unsigned()));
      case EVENT_RECORDED -> new ForestEdit.EventRecorded(EventCodec.decode(file, offset, in));
      default ->
          throw new UnsupportedFormatException(
              file,
              "edit of kind "
                  + tag
                  + " at offset "
                  + offset
                  + "; supported: 1 to "
                  + EVENT_RECORDED);
    };
  }

  private static ForestEdit decodeBegun(EditReader in) {
    int databaseId = EditNumbers.databaseId(in.unsignedInt());
    long number = EditNumbers.number(in.unsigned());
    List<Long> inputs = decodeNumbers(in);
    long output = EditNumbers.number(in.unsigned());
    int stage = in.unsignedInt();
    Compaction.Shape shape =
        SHAPES.get((int) EditNumbers.atMost("a shape", in.unsigned(), SHAPES.size() - 1));
    return new ForestEdit.CompactionBegun(
        databaseId, new Compaction(number, inputs, output, shape, decodeSpans(in)), stage);
  }

  private static List<SstSlice> decodeSlices(EditReader in) {
    Map<Long, Sst> ssts = new LinkedHashMap<>();
    for (Sst sst : decodeSsts(in)) {
      if (ssts.put(sst.number(), sst) != null) {
        throw new IllegalArgumentException("SST " + sst.number() + " is named twice");
      }
    }
    List<SstSlice> slices = new ArrayList<>(ssts.values());
    int count = in.count(2);
    for (int i = 0; i < count; i++) {
      long number = EditNumbers.number(in.unsigned());
      KeySpan span = decodeSpan(in);
      Sst sst = ssts.get(number);
      if (sst == null || !span.overlaps(sst.smallestKey(), sst.largestKey())) {
        throw new IllegalArgumentException("a slice of SST " + number + " holds nothing");
      }
      slices.remove(sst);
      slices.add(span.clip(sst));
    }
    slices.sort(Comparator.comparing(SstSlice::smallestKey, Arrays::compareUnsigned));
    return slices;
  }

  private static List<KeySpan> decodeSpans(EditReader in) {
    int count = in.count(1);
    List<KeySpan> spans = new ArrayList<>(count);
    for (int i = 0; i < count; i++) {
      spans.add(decodeSpan(in));
    }
    return spans;
  }

  private static KeySpan decodeSpan(EditReader in) {
    long bounds =
        EditNumbers.atMost("the bounds", in.unsigned(), HAS_LOWER_BOUND | HAS_UPPER_BOUND);
    byte[] above = (bounds & HAS_LOWER_BOUND) == 0 ? null : in.key(EntryLimits.MAX_KEY_BYTES);
    byte[] last = (bounds & HAS_UPPER_BOUND) == 0 ? null : in.key(EntryLimits.MAX_KEY_BYTES);
    return new KeySpan(above, last);
  }

  private static Totals decodeTotals(EditReader in) {
    return new Totals(
        in.unsigned(), in.unsigned(), in.unsigned(), in.unsigned(), in.unsigned(), in.unsigned());
  }

  private static List<Long> decodeNumbers(EditReader in) {
    int count = in.count(1);
    List<Long> numbers = new ArrayList<>(count);
    for (int i = 0; i < count; i++) {
      numbers.add(EditNumbers.number(in.unsigned()));
    }
    return numbers;
  }

  private static List<Sst> decodeSsts(EditReader in) {
    int count = in.count(MIN_SST_BYTES);
    List<Sst> ssts = new ArrayList<>(count);
    for (int i = 0; i < count; i++) {
      var identity = new SstMeta.Identity(in.unsigned(), in.fixedLong(), in.unsigned());
      var counts = new SstMeta.Counts(in.unsigned(), in.unsigned(), in.unsigned(), in.unsigned());
      var sequences = new SstMeta.Sequences(in.unsigned(), in.unsigned(), in.unsigned());
      var keys =
          new SstMeta.Keys(in.key(EntryLimits.MAX_KEY_BYTES), in.key(EntryLimits.MAX_KEY_BYTES));
      SstMeta meta = new SstMeta(identity, keys, counts, sequences);
      long level = in.unsigned();
      if (level >= EXPIRES) {
        meta = meta.expiringAt(in.unsigned());
        level -= EXPIRES;
      }
      meta = meta.with(decodeSketch(level, in));
      ssts.add(new Sst(checked(meta)));
    }
    return ssts;
  }

  private static KeySketch decodeSketch(long levelRead, EditReader in) {
    int level =
        (int) EditNumbers.atMost("the level of a key sketch", levelRead, KeySketch.HASH_BITS);
    int size = (int) EditNumbers.atMost("the size of a key sketch", in.count(1), KeySketch.MOST);
    long[] sample = new long[size];
    long value = 0;
    for (int i = 0; i < size; i++) {
      value += in.unsigned();
      sample[i] = value;
    }
    return KeySketch.of(level, sample);
  }

  private static SstMeta checked(SstMeta meta) {
    EditNumbers.number(meta.number());
    EditNumbers.sequence(meta.maxSequence());
    if (meta.fileBytes() < 1
        || meta.fileBytes() > MAX_SST_SIZE
        || meta.entries() < 1
        || meta.entries() > MAX_SST_SIZE
        || meta.tombstones() > meta.entries()
        || meta.rangeTombstones() > MAX_SST_SIZE
        || meta.baseSequence() < 0
        || meta.minSequence() < meta.baseSequence()
        || meta.minSequence() > meta.maxSequence()) {
      throw new IllegalArgumentException(
          String.format(
              "SST %d has %d bytes, %d entries, %d tombstones, %d range tombstones, sequence"
                  + " numbers %d to %d from %d on",
              meta.number(),
              meta.fileBytes(),
              meta.entries(),
              meta.tombstones(),
              meta.rangeTombstones(),
              meta.minSequence(),
              meta.maxSequence(),
              meta.baseSequence()));
    }
    if (meta.smallestKey().length > EntryLimits.MAX_KEY_BYTES
        || meta.largestKey().length > EntryLimits.MAX_KEY_BYTES
        || Arrays.compareUnsigned(meta.smallestKey(), meta.largestKey()) > 0) {
      throw new IllegalArgumentException(
          String.format(
              "SST %d has a smallest key of %d bytes and a largest of %d, too long or in wrong"
                  + " order",
              meta.number(), meta.smallestKey().length, meta.largestKey().length));
    }
    return meta;
  }
}
