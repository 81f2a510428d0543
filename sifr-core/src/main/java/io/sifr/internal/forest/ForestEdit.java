package io.sifr.internal.forest;

import static com.google.common.base.Preconditions.checkArgument;

import io.sifr.config.Compression;
import io.sifr.config.DatabaseOptions;
import io.sifr.internal.entry.EntryLimits;
import io.sifr.internal.forest.Catalog.Totals;
import io.sifr.internal.format.EditDescription;
import io.sifr.internal.format.EditNumbers;
import io.sifr.internal.format.EditReader;
import io.sifr.internal.format.EditWriter;
import io.sifr.internal.format.OptionsCodec;
import io.sifr.internal.sst.read.Sst;
import io.sifr.internal.sst.read.SstSlice;
import io.sifr.internal.wal.WalEnd;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.HexFormat;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.stream.Collectors;

/**
 * One durable change of the catalog. Edits are deltas: a compaction names the SSTs it wrote and the
 * numbers of those it moved, never a whole tree. A group of edits that belong together is one
 * record of the manifest and therefore atomic.
 *
 * <p>A kind of edit is a record that applies, encodes, decodes and describes itself, a row in
 * {@link EditCodec}, and a paragraph in {@code src-docs/format/manifest.md}.
 */
public sealed interface ForestEdit extends Catalog.Change {

  /** Writes its fields, in the form that its {@code decode} reads. */
  void encode(EditWriter out);

  /** Its fields for people. */
  EditDescription describe();

  /** An edit of the forest of one database. */
  sealed interface OfForest extends ForestEdit, Forest.Change {
    /** The database. */
    int databaseId();

    @Override
    default Catalog applyTo(Catalog catalog) {
      return catalog.with(databaseId(), this);
    }
  }

  /** A database was created. */
  record DatabaseCreated(int databaseId, String name) implements ForestEdit {
    @Override
    public Catalog applyTo(Catalog catalog) {
      return catalog.withDatabase(databaseId, name);
    }

    @Override
    public void encode(EditWriter out) {
      out.databaseId(databaseId);
      out.text(name);
    }

    static DatabaseCreated decode(EditReader in) {
      return new DatabaseCreated(in.databaseId(), in.text());
    }

    @Override
    public EditDescription describe() {
      return new EditDescription("database created")
          .with("database", databaseId)
          .with("name", name);
    }
  }

  /** The options of a database are these from now on; those of a new one are the default. */
  record DatabaseOptionsSet(int databaseId, DatabaseOptions options) implements OfForest {
    @Override
    public Forest applyTo(Forest forest) {
      return forest.with(options);
    }

    @Override
    public void encode(EditWriter out) {
      out.databaseId(databaseId);
      OptionsCodec.encode(options, out);
    }

    static DatabaseOptionsSet decode(EditReader in) {
      return new DatabaseOptionsSet(in.databaseId(), OptionsCodec.decode(in));
    }

    @Override
    public EditDescription describe() {
      EditDescription description =
          new EditDescription("database options").with("database", databaseId);
      String operator = options.mergeOperator();
      if (operator != null) {
        description.with("mergeOperator", operator);
      }
      Duration expiry = options.expireAfter();
      if (expiry != null) {
        description.with("expireAfter", expiry.toString());
      }
      Compression compression = options.compression();
      if (compression != null) {
        description.with("compression", compression.name());
      }
      if (options.separateValuesFrom() > 0) {
        description.with("separateValuesFrom", options.separateValuesFrom());
      }
      String filter = options.compactionFilter();
      if (filter != null) {
        description.with("compactionFilter", filter);
      }
      if (options.filterPrefix() != null) {
        description.with("filterPrefix", options.filterPrefix().toString());
      }
      return description;
    }
  }

  /** A database and all its data are gone; its id is never used again. */
  record DatabaseDropped(int databaseId) implements ForestEdit {
    @Override
    public Catalog applyTo(Catalog catalog) {
      return catalog.without(databaseId);
    }

    @Override
    public void encode(EditWriter out) {
      out.databaseId(databaseId);
    }

    static DatabaseDropped decode(EditReader in) {
      return new DatabaseDropped(in.databaseId());
    }

    @Override
    public EditDescription describe() {
      return new EditDescription("database dropped").with("database", databaseId);
    }
  }

  /**
   * A tree became the newest of a stage: a flush (stage 1), or an existing tree when the manifest
   * is rewritten.
   *
   * @param slices its SSTs, or what it holds of them, ascending
   */
  record TreeAdded(int databaseId, int stage, long treeId, List<? extends SstSlice> slices)
      implements OfForest {
    /** Its SSTs, each once. */
    public List<Sst> ssts() {
      return slices.stream().map(SstSlice::sst).distinct().toList();
    }

    @Override
    public Forest applyTo(Forest forest) {
      return forest.withTree(stage, new LogicalTree(treeId, slices));
    }

    @Override
    public Catalog applyTo(Catalog catalog) {
      return OfForest.super.applyTo(catalog).using(treeId, ssts());
    }

    @Override
    public void encode(EditWriter out) {
      out.databaseId(databaseId);
      out.unsigned(stage);
      out.number(treeId);
      SstCodec.encode(ssts(), out);
      List<SstSlice> clipped = new ArrayList<>(slices);
      clipped.removeIf(Sst.class::isInstance);
      out.unsigned(clipped.size());
      for (SstSlice slice : clipped) {
        out.number(slice.sst().number());
        KeySpan.of(slice).encode(out);
      }
    }

    static TreeAdded decode(EditReader in) {
      return new TreeAdded(in.databaseId(), in.unsignedInt(), in.number(), slices(in));
    }

    private static List<SstSlice> slices(EditReader in) {
      Map<Long, Sst> ssts = new LinkedHashMap<>();
      for (Sst sst : SstCodec.decode(in)) {
        checkArgument(ssts.put(sst.number(), sst) == null, "SST %s is named twice", sst.number());
      }
      List<SstSlice> slices = new ArrayList<>(ssts.values());
      int count = in.count(2);
      for (int i = 0; i < count; i++) {
        long number = in.number();
        KeySpan span = KeySpan.decode(in);
        Sst sst = ssts.get(number);
        checkArgument(
            sst != null && span.overlaps(sst.smallestKey(), sst.largestKey()),
            "a slice of SST %s holds nothing",
            number);
        slices.remove(sst);
        slices.add(span.clip(sst));
      }
      slices.sort(Comparator.comparing(SstSlice::smallestKey, Arrays::compareUnsigned));
      return slices;
    }

    @Override
    public EditDescription describe() {
      EditDescription description =
          new EditDescription("tree added")
              .with("database", databaseId)
              .with("stage", stage)
              .with("tree", treeId);
      long clipped = slices.stream().filter(slice -> !(slice instanceof Sst)).count();
      if (clipped > 0) {
        description.with("clippedSlices", clipped);
      }
      return ForestEdit.withSsts(description, ssts());
    }
  }

  /**
   * Trees became the oldest of a stage, in the order they had. The order of all trees stays the
   * same.
   */
  record TreesMoved(int databaseId, int stage, List<Long> treeIds) implements OfForest {
    @Override
    public Forest applyTo(Forest forest) {
      return forest.withMoved(stage, treeIds);
    }

    @Override
    public void encode(EditWriter out) {
      out.databaseId(databaseId);
      out.unsigned(stage);
      out.numbers(treeIds);
    }

    static TreesMoved decode(EditReader in) {
      return new TreesMoved(in.databaseId(), in.unsignedInt(), in.numbers());
    }

    @Override
    public EditDescription describe() {
      return new EditDescription("trees moved")
          .with("database", databaseId)
          .with("stage", stage)
          .with("trees", treeIds);
    }
  }

  /**
   * An SST was lost with a directory that does not survive a power failure, and was made again from
   * the log.
   *
   * @param number of the lost SST
   * @param written has its content now: perhaps none, if none is needed any more
   */
  record SstMadeAgain(int databaseId, long treeId, long number, List<Sst> written)
      implements OfForest {
    @Override
    public Forest applyTo(Forest forest) {
      return forest.withReplaced(treeId, number, written);
    }

    @Override
    public Catalog applyTo(Catalog catalog) {
      return OfForest.super.applyTo(catalog).using(treeId, written);
    }

    @Override
    public void encode(EditWriter out) {
      out.databaseId(databaseId);
      out.number(treeId);
      out.number(number);
      SstCodec.encode(written, out);
    }

    static SstMadeAgain decode(EditReader in) {
      return new SstMadeAgain(in.databaseId(), in.number(), in.number(), SstCodec.decode(in));
    }

    @Override
    public EditDescription describe() {
      return ForestEdit.withSsts(
          new EditDescription("SST made again")
              .with("database", databaseId)
              .with("tree", treeId)
              .with("lostSst", number),
          written);
    }
  }

  /** All writes to the database up to {@code sequence} are in its forest. */
  record FlushedTo(int databaseId, long sequence) implements OfForest {
    @Override
    public Forest applyTo(Forest forest) {
      return forest.flushedTo(sequence);
    }

    @Override
    public Catalog applyTo(Catalog catalog) {
      return OfForest.super.applyTo(catalog).countingFrom(0, sequence + 1);
    }

    @Override
    public void encode(EditWriter out) {
      out.databaseId(databaseId);
      out.sequence(sequence);
    }

    static FlushedTo decode(EditReader in) {
      return new FlushedTo(in.databaseId(), in.sequence());
    }

    @Override
    public EditDescription describe() {
      return new EditDescription("flushed to")
          .with("database", databaseId)
          .with("sequence", sequence);
    }
  }

  /**
   * A compaction began (the first edit of its journal), or is running when the manifest is
   * rewritten.
   *
   * <p>The tombstones it may drop are not recorded: they are those whose key no tree below the
   * inputs may hold. No tree is added below them while it runs, so a resumed compaction decides
   * alike, or drops what compactions below have made obsolete meanwhile. Nor are snapshots
   * recorded: none outlives the process, and one taken later is newer than everything in the
   * inputs.
   *
   * @param compaction its trees and key ranges
   * @param outputStage the stage of the output tree. If there is no such tree yet, it is created:
   *     right before the inputs if there are any in the stage, else as the newest
   */
  record CompactionBegun(int databaseId, Compaction compaction, int outputStage)
      implements OfForest {
    /** By their numbers in the manifest. */
    private static final List<Compaction.Shape> SHAPES =
        List.of(
            Compaction.Shape.MOVES,
            Compaction.Shape.REWRITES,
            Compaction.Shape.DROPS,
            Compaction.Shape.WHOLE);

    @Override
    public Forest applyTo(Forest forest) {
      return forest.withBegun(compaction, outputStage);
    }

    @Override
    public Catalog applyTo(Catalog catalog) {
      long number = Math.max(compaction.number(), compaction.outputTreeId());
      return OfForest.super.applyTo(catalog).using(number, List.of());
    }

    @Override
    public void encode(EditWriter out) {
      out.databaseId(databaseId);
      out.number(compaction.number());
      out.numbers(compaction.inputTreeIds());
      out.number(compaction.outputTreeId());
      out.unsigned(outputStage);
      out.unsigned(SHAPES.indexOf(compaction.shape()));
      out.list(compaction.remaining(), KeySpan::encode);
    }

    static CompactionBegun decode(EditReader in) {
      int databaseId = in.databaseId();
      long number = in.number();
      List<Long> inputs = in.numbers();
      long output = in.number();
      int stage = in.unsignedInt();
      long shape = EditNumbers.atMost("a shape", in.unsigned(), SHAPES.size() - 1);
      return new CompactionBegun(
          databaseId,
          new Compaction(
              number, inputs, output, SHAPES.get((int) shape), in.list(1, KeySpan::decode)),
          stage);
    }

    @Override
    public EditDescription describe() {
      return new EditDescription("compaction begun")
          .with("database", databaseId)
          .with("compaction", compaction.number())
          .with("inputTrees", compaction.inputTreeIds())
          .with("tree", compaction.outputTreeId())
          .with("stage", outputStage)
          .with("shape", compaction.shape().name().toLowerCase(Locale.ROOT))
          .with(
              "spans",
              compaction.remaining().stream()
                  .map(ForestEdit::text)
                  .collect(Collectors.joining(" ")));
    }
  }

  /**
   * A compaction has processed a key range: what the inputs held there is now in the output tree,
   * as far as it is needed. Input SSTs that are not named are gone.
   *
   * @param number of the compaction
   * @param written SSTs it wrote, ascending, all within the key range; perhaps none
   * @param movedSsts numbers of input SSTs within the key range that overlapped nothing and belong
   *     to the output tree as they are (TPDS §4.3)
   */
  record CompactionProgressed(
      int databaseId, long number, KeySpan span, List<Sst> written, List<Long> movedSsts)
      implements OfForest {
    @Override
    public Forest applyTo(Forest forest) {
      return forest.withProgress(number, span, written, movedSsts);
    }

    @Override
    public Catalog applyTo(Catalog catalog) {
      return OfForest.super.applyTo(catalog).using(number, written);
    }

    @Override
    public void encode(EditWriter out) {
      out.databaseId(databaseId);
      out.number(number);
      span.encode(out);
      SstCodec.encode(written, out);
      out.numbers(movedSsts);
    }

    static CompactionProgressed decode(EditReader in) {
      return new CompactionProgressed(
          in.databaseId(), in.number(), KeySpan.decode(in), SstCodec.decode(in), in.numbers());
    }

    @Override
    public EditDescription describe() {
      return ForestEdit.withSsts(
          new EditDescription("compaction progress")
              .with("database", databaseId)
              .with("compaction", number)
              .with("span", ForestEdit.text(span))
              .with("movedSsts", movedSsts),
          written);
    }
  }

  /**
   * A compaction ended. What it has not compacted stays in its inputs.
   *
   * @param number of the compaction
   */
  record CompactionEnded(int databaseId, long number) implements OfForest {
    @Override
    public Forest applyTo(Forest forest) {
      return forest.withEnded(number);
    }

    @Override
    public void encode(EditWriter out) {
      out.databaseId(databaseId);
      out.number(number);
    }

    static CompactionEnded decode(EditReader in) {
      return new CompactionEnded(in.databaseId(), in.number());
    }

    @Override
    public EditDescription describe() {
      return new EditDescription("compaction ended")
          .with("database", databaseId)
          .with("compaction", number);
    }
  }

  /**
   * Numbers of files and trees below {@code next} may have been used; after a restart counting
   * continues there.
   */
  record NumbersReserved(long next) implements ForestEdit {
    @Override
    public Catalog applyTo(Catalog catalog) {
      return catalog.countingFrom(next, 0);
    }

    @Override
    public void encode(EditWriter out) {
      out.unsigned(EditNumbers.nextNumber(next));
    }

    static NumbersReserved decode(EditReader in) {
      return new NumbersReserved(EditNumbers.nextNumber(in.unsigned()));
    }

    @Override
    public EditDescription describe() {
      return new EditDescription("numbers reserved").with("next", next);
    }
  }

  /**
   * Database ids below {@code next} were used, perhaps by databases that are dropped; they are not
   * used again.
   */
  record DatabaseIdsUsed(int next) implements ForestEdit {
    @Override
    public Catalog applyTo(Catalog catalog) {
      return catalog.withDatabaseIds(next);
    }

    @Override
    public void encode(EditWriter out) {
      out.databaseId(next);
    }

    static DatabaseIdsUsed decode(EditReader in) {
      return new DatabaseIdsUsed(in.databaseId());
    }

    @Override
    public EditDescription describe() {
      return new EditDescription("database ids used").with("next", next);
    }
  }

  /**
   * Sequence numbers below {@code next} may have been used; after a restart counting continues
   * there.
   */
  record SequencesReserved(long next) implements ForestEdit {
    @Override
    public Catalog applyTo(Catalog catalog) {
      return catalog.countingFrom(0, next);
    }

    @Override
    public void encode(EditWriter out) {
      out.nextSequence(next);
    }

    static SequencesReserved decode(EditReader in) {
      return new SequencesReserved(in.nextSequence());
    }

    @Override
    public EditDescription describe() {
      return new EditDescription("sequences reserved").with("next", next);
    }
  }

  /**
   * Log segments with a smaller number are obsolete. From now on the log may be written, whatever
   * an earlier {@link LogClosed} says.
   */
  record LogStart(long firstSegment) implements ForestEdit {
    @Override
    public Catalog applyTo(Catalog catalog) {
      return catalog.withLogStart(firstSegment);
    }

    @Override
    public void encode(EditWriter out) {
      out.number(firstSegment);
    }

    static LogStart decode(EditReader in) {
      return new LogStart(in.number());
    }

    @Override
    public EditDescription describe() {
      return new EditDescription("log start").with("segment", firstSegment);
    }
  }

  /**
   * The log was closed in order: all of it is durable, and nothing was ever written after that end.
   *
   * @param end where its last record ends
   */
  record LogClosed(WalEnd end) implements ForestEdit {
    @Override
    public Catalog applyTo(Catalog catalog) {
      return catalog.withLogEnd(end);
    }

    @Override
    public void encode(EditWriter out) {
      out.number(end.segment());
      out.unsigned(end.offset());
    }

    static LogClosed decode(EditReader in) {
      return new LogClosed(new WalEnd(in.number(), in.unsignedInt()));
    }

    @Override
    public EditDescription describe() {
      return new EditDescription("log closed")
          .with("segment", end.segment())
          .with("end", end.offset());
    }
  }

  /**
   * So much of the log is retained from now on. If nothing was before, its history begins; if
   * nothing is any more, it ends, and its segments are obsolete.
   *
   * @param firstSequence with which a history begins
   */
  record LogRetained(Retention retention, long firstSequence) implements ForestEdit {
    @Override
    public Catalog applyTo(Catalog catalog) {
      return catalog.retaining(retention, firstSequence);
    }

    @Override
    public void encode(EditWriter out) {
      out.unsigned(retention.bytes());
      out.unsigned(retention.seconds());
      out.nextSequence(firstSequence);
    }

    static LogRetained decode(EditReader in) {
      return new LogRetained(new Retention(in.unsigned(), in.unsigned()), in.nextSequence());
    }

    @Override
    public EditDescription describe() {
      return new EditDescription("log retained")
          .with("bytes", retention.bytes())
          .with("seconds", retention.seconds())
          .with("sequence", firstSequence);
    }
  }

  /** A segment that a later {@link LogStart} makes obsolete is retained. */
  record SegmentRetained(LogHistory.Segment segment) implements ForestEdit {
    @Override
    public Catalog applyTo(Catalog catalog) {
      return catalog.withHistory(history -> history.with(segment));
    }

    @Override
    public void encode(EditWriter out) {
      out.number(segment.number());
      out.unsigned(segment.bytes());
      out.unsigned(segment.end());
      out.nextSequence(segment.nextSequence());
      out.unsigned(segment.time());
    }

    static SegmentRetained decode(EditReader in) {
      return new SegmentRetained(
          new LogHistory.Segment(
              in.number(),
              EditNumbers.atMost("the size of a segment", in.unsigned(), Integer.MAX_VALUE),
              in.unsignedInt(),
              in.nextSequence(),
              in.unsigned()));
    }

    @Override
    public EditDescription describe() {
      return new EditDescription("segment retained")
          .with("segment", segment.number())
          .with("bytes", segment.bytes())
          .with("end", segment.end())
          .with("nextSequence", segment.nextSequence())
          .with("time", segment.time());
    }
  }

  /** Retained segments with a smaller number are obsolete, and events before their end. */
  record SegmentsGivenBack(long firstSegment) implements ForestEdit {
    @Override
    public Catalog applyTo(Catalog catalog) {
      return catalog.withHistory(history -> history.withoutBefore(firstSegment));
    }

    @Override
    public void encode(EditWriter out) {
      out.number(firstSegment);
    }

    static SegmentsGivenBack decode(EditReader in) {
      return new SegmentsGivenBack(in.number());
    }

    @Override
    public EditDescription describe() {
      return new EditDescription("segments given back").with("firstSegment", firstSegment);
    }
  }

  /** Gives the other edits of the group a place in the history of the log. */
  record EventRecorded(LogEvent event) implements ForestEdit {
    @Override
    public Catalog applyTo(Catalog catalog) {
      return catalog.withHistory(history -> history.with(event)).countingFrom(0, event.next());
    }

    @Override
    public void encode(EditWriter out) {
      event.encode(out);
    }

    static EventRecorded decode(EditReader in) {
      return new EventRecorded(LogEvent.decode(in));
    }

    @Override
    public EditDescription describe() {
      return event.describe();
    }
  }

  /** The totals of the store since it was created, see {@link Totals}. */
  record TotalsReached(Totals totals) implements ForestEdit {
    @Override
    public Catalog applyTo(Catalog catalog) {
      return catalog.with(totals);
    }

    @Override
    public void encode(EditWriter out) {
      out.unsigned(totals.userBytes());
      out.unsigned(totals.walBytes());
      out.unsigned(totals.flushBytes());
      out.unsigned(totals.compactionBytes());
      out.unsigned(totals.movedBytes());
      out.unsigned(totals.stallMillis());
    }

    static TotalsReached decode(EditReader in) {
      return new TotalsReached(
          new Totals(
              in.unsigned(),
              in.unsigned(),
              in.unsigned(),
              in.unsigned(),
              in.unsigned(),
              in.unsigned()));
    }

    @Override
    public EditDescription describe() {
      return new EditDescription("totals")
          .with("userBytes", totals.userBytes())
          .with("walBytes", totals.walBytes())
          .with("flushBytes", totals.flushBytes())
          .with("compactionBytes", totals.compactionBytes())
          .with("movedBytes", totals.movedBytes())
          .with("stallMillis", totals.stallMillis());
    }
  }

  private static EditDescription withSsts(EditDescription description, List<Sst> ssts) {
    description.with("ssts", ssts.stream().map(Sst::number).toList());
    if (!ssts.isEmpty()) {
      description
          .with("entries", ssts.stream().mapToLong(sst -> sst.meta().entries()).sum())
          .with("bytes", ssts.stream().mapToLong(sst -> sst.meta().fileBytes()).sum())
          .with("smallestKey", ssts.get(0).meta().smallestKey());
      byte[] largest = ssts.get(ssts.size() - 1).meta().largestKey();
      if (!Arrays.equals(largest, EntryLimits.LAST_KEY)) { // which is long, and says nothing
        description.with("largestKey", largest);
      }
      long ranges = ssts.stream().mapToLong(sst -> sst.meta().rangeTombstones()).sum();
      if (ranges > 0) {
        description.with("rangeTombstones", ranges);
      }
      long valueBytes = ssts.stream().mapToLong(sst -> sst.meta().valueBytes()).sum();
      if (valueBytes > 0) {
        description.with("valueBytes", valueBytes);
      }
    }
    return description;
  }

  /**
   * The bounds in hexadecimal digits, the first exclusive, the second inclusive; a dash for no
   * bound.
   */
  private static String text(KeySpan span) {
    byte[] above = span.above();
    byte[] last = span.last();
    HexFormat hex = HexFormat.of();
    return "("
        + (above == null ? "-" : hex.formatHex(above))
        + ", "
        + (last == null || Arrays.equals(last, EntryLimits.LAST_KEY) ? "-" : hex.formatHex(last))
        + "]";
  }
}
