package io.sifr.internal.compaction.merge;

import static io.sifr.internal.forest.Compaction.Shape.DROPS;
import static io.sifr.internal.forest.Compaction.Shape.MOVES;
import static io.sifr.internal.forest.Compaction.Shape.REWRITES;
import static io.sifr.internal.forest.Compaction.Shape.WHOLE;
import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sifr.error.CorruptionException;
import io.sifr.event.CompactionReason;
import io.sifr.internal.codec.BlockCodec;
import io.sifr.internal.codec.Codecs;
import io.sifr.internal.compaction.cut.SstSizes;
import io.sifr.internal.entry.EntryKind;
import io.sifr.internal.entry.EntryKinds;
import io.sifr.internal.entry.EntryLimits;
import io.sifr.internal.entry.VersionFilter;
import io.sifr.internal.entry.range.RangeTombstones;
import io.sifr.internal.forest.Compaction;
import io.sifr.internal.forest.CompactionPlan;
import io.sifr.internal.forest.Guards;
import io.sifr.internal.forest.KeySpan;
import io.sifr.internal.forest.LogicalTree;
import io.sifr.internal.format.FileHeader;
import io.sifr.internal.format.FileKind;
import io.sifr.internal.io.CrashPoint;
import io.sifr.internal.io.StoreFileSystem;
import io.sifr.internal.sst.block.SstAccess;
import io.sifr.internal.sst.format.BlockCodecs;
import io.sifr.internal.sst.format.BlockEntries;
import io.sifr.internal.sst.format.SstFormat;
import io.sifr.internal.sst.format.StoredBlock;
import io.sifr.internal.sst.read.SliceTombstones;
import io.sifr.internal.sst.read.Sst;
import io.sifr.internal.sst.read.SstSlice;
import io.sifr.testing.CollectedProgress;
import io.sifr.testing.Entry;
import io.sifr.testing.EntryDrawing;
import io.sifr.testing.EntryDrawing.Shape;
import io.sifr.testing.ForestDrawing;
import io.sifr.testing.ForwardingFileSystem;
import io.sifr.testing.WrittenSsts;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CancellationException;
import java.util.function.Consumer;
import java.util.stream.LongStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class PartTaskTest {
  private static final long SPLIT_UNIT = 16 << 10;

  private static final String VALUE = "a value that is easily found";

  @TempDir Path directory;
  private WrittenSsts ssts;
  private List<LogicalTree> newer = List.of();
  private boolean cancelled;
  private final List<Sst> outputs = new ArrayList<>();

  private static String rangesOf(Sst sst) {
    return String.valueOf(sst.rangeTombstones());
  }

  @BeforeEach
  void begin() {
    ssts = new WrittenSsts(directory);
  }

  @AfterEach
  void end() {
    outputs.forEach(sst -> sst.markObsolete(() -> {}));
    ssts.close();
  }

  private SstSizes sizes = new SstSizes(SPLIT_UNIT, SPLIT_UNIT, 1 << 20, 0);
  private Guards guards = Guards.NONE;
  private BlockCodec codec = Codecs.NONE;

  /** What happens to an output before it is read back. */
  private interface Damage {
    void happens() throws IOException;
  }

  private Damage whenSynced = () -> {};

  private StoreFileSystem fileSystem() {
    return new ForwardingFileSystem(ssts.fileSystem()) {
      @Override
      public void reached(CrashPoint point) {
        if (point == OutputWriter.OutputCrashPoint.COMPACTION_OUTPUT_SYNCED) {
          try {
            whenSynced.happens();
          } catch (IOException e) {
            throw new UncheckedIOException(e);
          }
        }
        super.reached(point);
      }
    };
  }

  private TaskEnvironment environment() {
    Random ids = new Random(3);
    return new TaskEnvironment(
        new TaskEnvironment.Files(
            fileSystem(),
            directory,
            SstAccess.mapped(ssts.fileSystem(), directory, new BlockCodecs(codec)),
            ssts::nextNumber,
            ids::nextLong),
        new TaskEnvironment.Output(1, codec, 0, sizes, guards, 0),
        new TaskEnvironment.Entries(EntryKinds.STANDARD, 0),
        new TaskEnvironment.Progress(
            bytes -> {},
            () -> {
              if (cancelled) {
                throw new CancellationException("cancelled");
              }
            }));
  }

  private LogicalTree tree(String... drawings) {
    return new LogicalTree(
        ssts.nextNumber(), Stream.of(drawings).map(drawing -> ssts.write(drawing)).toList());
  }

  private CollectedProgress merge(
      List<LogicalTree> inputs,
      List<LogicalTree> older,
      Compaction.Shape shape,
      long... snapshots) {
    return merge(KeySpan.ALL, inputs, older, shape, snapshots);
  }

  private CollectedProgress merge(
      KeySpan span,
      List<LogicalTree> inputs,
      List<LogicalTree> older,
      Compaction.Shape shape,
      long... snapshots) {
    CompactionPlan plan =
        new CompactionPlan(
            null,
            new CompactionPlan.Inputs(inputs, List.of(span), older, newer),
            null,
            new CompactionPlan.Stages(1, 2),
            shape,
            CompactionReason.STAGE_FULL,
            false);
    CollectedProgress result = new CollectedProgress();
    try {
      new PartTask(environment(), plan, span, snapshots, result).run();
    } finally {
      outputs.addAll(result.written());
    }
    return result;
  }

  private static String drawn(CollectedProgress result) {
    return WrittenSsts.draw(
        result.written().stream().flatMap(sst -> WrittenSsts.read(sst).stream()).toList());
  }

  @Test
  void newestVersionsAreKept() {
    CollectedProgress result =
        merge(List.of(tree("a7 c8"), tree("a4 b5 c6"), tree("b1 c2 d3")), List.of(), MOVES);
    assertThat(drawn(result)).isEqualTo("a7 b5 c8 d3");
    assertThat(result.droppedEntries()).isEqualTo(4);
    assertThat(result.moved()).isEmpty();
  }

  @Test
  void tombstoneStaysAsLongAsAnOlderTreeMayHoldItsKey() {
    List<LogicalTree> inputs = List.of(tree("a9† c8† e7†"), tree("a4 c5 e6"));
    assertThat(drawn(merge(inputs, List.of(tree("b1 d2")), MOVES))).isEqualTo("c8†");
    assertThat(drawn(merge(inputs, List.of(), MOVES))).isEmpty();
    assertThat(drawn(merge(inputs, List.of(tree("a1", "c2 f3")), MOVES))).isEqualTo("a9† c8† e7†");
  }

  @Test
  void whatASnapshotSeesIsKeptAndTheTombstoneAboveIt() {
    List<LogicalTree> inputs = List.of(tree("a8† b9"), tree("a5 b6"), tree("a1 b2"));
    assertThat(drawn(merge(inputs, List.of(), MOVES, 3))).isEqualTo("a8† a1 b9 b2");
    assertThat(drawn(merge(inputs, List.of(), MOVES, 5))).isEqualTo("a8† a5 b9 b2");
    assertThat(drawn(merge(inputs, List.of(), MOVES, 2, 6))).isEqualTo("a8† a5 a1 b9 b6 b2");
    assertThat(drawn(merge(inputs, List.of(), MOVES, 8))).isEqualTo("b9 b6");
    assertThat(drawn(merge(inputs, List.of(), MOVES))).isEqualTo("b9");
  }

  @Test
  void sstsThatOverlapNothingAreMovedUnlessAllIsToBeRewritten() {
    LogicalTree one = tree(large('a'), large('m'));
    LogicalTree two = tree(large('d'));
    CollectedProgress moved = merge(List.of(one, two), List.of(), MOVES);
    assertThat(moved.written()).isEmpty();
    assertThat(moved.moved())
        .containsExactly(one.ssts().get(0), two.ssts().get(0), one.ssts().get(1));
    CollectedProgress rewritten = merge(List.of(one, two), List.of(), REWRITES);
    assertThat(rewritten.moved()).isEmpty();
    assertThat(rewritten.written()).isNotEmpty();
  }

  /** What one memtable holds of three streams, each of which goes on in the next one. */
  private LogicalTree streams(int memtable) {
    List<Entry> entries = new ArrayList<>();
    for (String stream : List.of("one/", "three/", "two/")) {
      for (int i = 0; i < 100; i++) {
        entries.add(
            Entry.of(
                String.format("%s%09d", stream, 100 * memtable + i).getBytes(UTF_8),
                1 + memtable,
                EntryKind.PUT,
                new byte[100]));
      }
    }
    entries.sort(null);
    return new LogicalTree(ssts.nextNumber(), List.of(ssts.write(entries)));
  }

  @Test
  void streamsAreCutApartAndMovedFromThenOn() {
    CollectedProgress first = merge(List.of(streams(1), streams(0)), List.of(), MOVES);
    CollectedProgress second = merge(List.of(streams(3), streams(2)), List.of(), MOVES);
    assertThat(first.written()).hasSizeBetween(3, 6);
    LogicalTree older = new LogicalTree(ssts.nextNumber(), first.written());
    LogicalTree newer = new LogicalTree(ssts.nextNumber(), second.written());
    CollectedProgress third = merge(List.of(newer, older), List.of(), MOVES);
    assertThat(third.written()).isEmpty();
    assertThat(third.moved()).hasSize(first.written().size() + second.written().size());
    // Those that move nothing have no use for it.
    assertThat(merge(List.of(streams(1), streams(0)), List.of(), WHOLE).written()).hasSize(1);
  }

  /** Space is reserved for as much, with padding, index and filter. */
  @Test
  void noSstTakesMoreThanWasAnnounced() {
    List<LogicalTree> inputs = List.of(streams(2), streams(2), streams(1), streams(0));
    for (Compaction.Shape shape : List.of(MOVES, REWRITES)) {
      CollectedProgress result = merge(inputs, List.of(), shape);
      assertThat(result.written()).hasSizeGreaterThan(4);
      assertThat(result.announced()).hasSameSizeAs(result.written());
      for (int i = 0; i < result.written().size(); i++) {
        assertThat(result.written().get(i).meta().fileBytes())
            .isLessThanOrEqualTo(result.announced().get(i));
      }
    }
  }

  /** The key 6 is one by its hash; D is known, and not among the keys. */
  @Test
  void outputsAreCutAtGuards() {
    List<LogicalTree> inputs = List.of(tree("19 68 E6"), tree("25 74 F3"));
    guards = Guards.of(ForestDrawing.parse("S1: [1 D]"), 4);
    List<Sst> written = merge(inputs, List.of(), REWRITES).written();
    assertThat(written.stream().map(sst -> WrittenSsts.draw(WrittenSsts.read(sst))))
        .containsExactly("19 25", "68 74", "E6 F3");
  }

  private LogicalTree withRanges(String drawing, String ranges) {
    return new LogicalTree(ssts.nextNumber(), List.of(ssts.write(drawing, ranges)));
  }

  private static String drawnWithRanges(CollectedProgress result) {
    RangeTombstones ranges =
        SliceTombstones.of(result.written().stream().map(sst -> (SstSlice) sst).toList());
    return drawn(result) + " " + ranges;
  }

  /** What older trees hold decides whether they stay. */
  @Test
  void rangeTombstonesHideAndStayAsLongAsAnOlderTreeMayHoldAKey() {
    List<LogicalTree> inputs = List.of(withRanges("c8 x9", "b-f7 k-m6"), tree("a1 c2 e3 g4 y5"));
    assertThat(drawnWithRanges(merge(inputs, List.of(), MOVES))).isEqualTo("a1 c8 g4 x9 y5 null");
    assertThat(drawnWithRanges(merge(inputs, List.of(tree("d1 e1")), MOVES)))
        .isEqualTo("a1 c8 g4 x9 y5 [\"b\", \"f\")[7]");
    assertThat(drawnWithRanges(merge(inputs, List.of(tree("d1", "l1")), WHOLE)))
        .isEqualTo("a1 c8 g4 x9 y5 [\"b\", \"f\")[7] [\"k\", \"m\")[6]");
    assertThat(drawnWithRanges(merge(inputs, List.of(), REWRITES, 3)))
        .isEqualTo("a1 c8 c2 e3 g4 x9 y5 [\"b\", \"f\")[7] [\"k\", \"m\")[6]");
  }

  @Test
  void anSstWithinANewerRangeTombstoneIsDroppedUnread() {
    List<LogicalTree> inputs = List.of(withRanges("b8", "b-p7"), tree("a1", "c2 d3", "e4 o5"));
    CollectedProgress result = merge(inputs, List.of(), REWRITES);
    assertThat(drawn(result)).isEqualTo("a1 b8");
    assertThat(result.droppedEntries()).isEqualTo(4);
    List<LogicalTree> alone = List.of(withRanges("b8", "b-p7"), tree("c2 d3", "e4 o5"));
    cancelled = true; // as soon as anything is read
    result = merge(alone, List.of(tree("b1 c1")), MOVES);
    assertThat(result.moved()).containsExactly(alone.get(0).ssts().get(0));
    assertThat(result.droppedEntries()).isEqualTo(4);
    cancelled = false;
    assertThat(drawn(merge(alone, List.of(), MOVES, 4))).isEqualTo("b8 c2 d3 e4");
    assertThat(merge(alone, List.of(), MOVES, 7).droppedEntries()).isEqualTo(4);
  }

  /** It need not be merged first, for which there may be no space. */
  @Test
  void anSstWithinARangeTombstoneOfANewerTreeIsDroppedUnread() {
    newer = List.of(tree("b9"), withRanges("b8", "b-p7"));
    List<LogicalTree> inputs = List.of(tree("c2 d3", "e4 o5"), tree("c1"));
    cancelled = true; // as soon as anything is read
    CollectedProgress result = merge(inputs, List.of(tree("b1 c1")), REWRITES);
    assertThat(result.written()).isEmpty();
    assertThat(result.droppedEntries()).isEqualTo(5);
    assertThat(result.frontiers()).containsExactly(new byte[] {'o'});
    cancelled = false;
    assertThat(drawn(merge(inputs, List.of(), REWRITES, 3))).isEqualTo("c2 d3");
    assertThat(drawn(merge(List.of(tree("a1 d3"), tree("e4")), List.of(), REWRITES)))
        .isEqualTo("a1 d3");
  }

  /** What is left of an input above the last step must not stay in it. */
  @Test
  void theLastFrontierIncludesWhatIsDropped() {
    List<LogicalTree> inputs = List.of(withRanges("b8", "b-z7"), tree("a1", "x2"));
    CollectedProgress result = merge(inputs, List.of(tree("b1")), REWRITES);
    assertThat(result.frontiers().get(result.frontiers().size() - 1)).isEqualTo(new byte[] {'z'});
    List<LogicalTree> open =
        List.of(withRanges("b8", "b-c7"), withRanges("", "d-6"), tree("e1 f2"));
    result = merge(open, List.of(), REWRITES);
    assertThat(drawnWithRanges(result)).isEqualTo("b8 null");
    assertThat(result.frontiers().get(result.frontiers().size() - 1))
        .isEqualTo(EntryLimits.LAST_KEY);
  }

  /** So a range tombstone keeps no newer SST from being moved, once nothing lies below it. */
  @Test
  void anSstOfTombstonesWithNothingBelowIsDropped() {
    LogicalTree data = tree(large('c'), large('m'));
    LogicalTree tombstones = withRanges("", "a-7");
    CollectedProgress result = merge(List.of(data, tombstones), List.of(), MOVES);
    assertThat(result.moved()).isEqualTo(data.ssts());
    assertThat(result.written()).isEmpty();
    assertThat(merge(List.of(data, tombstones), List.of(), MOVES, 6).moved()).isEmpty();
    assertThat(merge(List.of(data, tombstones), List.of(tree("b1 e2")), MOVES).moved())
        .containsExactly(data.ssts().get(1));
    assertThat(merge(List.of(data, tombstones, tree("A1 x8")), List.of(), MOVES).moved()).isEmpty();
    assertThat(merge(List.of(data, tombstones, tree("b1 x2")), List.of(), MOVES).moved())
        .isEqualTo(data.ssts());
  }

  /** So it keeps only those from being moved that are above what it has deleted. */
  @Test
  void aRangeTombstoneIsTrimmedToWhatLiesBelow() {
    LogicalTree data = tree(large('c'), large('m'));
    LogicalTree tombstones = withRanges("", "a-z7");
    List<LogicalTree> below = List.of(tree("A1 b2", "n1 o2"), tree("o1 p2", "y1 z2"));
    CollectedProgress result = merge(List.of(data, tombstones), below, MOVES);
    assertThat(result.moved()).isEqualTo(data.ssts());
    assertThat(result.written().stream().map(PartTaskTest::rangesOf))
        .containsExactly("[\"a\", 0x6200)[7]", "[\"n\", 0x7000)[7]", "[\"y\", \"z\")[7]");
    // A snapshot that is older may see what is above them, too.
    assertThat(merge(List.of(data, tombstones), below, MOVES, 6).moved()).isEmpty();
  }

  /** Where everything is deleted, the range tombstone is not cut. */
  @Test
  void aRangeTombstoneOverMuchThatIsDeletedIsOneSst() {
    List<Entry> many = new ArrayList<>();
    for (int i = 0; i < 4000; i++) {
      byte[] key = String.format("k%05d", i).getBytes(UTF_8);
      many.add(Entry.of(key, i + 1L, EntryKind.PUT, new byte[100]));
    }
    many.addAll(WrittenSsts.entries("z4001"));
    LogicalTree data = new LogicalTree(ssts.nextNumber(), List.of(ssts.write(many)));
    CollectedProgress result =
        merge(List.of(withRanges("", "a-l5000"), data), List.of(tree("k1")), REWRITES);
    assertThat(result.written()).hasSize(1);
    assertThat(result.frontiers()).hasSize(1);
  }

  @Test
  void whatIsDroppedIsNotRead() {
    LogicalTree one = tree("a1 b2", "d3");
    cancelled = true; // as soon as anything is read
    CollectedProgress dropped = merge(List.of(one, tree("b1 c2")), List.of(), DROPS);
    assertThat(dropped.written()).isEmpty();
    assertThat(dropped.moved()).isEmpty();
    assertThat(dropped.frontiers()).containsExactly(new byte[] {'d'});
    assertThat(dropped.droppedEntries()).isEqualTo(5);
  }

  /** Many versions of one key: their values alone fill a split unit. */
  @Test
  void inALargeStoreWhatIsToBeRewrittenMakesLargeSsts() {
    sizes = new SstSizes(SPLIT_UNIT, 64 * SPLIT_UNIT, 1 << 20, 0);
    List<Entry> entries = EntryDrawing.sortedEntries(Shape.NUMBERED, 3000, new Random(3));
    assertThat(merge(treesOf(entries, 3), List.of(), REWRITES).written()).hasSize(1);
  }

  @Test
  void aPartLeavesItsShareOfTheSpareSsts() {
    sizes = new SstSizes(SPLIT_UNIT, 64 * SPLIT_UNIT, 1 << 20, 4);
    LogicalTree tree =
        tree("abcdefgh".chars().mapToObj(c -> large((char) c)).toArray(String[]::new));
    CompactionPlan plan =
        new CompactionPlan(
            null,
            new CompactionPlan.Inputs(List.of(tree), List.of(KeySpan.ALL), List.of(), List.of()),
            null,
            new CompactionPlan.Stages(1, 2),
            MOVES,
            CompactionReason.STAGE_FULL,
            false);
    KeySpan half = KeySpan.upTo(tree.ssts().get(3).largestKey());
    CollectedProgress result = new CollectedProgress();
    new PartTask(environment(), plan, half, new long[0], result).run();
    outputs.addAll(result.written());
    assertThat(result.moved().size() + result.written().size()).isEqualTo(2);
  }

  private String large(char key) {
    return String.join(
        " ", LongStream.rangeClosed(1, 1000).mapToObj(sequence -> key + "" + sequence).toList());
  }

  /** I3: a tree holds all versions of a key in one SST, however many snapshots keep them. */
  @Test
  void versionsOfOneKeyStayInOneSst() {
    Random random = new Random(7);
    List<LogicalTree> inputs = new ArrayList<>();
    for (int tree = 0; tree < 3; tree++) {
      List<Entry> entries = new ArrayList<>();
      for (int i = 0; i < 600; i++) {
        byte[] value = new byte[100];
        random.nextBytes(value);
        long sequence = (3 - tree) * 1000L + i;
        entries.add(
            Entry.of(new byte[] {(byte) random.nextInt(12)}, sequence, EntryKind.PUT, value));
      }
      entries.sort(null);
      inputs.add(new LogicalTree(ssts.nextNumber(), List.of(ssts.write(entries))));
    }
    CollectedProgress result = merge(inputs, List.of(), MOVES, LongStream.range(1, 4000).toArray());
    assertThat(result.droppedEntries()).isZero();
    assertThat(result.written()).hasSizeGreaterThan(5);
    // The constructor refuses SSTs that share a key.
    assertThat(new LogicalTree(1, result.written()).entries()).isEqualTo(1800);
  }

  /** I3: a frontier after the first version of a key would hide the others. */
  @Test
  void frontiersLieBetweenWhatIsWrittenAndWhatFollows() {
    List<Entry> entries = EntryDrawing.sortedEntries(Shape.NUMBERED, 3000, new Random(3));
    CollectedProgress result = merge(treesOf(entries, 3), List.of(), REWRITES);
    List<Sst> written = result.written();
    List<byte[]> frontiers = result.frontiers();
    assertThat(written).hasSizeGreaterThan(3).hasSameSizeAs(frontiers);
    for (int i = 0; i + 1 < written.size(); i++) {
      byte[] frontier = frontiers.get(i);
      assertThat(Arrays.compareUnsigned(frontier, written.get(i).largestKey())).isNotNegative();
      assertThat(Arrays.compareUnsigned(frontier, written.get(i + 1).smallestKey())).isNegative();
    }
  }

  @Test
  void randomTreesLeaveWhatTheFilterKeepsAndNoSmallSsts() {
    for (int seed = 0; seed < 12; seed++) {
      Random random = new Random(seed);
      List<Shape> shapes = List.of(Shape.values());
      Shape shape = shapes.get(seed % shapes.size());
      List<Entry> all = EntryDrawing.sortedEntries(shape, 1500 + random.nextInt(1500), random);
      List<LogicalTree> inputs = treesOf(all, 2 + random.nextInt(3));
      long[] snapshots = random.longs(random.nextInt(3), 1, all.size()).sorted().toArray();
      CollectedProgress result = merge(inputs, List.of(), REWRITES, snapshots);
      VersionFilter filter =
          new VersionFilter(EntryKinds.STANDARD, snapshots, (key, offset, length) -> false, null);
      List<Entry> expected =
          all.stream().filter(e -> filter.keep(e.key(), 0, e.key().length, e.trailer())).toList();
      List<Entry> actual =
          result.written().stream().flatMap(sst -> WrittenSsts.read(sst).stream()).toList();
      assertThat(actual).describedAs("seed %d", seed).isEqualTo(expected);
      assertThat(result.droppedEntries()).isEqualTo(all.size() - expected.size());
      if (shape != Shape.TINY) { // whose few keys have versions for several split units each
        assertThat(result.written())
            .describedAs("seed %d: no small SST, no giant", seed)
            .allSatisfy(
                sst ->
                    assertThat(sst.meta().fileBytes()).isBetween(SPLIT_UNIT / 4, 2 * SPLIT_UNIT));
      }
    }
  }

  /** Newest sequence numbers in the first tree, as I1 wants it. */
  private List<LogicalTree> treesOf(List<Entry> all, int count) {
    List<LogicalTree> trees = new ArrayList<>();
    for (int i = count - 1; i >= 0; i--) {
      long from = (long) all.size() * i / count;
      long to = (long) all.size() * (i + 1) / count;
      List<Entry> part =
          all.stream().filter(e -> e.sequence() > from && e.sequence() <= to).toList();
      trees.add(new LogicalTree(ssts.nextNumber(), List.of(ssts.write(part))));
    }
    return trees;
  }

  @Test
  void cancelledMergeLeavesOnlyWhatItHandedOver() throws IOException {
    List<Entry> all = EntryDrawing.sortedEntries(Shape.WILD, 9000, new Random(1));
    List<LogicalTree> inputs = treesOf(all, 2);
    List<Path> before = files();
    cancelled = true;
    assertThatThrownBy(() -> merge(inputs, List.of(), MOVES))
        .isInstanceOf(CancellationException.class);
    assertThat(files()).isEqualTo(withOutputs(before));
  }

  /** The database was dropped, which cancels its merges after its SSTs are gone. */
  @Test
  void mergeOfInputsThatAreGoneIsCancelled() {
    LogicalTree one = tree("a3 b4");
    LogicalTree other = tree("a1 b2");
    other.ssts().forEach(ssts::markObsolete);
    cancelled = true;
    assertThatThrownBy(() -> merge(List.of(one, other), List.of(), MOVES))
        .isInstanceOf(CancellationException.class);
  }

  /** The same before any entry is read: range tombstones of all inputs come first. */
  @Test
  void mergeOfInputsWithRangeTombstonesThatAreGoneIsCancelled() {
    LogicalTree one = new LogicalTree(ssts.nextNumber(), List.of(ssts.write("a3 b4", "c-d5")));
    LogicalTree other = new LogicalTree(ssts.nextNumber(), List.of(ssts.write("a1 b2", "c-d3")));
    other.ssts().forEach(ssts::markObsolete);
    cancelled = true;
    assertThatThrownBy(() -> merge(List.of(one, other), List.of(), MOVES))
        .isInstanceOf(CancellationException.class);
  }

  @Test
  void damagedInputLeavesOnlyWhatWasHandedOver() throws IOException {
    List<Entry> all = EntryDrawing.sortedEntries(Shape.WILD, 4000, new Random(1));
    List<LogicalTree> inputs = treesOf(all, 2);
    Path file = directory.resolve(String.format("%012d.sst", inputs.get(0).ssts().get(0).number()));
    byte[] bytes = Files.readAllBytes(file);
    bytes[bytes.length / 2] ^= 1;
    Files.write(file, bytes);
    List<Path> before = files();
    assertThatThrownBy(() -> merge(inputs, List.of(), MOVES))
        .isInstanceOf(io.sifr.error.CorruptionException.class);
    assertThat(files()).isEqualTo(withOutputs(before));
  }

  /** Its inputs are deleted next, so this is the last time that they could replace it. */
  private void change(Consumer<byte[]> change) throws IOException {
    Path output = FileKind.SST.path(directory, ssts.nextNumber() - 1);
    byte[] bytes = Files.readAllBytes(output);
    change.accept(bytes);
    Files.write(output, bytes);
  }

  private void requireNothingIsHandedOver(String why) throws IOException {
    LogicalTree one = tree("b5 c4");
    Entry entry = Entry.of("a".getBytes(UTF_8), 9, EntryKind.PUT, VALUE.getBytes(UTF_8));
    LogicalTree two = new LogicalTree(ssts.nextNumber(), List.of(ssts.write(List.of(entry))));
    List<Path> before = files();
    assertThatThrownBy(() -> merge(List.of(two, one), List.of(), REWRITES))
        .isInstanceOf(CorruptionException.class)
        .hasMessageContaining(why);
    assertThat(outputs).isEmpty();
    assertThat(files()).isEqualTo(before);
  }

  /** In the file's header, a block, its zeros and its checksum, the index, and the footer. */
  @ParameterizedTest
  @CsvSource({
    "10, file header",
    "70, data block",
    "2000, data block",
    "4095, data block",
    "4100, index",
    "8150, footer"
  })
  void anOutputThatTheDiskHasDamagedIsNotHandedOver(int at, String what) throws IOException {
    whenSynced = () -> change(bytes -> bytes[at] ^= 1);
    requireNothingIsHandedOver(what);
  }

  /** Its checksums are right, those of the block too. */
  @Test
  void anOutputThatIsIntactButNotWhatWasWrittenIsNotHandedOver() throws IOException {
    whenSynced =
        () ->
            change(
                bytes -> {
                  bytes[new String(bytes, ISO_8859_1).indexOf(VALUE)] ^= 1;
                  ByteBuffer file = ByteBuffer.wrap(bytes);
                  long id = FileHeader.uniqueId(file);
                  int start = FileHeader.BYTES;
                  new StoredBlock.Encoder(id, null)
                      .complete(file, start, SstFormat.PAGE_BYTES, start);
                });
    requireNothingIsHandedOver("is not what was written");
  }

  /** Its blocks have the right checksums, but what is in them are not the entries. */
  @Test
  void anOutputThatTheWriterHasEncodedWronglyIsNotHandedOver() throws IOException {
    codec =
        new BlockCodec() {
          @Override
          public int id() {
            return 121;
          }

          @Override
          public boolean encode(ByteBuffer raw, ByteBuffer target) {
            int firstWord = raw.position() + BlockEntries.HEAD_BYTES;
            target.put(raw.duplicate().put(firstWord, (byte) (raw.get(firstWord) + 1)));
            return true;
          }

          @Override
          public void decode(ByteBuffer payload, ByteBuffer target) {
            target.put(payload);
          }
        };
    requireNothingIsHandedOver("smallest key differs");
  }

  private List<Path> withOutputs(List<Path> before) {
    List<Path> files = new ArrayList<>(before);
    outputs.forEach(sst -> files.add(FileKind.SST.path(directory, sst.number())));
    files.sort(null);
    return files;
  }

  private List<Path> files() throws IOException {
    try (Stream<Path> files = Files.list(directory)) {
      return files.sorted().toList();
    }
  }
}
