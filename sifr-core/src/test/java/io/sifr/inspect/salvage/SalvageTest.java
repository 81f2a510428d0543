package io.sifr.inspect.salvage;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sifr.Cursor;
import io.sifr.Store;
import io.sifr.TestStores;
import io.sifr.config.LogAccess;
import io.sifr.config.StoreOptions;
import io.sifr.config.WriteOptions;
import io.sifr.error.StoreFailedException;
import io.sifr.error.StoreFullException;
import io.sifr.error.StoreIoException;
import io.sifr.error.StoreLockedException;
import io.sifr.error.UnsupportedFormatException;
import io.sifr.inspect.CheckProgress;
import io.sifr.inspect.Finding;
import io.sifr.inspect.check.StoreCheck;
import io.sifr.internal.entry.EntryKind;
import io.sifr.internal.forest.Catalog.Totals;
import io.sifr.internal.forest.ForestEdit;
import io.sifr.internal.forest.KeySpan;
import io.sifr.internal.format.FileHeader;
import io.sifr.internal.format.FileKind;
import io.sifr.internal.io.RandomReadFile;
import io.sifr.internal.io.StoreFileSystem;
import io.sifr.internal.sst.read.Sst;
import io.sifr.internal.wal.WalParts;
import io.sifr.internal.wal.WalWriter;
import io.sifr.testing.CompactionEdits;
import io.sifr.testing.Directories;
import io.sifr.testing.DrawnStore;
import io.sifr.testing.Entry;
import io.sifr.testing.FaultyFileSystem;
import io.sifr.testing.FaultyFileSystem.Fault;
import io.sifr.testing.FaultyFileSystem.Operation;
import io.sifr.testing.ForwardingFileSystem;
import io.sifr.testing.SampleStore;
import io.sifr.testing.TestManifests;
import io.sifr.testing.WrittenSsts;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** What {@link SalvageModelTest} does not draw: leftovers, running merges, and what is refused. */
class SalvageTest {
  private static final StoreFileSystem FILES = DrawnStore.FILES;
  private static final int MANY = 3000;

  @TempDir Path parent;
  private Path source = Path.of("");
  private Path target = Path.of("");
  private WrittenSsts ssts = new WrittenSsts(source);

  @BeforeEach
  void makeSource() throws IOException {
    source = Files.createDirectory(parent.resolve("source"));
    target = parent.resolve("target");
    ssts = new WrittenSsts(source);
  }

  @AfterEach
  void closeSsts() {
    ssts.close();
  }

  private SalvageReport salvage() {
    return TestSalvages.run(FILES, source, target);
  }

  /** What a database of the target holds, as in drawings of SSTs. */
  private String rescued(String database) {
    try (Store store = TestStores.open(target, StoreOptions.DEFAULT, FILES)) {
      StringBuilder drawing = new StringBuilder();
      try (Cursor cursor = store.database(database).cursor()) {
        while (cursor.next()) {
          drawing.append(' ').append(new String(cursor.value(), US_ASCII));
        }
      }
      return drawing.toString().strip();
    }
  }

  private List<String> databases() {
    try (Store store = TestStores.open(target, StoreOptions.DEFAULT, FILES)) {
      return store.databaseNames();
    }
  }

  private static Map<String, byte[]> content(Path directory, String database) {
    Map<String, byte[]> content = new TreeMap<>();
    try (Store store = TestStores.open(directory, StoreOptions.DEFAULT, FILES);
        Cursor cursor = store.database(database).cursor()) {
      while (cursor.next()) {
        content.put(new String(cursor.key(), US_ASCII), cursor.value());
      }
    }
    return content;
  }

  /** Writes a manifest of the default database with those edits. */
  private void manifest(ForestEdit... edits) {
    manifest(900, edits);
  }

  private void manifest(long number, ForestEdit... edits) {
    List<ForestEdit> all = new ArrayList<>();
    all.add(new ForestEdit.DatabaseCreated(1, "default"));
    all.addAll(Arrays.asList(edits));
    TestManifests.create(FILES, source, number, all).close();
  }

  private static ForestEdit tree(int stage, long id, Sst... ssts) {
    return new ForestEdit.TreeAdded(1, stage, id, List.of(ssts));
  }

  private Path file(Sst sst) {
    return FileKind.SST.path(source, sst.number());
  }

  @Test
  void whatARangeDeleteHidesStaysDeleted() {
    Sst old = ssts.write("a1 b2 c3 d4");
    Sst deleting = ssts.write("c9 e2", "b-d7");
    manifest(tree(2, 10, old), tree(1, 11, deleting));
    SalvageReport report = salvage();
    assertThat(report.lost()).isEmpty();
    assertThat(rescued("default")).isEqualTo("a1 c9 d4 e2");
  }

  /** They are lost with the properties, and what they deleted is back. */
  @Test
  void lostRangeDeletesAreListed() throws IOException {
    Sst old = ssts.write("a1 b2 c3 d4");
    Sst deleting = ssts.write("c9 e2", "b-d7");
    manifest(tree(2, 10, old), tree(1, 11, deleting));
    Directories.flip(file(deleting), Files.size(file(deleting)) - 100);
    Directories.flip(file(deleting), 4096 + 60);
    SalvageReport report = salvage();
    assertThat(report.lost())
        .singleElement()
        .satisfies(
            lost -> {
              assertThat(lost.finding().what())
                  .isEqualTo(
                      "range deletes are lost, 1 in number: what they deleted may be there again");
              assertThat(lost.firstKey()).isEqualTo(new byte[] {'b'});
              assertThat(lost.lastKey()).isEqualTo(new byte[] {'e'});
              assertThat(lost.doubtful()).isEqualTo(3); // b2 and d4 and e2
            });
    assertThat(rescued("default")).isEqualTo("a1 b2 c9 d4 e2");
  }

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void aSoundStoreIsCopied(boolean killed) throws Exception {
    Path sound = killed ? SampleStore.killed(parent) : SampleStore.closed(parent.resolve("closed"));
    List<Long> done = new ArrayList<>();
    List<Long> totals = new ArrayList<>();

    SalvageReport report =
        Salvage.run(
            DrawnStore.offline(FILES, sound),
            target,
            (doneBytes, totalBytes) -> {
              done.add(doneBytes);
              totals.add(totalBytes);
              assertThat(target.resolve("CURRENT")).doesNotExist();
            });

    assertThat(report.isClean()).isTrue();
    assertThat(report.logRecords() > 0).isEqualTo(killed);
    assertThat(done).isSorted();
    assertThat(totals.stream().distinct()).hasSize(1);
    assertThat(done.get(done.size() - 1)).isEqualTo(totals.get(0));
    assertThat(StoreCheck.run(target, CheckProgress.NONE).isClean()).isTrue();
    Path copy = Directories.copy(sound, parent.resolve("copy"));
    for (String database : List.of("default", "second")) {
      Map<String, byte[]> expected = content(copy, database);
      assertThat(content(target, database)).containsExactlyEntriesOf(expected);
      assertThat(report.databases())
          .filteredOn(d -> d.name().equals(database))
          .singleElement()
          .satisfies(d -> assertThat(d.entries()).isEqualTo(expected.size()));
    }
  }

  @Test
  void theNewestVersionWinsWhereverItLies() {
    Sst old = ssts.write("a3 b3 c3 d3");
    Sst middle = ssts.write("a5† b4 c5†");
    Sst young = ssts.write("c6 d9†");
    // In no order that a reader could believe.
    manifest(tree(1, 10, old), tree(1, 11, young), tree(2, 12, middle));

    assertThat(salvage().isClean()).isTrue();

    assertThat(rescued("default")).isEqualTo("b4 c6");
  }

  @Test
  void withAWholeManifestLeftoversOfMergesDoNotCount() throws IOException {
    Sst merged = ssts.write("b3");
    manifest(tree(2, 10, merged), new ForestEdit.FlushedTo(1, 3));
    ssts.write("a1 b2"); // an input whose newer version of "a", a deletion, is gone
    Files.write(FileKind.SST.path(source, 77), new byte[5000]); // an output that was not finished

    SalvageReport report = salvage();

    assertThat(report.isClean()).isTrue();
    assertThat(rescued("default")).isEqualTo("b3");
  }

  /** The file system lost what was appended last, and nothing in the manifest tells. */
  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void ssTsNewerThanTheManifestAreTaken(boolean killed) throws IOException {
    Path live = parent.resolve("live");
    Path copy;
    long before;
    StoreOptions options = StoreOptions.builder().writeBufferBytes(1 << 16).build();
    try (Store store = TestStores.open(live, options, FILES)) {
      store.database().put(SampleStore.key(1), SampleStore.key(1));
      store.database().put(SampleStore.key(2), SampleStore.key(2));
      store.flush();
      before = Files.size(Directories.files(live, FileKind.MANIFEST).get(0));
      // Only the SST has them.
      store.database().put(SampleStore.key(2), SampleStore.key(3), WriteOptions.UNLOGGED);
      store.database().delete(SampleStore.key(1), WriteOptions.UNLOGGED);
      store.flush();
      copy = Directories.copy(live, parent.resolve("copy"));
    }
    Path torn = killed ? copy : live;
    Path manifest = Directories.files(torn, FileKind.MANIFEST).get(0);
    Files.write(manifest, Arrays.copyOf(Files.readAllBytes(manifest), (int) before));

    SalvageReport report = TestSalvages.run(FILES, torn, target);

    assertThat(rescued("default")).isEqualTo("key000003");
    // It may as well be a flush whose end was not reached.
    assertThat(report.isClean()).isTrue();
  }

  @Test
  void withoutAManifestLeftoversCannotBeToldApart() throws IOException {
    ssts.write("b3");
    ssts.write("a1 b2");
    Files.write(FileKind.SST.path(source, 77), new byte[5000]);

    SalvageReport report = salvage();

    // They do not even tell their database, so none hides what another one holds.
    assertThat(databases()).containsExactly("default", "salvaged-sst-1", "salvaged-sst-2");
    assertThat(rescued("salvaged-sst-1")).isEqualTo("b3");
    assertThat(rescued("salvaged-sst-2")).isEqualTo("a1 b2");
    assertThat(report.notes()).extracting(Finding::what).anyMatch(n -> n.contains("no manifest"));
    assertThat(report.lost())
        .singleElement()
        .satisfies(
            piece -> {
              assertThat(piece.finding().file()).isEqualTo(FileKind.SST.path(source, 77));
              assertThat(piece.finding().what()).contains("does not name this SST");
            });
  }

  @Test
  void whatARunningMergeHasComeThroughIsNotTakenFromItsInputs() {
    Sst old = ssts.write("a1 b1 c1 d1");
    Sst young = ssts.write("a2† b2 c2 d2†");
    Sst written = ssts.write("b2"); // the deletion of "a" was not needed any more
    manifest(
        tree(1, 10, old),
        tree(1, 11, young),
        CompactionEdits.begun(12, List.of(11L, 10L), 2),
        new ForestEdit.CompactionProgressed(
            1, 12, KeySpan.upTo("b".getBytes(US_ASCII)), List.of(written), List.of()));

    assertThat(salvage().isClean()).isTrue();

    assertThat(rescued("default")).isEqualTo("b2 c2");
  }

  @Test
  void damageToWhatARunningMergeHasComeThroughCostsNothing() throws IOException {
    Sst old = ssts.write("a1");
    List<Entry> both = new ArrayList<>(entries("b", 2));
    both.addAll(entries("c", 5000));
    Sst input = ssts.write(both);
    Sst written = ssts.write(entries("b", 2));
    byte[] last = written.largestKey();
    manifest(
        tree(1, 10, old),
        tree(1, 11, input),
        CompactionEdits.begun(12, List.of(11L, 10L), 2),
        new ForestEdit.CompactionProgressed(
            1, 12, KeySpan.upTo(last), List.of(written), List.of()));
    byte[] bytes = Files.readAllBytes(file(input));
    bytes[5000] ^= 1; // among the keys that begin with b
    Files.write(file(input), bytes);

    SalvageReport report = salvage();

    assertThat(report.lost()).isEmpty();
    assertThat(report.entries()).isEqualTo(2 * MANY);
    assertThat(report.notes()).isEmpty();
  }

  /** Entries whose keys are a letter and five digits: several blocks of them. */
  private static List<Entry> entries(String letter, int firstSequence) {
    List<Entry> entries = new ArrayList<>();
    for (int i = 0; i < MANY; i++) {
      byte[] key = String.format("%s%05d", letter, i).getBytes(US_ASCII);
      entries.add(Entry.of(key, firstSequence + i, EntryKind.PUT, key));
    }
    return entries;
  }

  @Test
  void inALostPieceOlderVersionsComeBackAndAreCounted() throws IOException {
    Sst old = ssts.write("a1 b2 c3 d4 e5");
    Sst young = ssts.write("b7 c8† d9†");
    manifest(tree(1, 10, old), tree(1, 11, young));
    Files.delete(file(young));

    SalvageReport report = salvage();

    assertThat(rescued("default")).isEqualTo("a1 b2 c3 d4 e5");
    assertThat(report.notes()).isEmpty();
    assertThat(report.lost())
        .singleElement()
        .satisfies(
            piece -> {
              assertThat(piece.finding().file()).isEqualTo(file(young));
              assertThat(piece.database()).isEqualTo("default");
              assertThat(piece.firstKey()).isEqualTo("b".getBytes(US_ASCII));
              assertThat(piece.lastKey()).isEqualTo("d".getBytes(US_ASCII));
              assertThat(piece.entries()).isEqualTo(3);
              assertThat(piece.doubtful()).isEqualTo(3);
              assertThat(piece.toString())
                  .contains("about 3 entries of default, from \"b\" to \"d\"; 3 rescued there");
            });
  }

  @Test
  void whatIsNewerThanALostPieceIsNotDoubtful() throws IOException {
    Sst old = ssts.write("b1 c2 d3");
    Sst young = ssts.write("a4 b7 c8 d9");
    manifest(tree(1, 10, old), tree(1, 11, young));
    Files.delete(file(old));

    SalvageReport report = salvage();

    assertThat(rescued("default")).isEqualTo("a4 b7 c8 d9");
    assertThat(report.lost())
        .singleElement()
        .satisfies(piece -> assertThat(piece.doubtful()).isZero());
  }

  @Test
  void withoutCurrentTheNewestManifestWithAWholeSnapshotCounts() throws IOException {
    Sst kept = ssts.write("a1");
    Sst torn = ssts.write("b1");
    manifest(800, tree(1, 10, kept), new ForestEdit.TotalsReached(Totals.NONE));
    byte[] older = Files.readAllBytes(FileKind.MANIFEST.path(source, 800));
    Files.delete(source.resolve("CURRENT"));
    manifest(900, tree(1, 10, kept), tree(1, 11, torn));
    byte[] newer = Files.readAllBytes(FileKind.MANIFEST.path(source, 900));
    Files.delete(source.resolve("CURRENT"));
    Files.write(FileKind.MANIFEST.path(source, 800), older);
    // Its writing was cut off: nothing tells that there are more edits.
    Files.write(FileKind.MANIFEST.path(source, 900), Arrays.copyOf(newer, 88));

    SalvageReport report = salvage();

    assertThat(rescued("default")).isEqualTo("a1");
    assertThat(report.lost()).isEmpty();
    assertThat(report.notes())
        .containsExactly(new Finding(source.resolve("CURRENT"), 0, "the file is missing"));
  }

  @Test
  void databasesKeepTheirNumbersWithoutAManifest() throws IOException {
    Path closed = SampleStore.closed(parent.resolve("closed"));
    Map<String, byte[]> first = content(Directories.copy(closed, parent.resolve("a")), "default");
    Map<String, byte[]> second = content(Directories.copy(closed, parent.resolve("b")), "second");
    for (Path manifest : Directories.files(closed, FileKind.MANIFEST)) {
      Files.delete(manifest);
    }

    SalvageReport report = TestSalvages.run(FILES, closed, target);

    assertThat(databases()).containsExactly("default", "salvaged-2");
    assertThat(content(target, "default")).containsExactlyEntriesOf(first);
    assertThat(content(target, "salvaged-2")).containsExactlyEntriesOf(second);
    assertThat(report.lost()).isEmpty();
    assertThat(report.isClean()).isFalse();
    assertThat(report.notes())
        .extracting(Finding::what)
        .anyMatch(note -> note.contains("nothing tells the name of database 2"));
  }

  @Test
  void recordsAfterADamagedOneAreTakenFromTheLog() throws IOException {
    manifest(new ForestEdit.NumbersReserved(1000), new ForestEdit.LogStart(50));
    AtomicLong numbers = new AtomicLong(49);
    try (WalWriter log =
        new WalWriter(
            new WalParts(
                FILES, source, numbers::incrementAndGet, 1 << 16, LogAccess.WRITTEN, task -> {}),
            0)) {
      for (int i = 0; i < 5; i++) {
        byte key = (byte) ('a' + i);
        byte[] put = {1, 1, key, 32, key, (byte) ('1' + i)};
        log.append(i + 1, 1, put, 0, put.length);
      }
    }
    Path segment = FileKind.WAL.path(source, 50);
    Directories.flip(segment, 32 + 2 * 40 + 20); // within the third record, of 8 + 20 + 6 bytes

    SalvageReport report = salvage();

    assertThat(rescued("default")).isEqualTo("a1 b2 d4 e5");
    assertThat(report.logRecords()).isEqualTo(4);
    assertThat(report.lost())
        .singleElement()
        .satisfies(
            piece -> {
              assertThat(piece.finding().file()).isEqualTo(segment);
              assertThat(piece.finding().offset()).isEqualTo(32 + 2 * 40);
              assertThat(piece.bytes()).isEqualTo(40);
              assertThat(piece.entries()).isEqualTo(1);
              assertThat(piece.database()).isNull();
              assertThat(piece.doubtful()).isEqualTo(-1);
            });
  }

  /** It is named by the seal of the one before, and by the manifest. */
  @ParameterizedTest
  @ValueSource(ints = {1, 2})
  void theMissingEndOfALogThatWasClosedIsListed(int missing) throws IOException {
    StoreOptions small = StoreOptions.builder().logSegmentBytes(8192).keptLogBytes(1 << 20).build();
    try (Store store = TestStores.open(source, small, FILES)) {
      for (int i = 0; i < 200; i++) {
        store.database().put(new byte[] {(byte) i}, new byte[100]);
      }
    }
    List<Path> segments = Directories.files(source, FileKind.WAL);
    List<Path> deleted = segments.subList(segments.size() - missing, segments.size());
    for (Path segment : deleted) {
      Files.delete(segment);
    }

    SalvageReport report = salvage();

    assertThat(report.lost())
        .extracting(piece -> piece.finding().file())
        .containsExactlyElementsOf(deleted);
    assertThat(report.isClean()).isFalse();
  }

  @Test
  void pagesThatCannotBeReadAreLostAndTheOthersAreNot() throws IOException {
    Path closed = SampleStore.closed(parent.resolve("closed"));
    Path bad = Directories.files(closed, FileKind.SST).get(0);
    StoreFileSystem failing =
        new ForwardingFileSystem(FILES) {
          @Override
          public RandomReadFile openForRead(Path file) {
            return new ForwardingRandomReadFile(super.openForRead(file)) {
              @Override
              public void readFully(ByteBuffer buffer, long position) {
                if (file.equals(bad) && position < 8192 && position + buffer.remaining() > 4096) {
                  throw new StoreIoException(file, "read", new IOException("bad sector"));
                }
                super.readFully(buffer, position);
              }
            };
          }
        };

    SalvageReport report = TestSalvages.run(failing, closed, target);

    assertThat(report.lost())
        .singleElement()
        .satisfies(
            piece -> {
              assertThat(piece.finding().file()).isEqualTo(bad);
              assertThat(piece.finding().offset()).isEqualTo(4096);
              assertThat(piece.bytes()).isEqualTo(4096);
              assertThat(piece.entries()).isPositive();
            });
    assertThat(report.notes())
        .singleElement()
        .satisfies(
            note -> {
              assertThat(note.file()).isEqualTo(bad);
              assertThat(note.offset()).isEqualTo(4096);
              assertThat(note.what()).contains("4096 bytes", "bad sector");
            });
  }

  @Test
  void targetsThatAreNotEmptyOrLieInTheSourceAreRefused() throws IOException {
    manifest(tree(1, 10, ssts.write("a1")));
    Path full = Files.createDirectory(parent.resolve("full"));
    Files.writeString(full.resolve("note"), "mine");
    List<Path> before = Directories.files(source);
    Path link = Files.createSymbolicLink(parent.resolve("link"), source);

    for (Path refused :
        List.of(
            full,
            source,
            source.resolve("inside"),
            source.resolve("deep/inside"),
            link.resolve("inside"),
            parent.resolve("other/../source/inside"))) {
      assertThatThrownBy(() -> TestSalvages.run(FILES, source, refused))
          .describedAs(refused.toString())
          .isInstanceOf(IllegalArgumentException.class)
          .hasMessageContaining(refused.toString());
    }

    assertThat(full.resolve("note")).hasContent("mine");
    assertThat(Directories.files(source)).isEqualTo(before);
    assertThat(parent.resolve("other")).doesNotExist();
    Files.delete(full.resolve("note"));
    target = full; // empty now
    salvage();
    assertThat(rescued("default")).isEqualTo("a1");
  }

  @Test
  void whatIsNoStoreIsRefused() throws IOException {
    Files.writeString(source.resolve("notes.txt"), "nothing");
    assertThatThrownBy(this::salvage)
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("holds nothing of a store");
    source = parent.resolve("missing");
    assertThatThrownBy(this::salvage).isInstanceOf(IllegalArgumentException.class);
    assertThat(target).doesNotExist();
    assertThat(source).doesNotExist();
  }

  @Test
  void aStoreThatIsOpenIsRefused() {
    try (Store store = TestStores.open(source, StoreOptions.DEFAULT, FILES)) {
      store.database().put(new byte[1], new byte[1]);
      assertThatThrownBy(this::salvage).isInstanceOf(StoreLockedException.class);
    }
    assertThat(target).doesNotExist();
    salvage();
  }

  @Test
  void filesOfANewerVersionAreRefused() throws IOException {
    Sst sst = ssts.write("a1");
    manifest(tree(1, 10, sst));
    byte[] bytes = Files.readAllBytes(file(sst));
    new FileHeader(FileKind.SST, 9, sst.number(), sst.meta().uniqueId(), 0, 0)
        .encodeTo(ByteBuffer.wrap(bytes), 0);
    Files.write(file(sst), bytes);

    assertThatThrownBy(this::salvage).isInstanceOf(UnsupportedFormatException.class);
    assertThat(target).doesNotExist();
  }

  @ParameterizedTest
  @EnumSource(names = {"CREATE", "APPEND", "SYNC", "RENAME", "SYNC_DIRECTORY"})
  @Timeout(value = 120, unit = TimeUnit.SECONDS)
  void aTargetThatCannotBeWrittenIsLeftAsItWas(Operation operation) throws IOException {
    Path killed = SampleStore.killed(parent);
    FaultyFileSystem counting = new FaultyFileSystem(FILES);
    Path counted = Files.createDirectory(parent.resolve("counted"));
    TestSalvages.run(counting, killed, counted);
    int harmless =
        switch (operation) {
          case SYNC -> 1; // the last one, of the filter file, without which nothing is lost
          case SYNC_DIRECTORY -> counted.toRealPath().getNameCount(); // of those above it
          default -> 0;
        };
    int calls = (int) counting.calls(operation) - harmless;
    assertThat(calls).isPositive();
    for (int nth = 1; nth <= calls; nth += nth < 5 ? 1 : Math.max(1, calls / 9)) {
      Files.createDirectory(target);
      assertFails(killed, operation, nth);
      assertThat(target).isEmptyDirectory();
      Files.delete(target);
    }
    assertFails(killed, operation, 1);
    assertThat(target).doesNotExist();
    assertThat(TestSalvages.run(FILES, killed, target).isClean()).isTrue();
  }

  private void assertFails(Path killed, Operation operation, int nth) {
    FaultyFileSystem faulty = new FaultyFileSystem(FILES);
    faulty.failForGood(operation, path -> path.startsWith(target), nth, Fault.ENOSPC);
    assertThatThrownBy(() -> TestSalvages.run(faulty, killed, target))
        .describedAs("%s %d", operation, nth)
        .isInstanceOfAny(StoreFullException.class, StoreFailedException.class);
  }
}
