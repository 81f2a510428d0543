package io.sifr.behaviour;

import static io.sifr.behaviour.SmallStores.bytes;
import static io.sifr.behaviour.SmallStores.key;
import static io.sifr.behaviour.SmallStores.value;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sifr.Cursor;
import io.sifr.Database;
import io.sifr.ReadOptions;
import io.sifr.Snapshot;
import io.sifr.SstFileWriter;
import io.sifr.Store;
import io.sifr.TestStores;
import io.sifr.config.IngestFiles;
import io.sifr.config.IngestOptions;
import io.sifr.config.StoreOptions;
import io.sifr.config.WriteOptions;
import io.sifr.error.CorruptionException;
import io.sifr.error.SifrException;
import io.sifr.error.StoreIoException;
import io.sifr.event.Metric;
import io.sifr.inspect.CheckProgress;
import io.sifr.inspect.check.StoreCheck;
import io.sifr.internal.entry.EntryKind;
import io.sifr.internal.entry.EntryKinds;
import io.sifr.internal.entry.ExpiringKind;
import io.sifr.internal.entry.SeparatedKind.Reference;
import io.sifr.internal.io.DiskFileSystem;
import io.sifr.internal.io.StoreFileSystem;
import io.sifr.internal.sst.read.Sst;
import io.sifr.testing.Entry;
import io.sifr.testing.ForwardingFileSystem;
import io.sifr.testing.WrittenSsts;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Files of sorted entries that are added to a store. */
class IngestedFilesTest {
  private static final StoreOptions OPTIONS = SmallStores.options().build();

  @TempDir Path directory;

  private Path storeDirectory() {
    return directory.resolve("store");
  }

  private Store open() {
    return SmallStores.open(storeDirectory());
  }

  /** Keys from one to another, exclusive, with values of a version; negative: deleted. */
  private List<Path> write(String name, int from, int to, int version) {
    try (SstFileWriter writer = SstFileWriter.create(directory.resolve(name), OPTIONS)) {
      for (int i = from; i < to; i++) {
        if (version < 0) {
          writer.delete(key(i));
        } else {
          writer.put(key(i), value(i, version));
        }
      }
      return writer.finish().files();
    }
  }

  private static void assertHolds(Database database, int from, int to, int version) {
    for (int i = from; i < to; i++) {
      assertThat(database.get(key(i))).isEqualTo(version < 0 ? null : value(i, version));
    }
  }

  private List<Path> ssts() {
    return SmallStores.files(storeDirectory(), ".sst");
  }

  private void assertSound() {
    assertThat(StoreCheck.run(storeDirectory(), CheckProgress.NONE).findings()).isEmpty();
  }

  @ParameterizedTest
  @EnumSource(IngestFiles.class)
  void entriesAreServedAndDurable(IngestFiles how) {
    List<Path> files = write("a.sst", 0, 500, 1);
    IngestOptions options = IngestOptions.builder().files(how).build();
    try (Store store = open()) {
      store.database().ingest(files, options);
      assertHolds(store.database(), 0, 500, 1);
      try (Cursor cursor = store.database().cursor()) {
        assertThat(SmallStores.rest(cursor)).hasSize(500);
      }
    }
    for (Path file : files) {
      assertThat(Files.exists(file)).isEqualTo(how != IngestFiles.MOVE);
    }
    assertSound();
    try (Store store = open()) {
      assertHolds(store.database(), 0, 500, 1);
      store.database().compact();
      assertHolds(store.database(), 0, 500, 1);
    }
  }

  @Test
  void filesThatAreLinkedAreNotCopied() throws IOException {
    List<Path> files = write("a.sst", 0, 100, 1);
    try (Store store = open()) {
      store.pauseCompactions();
      store.database().ingest(files, IngestOptions.DEFAULT);
      assertThat(Files.isSameFile(files.get(0), ssts().get(0))).isTrue();
      assertThat(store.statistics().get(Metric.FLUSH_BYTES)).isZero();
      IngestOptions copies = IngestOptions.builder().files(IngestFiles.COPY).build();
      store.openOrCreateDatabase("other").ingest(files, copies);
      assertThat(ssts()).hasSize(2 * files.size());
      assertThat(Files.isSameFile(files.get(0), ssts().get(files.size()))).isFalse();
    }
  }

  @ParameterizedTest
  @EnumSource(IngestFiles.class)
  void aSymbolicLinkStandsForItsFile(IngestFiles how) throws IOException {
    Path file = write("a.sst", 0, 10, 1).get(0);
    Path link = Files.createSymbolicLink(directory.resolve("link"), file);
    IngestOptions options = IngestOptions.builder().files(how).build();
    try (Store store = open()) {
      store.database().ingest(List.of(link), options);
      assertHolds(store.database(), 0, 10, 1);
    }
    assertThat(Files.exists(file)).isEqualTo(how != IngestFiles.MOVE);
    assertThat(link).isSymbolicLink();
    assertSound();
  }

  /** As on another volume. */
  @ParameterizedTest
  @EnumSource(IngestFiles.class)
  void aSymbolicLinkStandsForItsFileWhereLinksCannotBeMade(IngestFiles how) throws IOException {
    Path file = write("a.sst", 0, 10, 1).get(0);
    Path link = Files.createSymbolicLink(directory.resolve("link"), file);
    StoreFileSystem files =
        new ForwardingFileSystem(new DiskFileSystem()) {
          @Override
          public boolean link(Path source, Path second) {
            return false;
          }
        };
    IngestOptions options = IngestOptions.builder().files(how).build();
    try (Store store = TestStores.open(storeDirectory(), OPTIONS, files)) {
      store.database().ingest(List.of(link), options);
      assertHolds(store.database(), 0, 10, 1);
    }
    assertThat(Files.exists(file)).isEqualTo(how != IngestFiles.MOVE);
    assertThat(link).isSymbolicLink();
    assertSound();
  }

  @Test
  void theyCountMoreThanWritesBeforeAndLessThanWritesAfter() {
    List<Path> files = write("a.sst", 0, 300, 2);
    try (Store store = open()) {
      Database database = store.database();
      SmallStores.fill(database, 0, 300, 1);
      database.ingest(files, IngestOptions.DEFAULT);
      assertHolds(database, 0, 300, 2);
      SmallStores.fill(database, 100, 200, 3);
      assertHolds(database, 0, 100, 2);
      assertHolds(database, 100, 200, 3);
      database.compact();
      assertHolds(database, 0, 100, 2);
      assertHolds(database, 100, 200, 3);
    }
    assertSound();
    try (Store store = open()) {
      assertHolds(store.database(), 0, 100, 2);
      assertHolds(store.database(), 100, 200, 3);
      assertHolds(store.database(), 200, 300, 2);
    }
  }

  @Test
  void theyMayDeleteKeys() {
    List<Path> files = write("a.sst", 100, 200, -1);
    try (Store store = open()) {
      SmallStores.fill(store.database(), 0, 300, 1);
      store.database().ingest(files, IngestOptions.DEFAULT);
      assertHolds(store.database(), 0, 100, 1);
      assertHolds(store.database(), 100, 200, -1);
      assertHolds(store.database(), 200, 300, 1);
      store.database().compact();
      assertHolds(store.database(), 100, 200, -1);
    }
    assertSound();
  }

  @Test
  void olderSnapshotsSeeNothingOfThem() {
    List<Path> files = write("a.sst", 0, 300, 2);
    try (Store store = open()) {
      Database database = store.database();
      SmallStores.fill(database, 0, 100, 1);
      try (Snapshot snapshot = store.snapshot();
          Cursor cursor = database.cursor()) {
        database.ingest(files, IngestOptions.DEFAULT);
        database.compact();
        ReadOptions before = ReadOptions.at(snapshot);
        assertThat(database.get(key(50), before)).isEqualTo(value(50, 1));
        assertThat(database.get(key(150), before)).isNull();
        assertThat(SmallStores.rest(cursor)).hasSize(100);
      }
      assertHolds(database, 0, 300, 2);
    }
  }

  @Test
  void severalDatabasesGetTheirsAtOnce() {
    Map<Database, List<Path>> files = new HashMap<>();
    try (Store store = open()) {
      Database other = store.openOrCreateDatabase("other");
      files.put(store.database(), write("a.sst", 0, 100, 1));
      files.put(other, write("b.sst", 50, 150, 2));
      files.put(store.openOrCreateDatabase("without files"), List.of());
      store.ingest(files, IngestOptions.DEFAULT);
      assertHolds(store.database(), 0, 100, 1);
      assertHolds(other, 50, 150, 2);
      assertThat(store.database("without files").forest().stages()).isEmpty();
    }
    assertSound();
  }

  @Test
  void theSameFileMayBeAddedSeveralTimes() throws IOException {
    List<Path> files = write("a.sst", 0, 200, 1);
    try (Store store = open();
        Store second = SmallStores.open(directory.resolve("second"))) {
      Database other = store.openOrCreateDatabase("other");
      store.ingest(Map.of(store.database(), files, other, files), IngestOptions.DEFAULT);
      second.database().ingest(files, IngestOptions.DEFAULT);
      SmallStores.fill(store.database(), 0, 100, 2);
      store.database().ingest(files, IngestOptions.DEFAULT);
      for (Path file : files) {
        Files.delete(file);
      }
      for (Database each : List.of(store.database(), other, second.database())) {
        assertHolds(each, 0, 200, 1);
        each.compact();
        assertHolds(each, 0, 200, 1);
      }
    }
    assertSound();
  }

  @Test
  void writesWithoutALogThatCameBeforeAreNotLost() {
    List<Path> files = write("a.sst", 0, 10, 2);
    try (Store store = open()) {
      store.database().put(key(5), value(5, 1), WriteOptions.UNLOGGED);
      store.database().put(key(15), value(15, 1), WriteOptions.UNLOGGED);
      store.database().ingest(files, IngestOptions.DEFAULT);
      assertHolds(store.database(), 0, 10, 2);
      assertHolds(store.database(), 15, 16, 1);
    }
  }

  @Test
  void whatOverlapsNothingAboveIsNotMergedWithSmallTrees() {
    List<Path> files = write("a.sst", 0, 5000, 1);
    try (Store store = open()) {
      store.database().ingest(files, IngestOptions.DEFAULT);
      assertThat(store.database().forest().stages().size()).isGreaterThan(2);
      long written = store.statistics().get(Metric.COMPACTION_BYTES);
      for (int i = 0; i < 10; i++) {
        SmallStores.fill(store.database(), 10_000, 10_010, i);
        store.flush();
        store.awaitIdle();
      }
      assertThat(store.statistics().get(Metric.COMPACTION_BYTES) - written)
          .isLessThan(files.stream().mapToLong(file -> file.toFile().length()).sum() / 2);
      assertHolds(store.database(), 0, 5000, 1);
    }
  }

  @Test
  void whatOverlapsATreeIsAboveIt() {
    List<Path> files = write("a.sst", 0, 5000, 2);
    try (Store store = open()) {
      store.pauseCompactions();
      SmallStores.fill(store.database(), 2000, 2010, 1);
      store.flush();
      store.database().ingest(files, IngestOptions.DEFAULT);
      assertHolds(store.database(), 0, 5000, 2);
      store.resumeCompactions();
      store.awaitIdle();
      assertHolds(store.database(), 0, 5000, 2);
    }
    assertSound();
  }

  @Test
  void filesThatOverlapAreRefused() {
    List<Path> files = new ArrayList<>(write("a.sst", 0, 100, 1));
    files.addAll(write("b.sst", 99, 200, 2));
    assertRefused(files, IllegalArgumentException.class, "overlap", "a.sst", "b.sst");
    Path twice = files.get(0);
    assertRefused(List.of(twice, twice), IllegalArgumentException.class, "overlap");
  }

  @Test
  void filesOfAStoreAreRefused() {
    try (Store other = SmallStores.open(directory.resolve("other"))) {
      SmallStores.fill(other.database(), 0, 100, 1);
    }
    List<Path> files = SmallStores.files(directory.resolve("other"), ".sst");
    assertRefused(files, IllegalArgumentException.class, "was written by a store");
  }

  /** Whatever wrote it: the value file would not be ingested with it. */
  @Test
  void aFileThatRefersToAValueFileIsRefused() throws IOException {
    Path others = Files.createDirectory(directory.resolve("others"));
    byte[] reference = new Reference(ExpiringKind.NEVER, 7, 32, 1000, 1000).encoded();
    EntryKind separated = EntryKinds.STANDARD.separated();
    try (WrittenSsts written = new WrittenSsts(others)) {
      Sst unused = written.write(List.of(Entry.of(SmallStores.key(1), 0, separated, reference)));
    }
    List<Path> files = SmallStores.files(others, ".sst");
    assertRefused(files, IllegalArgumentException.class, "was written by a store");
  }

  @Test
  void otherFilesAreRefused() throws IOException {
    Path text = directory.resolve("text");
    Files.writeString(text, "text");
    assertRefused(List.of(text), CorruptionException.class, "text");
    Files.writeString(text, "text".repeat(4096));
    assertRefused(List.of(text), CorruptionException.class, "text");
    Files.writeString(text, "");
    assertRefused(List.of(text), CorruptionException.class, "text");
    assertRefused(List.of(directory.resolve("none")), StoreIoException.class, "none");
    assertRefused(List.of(directory), SifrException.class, directory.toString());
  }

  /** Each byte of the first pages and the last one, and some of those between. */
  @ParameterizedTest
  @ValueSource(ints = {1, 0x80})
  void filesWithAnyDamageAreRefusedWithAllOthers(int bits) throws IOException {
    List<Path> files = new ArrayList<>(write("a.sst", 0, 20, 1));
    Path damaged = write("b.sst", 50, 80, 1).get(0);
    files.add(damaged);
    byte[] whole = Files.readAllBytes(damaged);
    try (Store store = open()) {
      SmallStores.fill(store.database(), 0, 10, 1);
      store.flush();
      store.awaitIdle();
      List<Path> before = ssts();
      for (int at = 0; at < whole.length; at += at < 64 || at > whole.length - 512 ? 1 : 37) {
        byte[] changed = whole.clone();
        changed[at] ^= (byte) bits;
        Files.write(damaged, changed);
        assertThatThrownBy(() -> store.database().ingest(files, IngestOptions.DEFAULT))
            .as("byte %s of %s", at, whole.length)
            .isInstanceOf(SifrException.class)
            .hasMessageContaining("b.sst");
      }
      for (int lost : new int[] {1, 4096, whole.length - 4096, whole.length - 1}) {
        Files.write(damaged, Arrays.copyOf(whole, whole.length - lost));
        assertThatThrownBy(() -> store.database().ingest(files, IngestOptions.DEFAULT))
            .isInstanceOf(CorruptionException.class)
            .hasMessageContaining("b.sst");
      }
      Files.write(damaged, Arrays.copyOf(whole, whole.length + 4096));
      assertThatThrownBy(() -> store.database().ingest(files, IngestOptions.DEFAULT))
          .isInstanceOf(CorruptionException.class)
          .hasMessageContaining("b.sst");
      assertThat(before).containsAll(ssts());
      assertHolds(store.database(), 10, 80, -1);
      Files.write(damaged, whole);
      store.database().ingest(files, IngestOptions.DEFAULT);
      assertHolds(store.database(), 50, 80, 1);
    }
    assertSound();
  }

  /** Pages of zeros, and pages that are whole, but not where they belong. */
  @Test
  void filesWithPagesFromElsewhereAreRefused() throws IOException {
    List<Path> files = new ArrayList<>(write("a.sst", 0, 20, 1));
    Path damaged = write("b.sst", 50, 250, 1).get(0);
    byte[] other = Files.readAllBytes(write("c.sst", 50, 250, 2).get(0));
    files.add(damaged);
    byte[] whole = Files.readAllBytes(damaged);
    assertThat(other).hasSameSizeAs(whole);
    int page = 4096;
    assertThat(whole.length).isGreaterThan(3 * page);
    try (Store store = open()) {
      for (int at = 0; at < whole.length; at += page) {
        for (byte[] source : List.of(new byte[whole.length], other, whole)) {
          byte[] changed = whole.clone();
          int from = source == whole ? (at + page) % whole.length : at;
          System.arraycopy(source, from, changed, at, page);
          Files.write(damaged, changed);
          assertThatThrownBy(() -> store.database().ingest(files, IngestOptions.DEFAULT))
              .as("page at %s of %s", at, whole.length)
              .isInstanceOf(CorruptionException.class)
              .hasMessageContaining("b.sst");
        }
      }
      assertThat(ssts()).isEmpty();
      Files.write(damaged, whole);
      store.database().ingest(files, IngestOptions.DEFAULT);
      assertHolds(store.database(), 0, 20, 1);
      assertHolds(store.database(), 50, 80, 1);
    }
    assertSound();
  }

  @Test
  void withoutVerifyingDamageIsFoundByTheReadThatMeetsIt() throws IOException {
    Path damaged = write("b.sst", 0, 50, 1).get(0);
    byte[] whole = Files.readAllBytes(damaged);
    whole[1000] ^= 1;
    Files.write(damaged, whole);
    try (Store store = open()) {
      IngestOptions unverified = IngestOptions.builder().verify(false).build();
      store.database().ingest(List.of(damaged), unverified);
      assertThatThrownBy(() -> store.database().get(key(3)))
          .isInstanceOf(CorruptionException.class);
    }
  }

  private void assertRefused(
      List<Path> files, Class<? extends Throwable> why, String... messageParts) {
    try (Store store = open()) {
      SmallStores.fill(store.database(), 0, 10, 7);
      store.flush();
      store.awaitIdle(); // no compaction adds a file; obsolete ones may still be deleted
      List<Path> before = ssts();
      assertThatThrownBy(() -> store.database().ingest(files, IngestOptions.DEFAULT))
          .isInstanceOf(why)
          .hasMessageContainingAll(messageParts);
      assertThat(before).containsAll(ssts());
      assertHolds(store.database(), 0, 10, 7);
      store.database().put(key(1), value(1, 8));
      assertHolds(store.database(), 1, 2, 8);
    }
    assertSound();
  }

  @Test
  void argumentsAreChecked() {
    List<Path> files = write("a.sst", 0, 10, 1);
    try (Store store = open();
        Store other = SmallStores.open(directory.resolve("other"))) {
      assertThatThrownBy(() -> store.ingest(Map.of(other.database(), files), IngestOptions.DEFAULT))
          .isInstanceOf(IllegalArgumentException.class)
          .hasMessageContaining("another store");
      Database dropped = store.openOrCreateDatabase("dropped");
      store.dropDatabase("dropped");
      assertThatThrownBy(() -> dropped.ingest(files, IngestOptions.DEFAULT))
          .isInstanceOf(IllegalStateException.class)
          .hasMessageContaining("dropped");
      store.database().ingest(List.of(), IngestOptions.DEFAULT);
      assertThat(store.database().forest().stages()).isEmpty();
      store.close();
      assertThatThrownBy(() -> store.database().ingest(files, IngestOptions.DEFAULT))
          .isInstanceOf(IllegalStateException.class)
          .hasMessageContaining("closed");
    }
  }

  @Test
  void aWriterRefusesKeysOutOfOrderAndGoesOn() {
    try (SstFileWriter writer = SstFileWriter.create(directory.resolve("a.sst"), OPTIONS)) {
      writer.put(key(2), value(2, 1));
      assertThatThrownBy(() -> writer.put(key(2), value(2, 2)))
          .isInstanceOf(IllegalArgumentException.class)
          .hasMessageContaining("\"key000002\" is not larger than the one before");
      assertThatThrownBy(() -> writer.delete(key(1))).isInstanceOf(IllegalArgumentException.class);
      assertThatThrownBy(() -> writer.put(new byte[(1 << 16) + 1], bytes("")))
          .isInstanceOf(IllegalArgumentException.class);
      writer.put(key(3), value(3, 1));
      SstFileWriter.Result result = writer.finish();
      assertThat(result.entries()).isEqualTo(2);
      assertThat(result.firstKey()).isEqualTo(key(2));
      assertThat(result.lastKey()).isEqualTo(key(3));
      assertThat(result.bytes()).isEqualTo(directory.resolve("a.sst").toFile().length());
      assertThatThrownBy(() -> writer.put(key(4), value(4, 1)))
          .isInstanceOf(IllegalStateException.class);
      assertThatThrownBy(writer::finish).isInstanceOf(IllegalStateException.class);
    }
    assertThat(directory.resolve("a.sst")).exists();
  }

  @Test
  void aWriterThatIsNotFinishedLeavesNothing() throws IOException {
    try (SstFileWriter writer = SstFileWriter.create(directory.resolve("a.sst"), OPTIONS)) {
      assertThatThrownBy(writer::finish)
          .isInstanceOf(IllegalStateException.class)
          .hasMessageContaining("no entry");
    }
    try (SstFileWriter writer = SstFileWriter.create(directory.resolve("a.sst"), OPTIONS)) {
      for (int i = 0; i < 1000; i++) {
        writer.put(key(i), value(i, 1));
      }
      assertThat(directory.resolve("a.sst.1")).exists();
    }
    try (var left = Files.list(directory)) {
      assertThat(left).isEmpty();
    }
  }

  @Test
  void aWriterOverwritesNothing() throws IOException {
    Path file = directory.resolve("a.sst");
    Files.writeString(file, "precious");
    assertThatThrownBy(() -> SstFileWriter.create(file, OPTIONS))
        .isInstanceOf(StoreIoException.class);
    assertThat(file).hasContent("precious");
  }

  @Test
  void filesAreAboutAsLargeAsTheSstsOfAStore() {
    List<Path> files = write("a.sst", 0, 2000, 1);
    assertThat(files.size()).isGreaterThan(8);
    assertThat(files).allMatch(file -> file.toFile().length() < 2 * OPTIONS.splitUnitBytes());
    Map<Path, Boolean> names = new TreeMap<>();
    files.forEach(file -> names.put(file.getFileName(), true));
    assertThat(names.keySet()).contains(Path.of("a.sst"), Path.of("a.sst.1"), Path.of("a.sst.2"));
  }
}
