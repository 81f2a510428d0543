package io.sifr.internal.compaction;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;

import io.sifr.internal.entry.EntryKind;
import io.sifr.internal.forest.LogicalTree;
import io.sifr.internal.memtable.Memtable;
import io.sifr.internal.sst.BlockCodecs;
import io.sifr.internal.sst.Sst;
import io.sifr.internal.sst.SstAccess;
import io.sifr.testing.Entry;
import io.sifr.testing.EntryDrawing;
import io.sifr.testing.EntryDrawing.Shape;
import io.sifr.testing.WrittenSsts;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
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
    Memtable memtable = new Memtable(1 << 20);
    entries.stream()
        .sorted((a, b) -> Long.compare(a.sequence(), b.sequence()))
        .forEach(
            e ->
                memtable.add(
                    e.trailer(), e.key(), 0, e.key().length, e.value(), 0, e.value().length));
    TaskEnvironment environment =
        new TaskEnvironment(
            ssts.fileSystem(),
            directory,
            SstAccess.mapped(ssts.fileSystem(), directory, BlockCodecs.STANDARD),
            1,
            ssts::nextNumber,
            () -> 9,
            0,
            new SstSizes(64 << 10, 64 << 10, 1 << 20, 0),
            Guards.NONE,
            () -> {});
    return new FlushTask(environment, memtable, snapshots, older).run();
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
