package io.sifr.internal.compaction.merge;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.sifr.internal.codec.Codecs;
import io.sifr.internal.compaction.cut.SstSizes;
import io.sifr.internal.entry.EntryKind;
import io.sifr.internal.entry.EntryKinds;
import io.sifr.internal.entry.EntryLimits;
import io.sifr.internal.entry.range.DeadSpans;
import io.sifr.internal.entry.range.DrawnSpans;
import io.sifr.internal.entry.range.RangeTombstones;
import io.sifr.internal.forest.Guards;
import io.sifr.internal.forest.LogicalTree;
import io.sifr.internal.format.FileHeader;
import io.sifr.internal.format.FileKind;
import io.sifr.internal.memtable.Memtable;
import io.sifr.internal.sst.block.SstAccess;
import io.sifr.internal.sst.format.BlockCodecs;
import io.sifr.internal.sst.read.Sst;
import io.sifr.testing.Entry;
import io.sifr.testing.EntryDrawing;
import io.sifr.testing.EntryDrawing.Shape;
import io.sifr.testing.WrittenSsts;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.Random;
import java.util.stream.LongStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class FlushTaskTest {
  @TempDir Path directory;
  private WrittenSsts ssts;

  @BeforeEach
  void begin() {
    ssts = new WrittenSsts(directory);
  }

  @AfterEach
  void end() {
    ssts.close();
  }

  private List<Sst> written(List<Entry> entries, List<LogicalTree> older, long... snapshots) {
    return written(entries, List.of(), older, snapshots);
  }

  private List<Sst> written(
      List<Entry> entries,
      List<RangeTombstones.Fragment> ranges,
      List<LogicalTree> older,
      long... snapshots) {
    return written(entries, ranges, DeadSpans.NONE, older, snapshots);
  }

  private List<Sst> written(
      List<Entry> entries,
      List<RangeTombstones.Fragment> ranges,
      DeadSpans dead,
      List<LogicalTree> older,
      long... snapshots) {
    return written(entries, ranges, dead, older, 0, snapshots);
  }

  private List<Sst> written(
      List<Entry> entries,
      List<RangeTombstones.Fragment> ranges,
      DeadSpans dead,
      List<LogicalTree> older,
      int separateValuesFrom,
      long... snapshots) {
    Memtable memtable = new Memtable(1 << 20);
    for (RangeTombstones.Fragment range : ranges) {
      memtable.deleteRange(range.from(), range.to(), range.sequences()[0]);
      memtable.showRangeDeletes();
    }
    entries.stream()
        .sorted((a, b) -> Long.compare(a.sequence(), b.sequence()))
        .forEach(
            e ->
                memtable.add(
                    e.trailer(), e.key(), 0, e.key().length, e.value(), 0, e.value().length));
    TaskEnvironment environment =
        new TaskEnvironment(
            new TaskEnvironment.Files(
                ssts.fileSystem(),
                directory,
                SstAccess.mapped(ssts.fileSystem(), directory, BlockCodecs.STANDARD),
                ssts::nextNumber,
                () -> 9),
            new TaskEnvironment.Output(
                1,
                Codecs.NONE,
                0,
                new SstSizes(64 << 10, 64 << 10, 1 << 20, 0),
                Guards.NONE,
                separateValuesFrom),
            new TaskEnvironment.Entries(EntryKinds.STANDARD, 0),
            TaskEnvironment.Progress.UNWATCHED);
    return new FlushTask(environment, memtable, dead, snapshots, older).run();
  }

  /** Values below the threshold: not a byte differs but the number of the file, in its header. */
  @Test
  void shortValuesAreStoredAsWithoutAThreshold() throws IOException {
    List<Entry> entries = new ArrayList<>();
    for (int i = 0; i < 2000; i++) {
      byte[] key = String.format("key%06d", i * 7919 % 2000).getBytes(UTF_8);
      entries.add(Entry.of(key, 1 + i, EntryKind.PUT, new byte[i % 200]));
    }
    List<Sst> without = written(entries, List.of(), DeadSpans.NONE, List.of(), 0);
    List<Sst> with = written(entries, List.of(), DeadSpans.NONE, List.of(), 200);
    assertThat(with).hasSameSizeAs(without).isNotEmpty();
    for (int i = 0; i < with.size(); i++) {
      assertThat(afterHeader(with.get(i))).isEqualTo(afterHeader(without.get(i)));
      assertThat(with.get(i).meta().values()).isEmpty();
    }
    List<Sst> apart = written(entries, List.of(), DeadSpans.NONE, List.of(), 100);
    assertThat(apart).allSatisfy(sst -> assertThat(sst.meta().values()).hasSize(1));
    Path values = FileKind.VALUES.path(directory, apart.get(0).meta().values().get(0).file());
    assertThat(apart.stream().mapToLong(sst -> sst.meta().valueBytes()).sum())
        .isEqualTo(Files.size(values) - FileHeader.BYTES);
    List.of(without, with, apart).forEach(all -> all.forEach(sst -> sst.markObsolete(() -> {})));
  }

  private byte[] afterHeader(Sst sst) throws IOException {
    byte[] file = Files.readAllBytes(FileKind.SST.path(directory, sst.number()));
    return Arrays.copyOfRange(file, FileHeader.BYTES, file.length);
  }

  private List<Entry> flushed(List<Entry> entries, List<LogicalTree> older, long... snapshots) {
    List<Sst> written = written(entries, older, snapshots);
    List<Entry> read = written.stream().flatMap(sst -> WrittenSsts.read(sst).stream()).toList();
    written.forEach(sst -> sst.markObsolete(() -> {}));
    return read;
  }

  private String flushed(String drawing, List<LogicalTree> older, long... snapshots) {
    return WrittenSsts.draw(flushed(WrittenSsts.entries(drawing), older, snapshots));
  }

  @Test
  void shadowedVersionsStayForSnapshotsOnly() {
    assertThat(flushed("a1 a2 a3 b4", List.of())).isEqualTo("a3 b4");
    assertThat(flushed("a1 a2 a3 b4", List.of(), 2)).isEqualTo("a3 a2 b4");
    assertThat(flushed("a1 a2 a3 b4", List.of(), 1, 2, 3, 4)).isEqualTo("a3 a2 a1 b4");
  }

  @Test
  void tombstonesGoWhereNoTreeHoldsTheirKey() {
    List<LogicalTree> older = List.of(new LogicalTree(1, List.of(ssts.write("c1 e2"))));
    assertThat(flushed("a8 a9† d7†", older)).isEqualTo("d7†");
    assertThat(flushed("a8 a9† d7†", List.of())).isEmpty();
    assertThat(flushed("a8 a9† d7†", List.of(), 8)).isEqualTo("a9† a8");
  }

  /** I3, also where a flush is cut, between keys that lie far apart and have many versions. */
  @Test
  void versionsOfOneKeyStayInOneSst() {
    List<Entry> entries = new ArrayList<>();
    for (int cluster = 0; cluster < 4; cluster++) {
      for (int i = 0; i < 390; i++) {
        byte[] key = String.format("%c%06d", "AJTz".charAt(cluster), i / 3).getBytes(US_ASCII);
        entries.add(Entry.of(key, entries.size() + 1L, EntryKind.PUT, new byte[200]));
      }
    }
    List<Sst> written =
        written(entries, List.of(), LongStream.rangeClosed(1, entries.size()).toArray());
    assertThat(written).hasSizeGreaterThan(1);
    // The constructor refuses SSTs that share a key.
    assertThat(new LogicalTree(1, written).entries()).isEqualTo(entries.size());
    written.forEach(sst -> sst.markObsolete(() -> {}));
  }

  private static RangeTombstones.Fragment range(String from, String to, long sequence) {
    return new RangeTombstones.Fragment(
        from.getBytes(US_ASCII),
        to.isEmpty() ? null : to.getBytes(US_ASCII),
        new long[] {sequence});
  }

  private String drawn(List<Sst> written) {
    List<String> drawn =
        written.stream()
            .map(sst -> WrittenSsts.draw(WrittenSsts.read(sst)) + " " + sst.rangeTombstones())
            .toList();
    written.forEach(sst -> sst.markObsolete(() -> {}));
    return String.join(" | ", drawn);
  }

  /** Those that reach beyond the keys have SSTs of their own. */
  @Test
  void rangeTombstonesAreWrittenAsLongAsSomethingLiesBelow() {
    List<LogicalTree> older = List.of(new LogicalTree(1, List.of(ssts.write("a1 e1 z1"))));
    List<Entry> entries = WrittenSsts.entries("c3 c8 d9 f4 g7†");
    List<RangeTombstones.Fragment> ranges = List.of(range("b", "h", 5), range("e", "", 6));
    assertThat(drawn(written(entries, ranges, List.of()))).isEqualTo("c8 d9 null");
    assertThat(drawn(written(entries, ranges, older)))
        .isEqualTo(
            "b5† [\"b\", 0x62ffffffffffffffff00)[5]"
                + " | c8 d9 g7† [0x62ffffffffffffffff00, \"e\")[5] [\"e\", 0x6700)[6]"
                + " | g6† [0x6700, )[6]".replace("g6†", "g\u00006†"));
  }

  @Test
  void rangeTombstonesAndWhatTheyHideStayForSnapshots() {
    List<Entry> entries = WrittenSsts.entries("c3 d4");
    List<RangeTombstones.Fragment> ranges = List.of(range("c", "d", 5), range("c", "e", 6));
    assertThat(drawn(written(entries, ranges, List.of(), 3, 4)))
        .isEqualTo("c3 d4 [\"c\", \"e\")[6]");
    assertThat(drawn(written(entries, ranges, List.of(), 3, 5)))
        .isEqualTo("c3 d4 [\"c\", \"d\")[6, 5] [\"d\", \"e\")[6]");
    assertThat(drawn(written(entries, ranges, List.of(), 6))).isEmpty();
    assertThat(drawn(written(entries, ranges, List.of(), 5))).isEqualTo("d4 [\"c\", \"e\")[6]");
  }

  private String drawn(DeadSpans dead, String entries, String below, long... snapshots) {
    List<LogicalTree> older = List.of(new LogicalTree(1, List.of(ssts.write(below))));
    return drawn(written(WrittenSsts.entries(entries), List.of(), dead, older, snapshots));
  }

  @Test
  void whatCursorsHaveFoundToBeDeletedIsARangeTombstone() {
    DeadSpans found = DrawnSpans.dead("b", "e", 7);
    String entries = "b5† c9 c6† d7† f8";
    String below = "b1 c2 d3 e4";
    assertThat(drawn(found, entries, below)).isEqualTo("c9 d7† f8 [\"b\", \"e\")[7]");
    assertThat(drawn(found, entries, below, 7)).isEqualTo("c9 d7† f8 [\"b\", \"e\")[7]");
    assertThat(drawn(found, entries, "z1")).isEqualTo("c9 f8 null");
    // An older snapshot would take it for a change of other keys.
    assertThat(drawn(found, entries, below, 6)).isEqualTo("b5† c9 c6† d7† f8 null");
    // What lies below is newer: it was ingested.
    assertThat(drawn(found, "b8† f9", "b1 c7")).isEqualTo("b8† f9 null");
  }

  /** Found when other databases had been written to: nothing in the memtable is that new. */
  @Test
  void whatWasFoundLaterWasSoWithTheLastWrite() {
    DeadSpans found = DrawnSpans.dead("b", "e", 70);
    assertThat(drawn(found, "b5† c6† d7†", "b1 c2 d3")).isEqualTo("d7† [\"b\", \"e\")[7]");
  }

  /** I3: all that is said of a key is in one SST. */
  @Test
  void rangeTombstonesAreCutWithTheKeys() {
    List<LogicalTree> older = List.of(new LogicalTree(1, List.of(ssts.write("A1 z1"))));
    List<Entry> entries = new ArrayList<>();
    for (int cluster = 0; cluster < 4; cluster++) {
      for (int i = 0; i < 130; i++) {
        byte[] key = String.format("%c%06d", "AJTz".charAt(cluster), i).getBytes(US_ASCII);
        entries.add(Entry.of(key, entries.size() + 10L, EntryKind.PUT, new byte[600]));
      }
    }
    List<Sst> written = written(entries, List.of(range("", "", 5), range("B", "y", 6)), older);
    assertThat(written).hasSizeGreaterThan(4);
    // The constructor refuses SSTs that share a key.
    LogicalTree tree = new LogicalTree(1, written);
    for (Sst sst : written) {
      assertThat(Objects.requireNonNull(sst.rangeTombstones()).first())
          .isEqualTo(sst.smallestKey());
    }
    assertThat(RangeTombstones.merged(written.stream().map(Sst::rangeTombstones).toList()))
        .hasToString("[\"\", \"B\")[5] [\"B\", \"y\")[6] [\"y\", )[5]");
    assertThat(tree.slices().get(written.size() - 1).largestKey()).isSameAs(EntryLimits.LAST_KEY);
    written.forEach(sst -> sst.markObsolete(() -> {}));
  }

  @Test
  void withEverySnapshotNothingIsLost() {
    for (Shape shape : Shape.values()) {
      List<Entry> entries = EntryDrawing.sortedEntries(shape, 800, new Random(5));
      long[] snapshots = new long[801];
      java.util.Arrays.setAll(snapshots, i -> i);
      assertThat(flushed(entries, List.of(), snapshots))
          .describedAs("%s", shape)
          .isEqualTo(entries);
    }
  }
}
