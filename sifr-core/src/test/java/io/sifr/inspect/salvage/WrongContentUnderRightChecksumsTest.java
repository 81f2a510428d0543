package io.sifr.inspect.salvage;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.google.common.io.MoreFiles;
import com.google.common.io.RecursiveDeleteOption;
import io.sifr.Cursor;
import io.sifr.Database;
import io.sifr.Store;
import io.sifr.TestStores;
import io.sifr.config.CompactionPolicy;
import io.sifr.config.ReadMode;
import io.sifr.config.StoreOptions;
import io.sifr.error.CorruptionException;
import io.sifr.error.SifrException;
import io.sifr.error.StoreFailedException;
import io.sifr.inspect.CheckProgress;
import io.sifr.inspect.check.CheckReport;
import io.sifr.inspect.check.StoreCheck;
import io.sifr.inspect.check.TestChecks;
import io.sifr.internal.forest.ForestEdit;
import io.sifr.internal.format.Checksums;
import io.sifr.internal.format.FileHeader;
import io.sifr.internal.format.FileKind;
import io.sifr.internal.format.RecordFrame;
import io.sifr.internal.manifest.Manifest;
import io.sifr.internal.sst.inspect.SstInspection;
import io.sifr.internal.sst.read.SstReader;
import io.sifr.internal.util.Bytes;
import io.sifr.internal.wal.WalSegmentReader;
import io.sifr.testing.Directories;
import io.sifr.testing.DrawnStore;
import io.sifr.testing.TestManifests;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * Files whose checksums are right and whose content is not: whatever is done with such a store ends
 * well or with a {@link SifrException}, and writes go on.
 */
@Timeout(value = 300, unit = TimeUnit.SECONDS)
class WrongContentUnderRightChecksumsTest {
  private static final int ROUNDS = Integer.getInteger("sifr.damage.contents", 20);
  private static final int KEYS = 400;

  @TempDir Path parent;

  private static StoreOptions.Builder options() {
    return StoreOptions.builder()
        .writeBufferBytes(1 << 20)
        .splitUnitBytes(32 << 10)
        .logSegmentBytes(16 << 10)
        .compaction(CompactionPolicy.splitForest(64));
  }

  private static byte[] key(int i) {
    return String.format("key%05d", i).getBytes(US_ASCII);
  }

  /** A store of some trees, and a copy made before it was closed, which has a log. */
  private Path store(boolean killed) throws IOException {
    Path directory = parent.resolve("base");
    Path copy = parent.resolve("killed");
    try (Store store = TestStores.open(directory, options().build(), DrawnStore.FILES)) {
      Database other = store.openOrCreateDatabase("other");
      for (int tree = 0; tree < 3; tree++) {
        for (int i = tree; i < KEYS; i += 1 + tree) {
          store.database().put(key(i), ("value " + i + " of " + tree).getBytes(US_ASCII));
        }
        other.put(key(tree), key(tree));
        store.flush();
      }
      for (int i = 0; i < 50; i++) {
        store.database().put(key(i), key(i));
      }
      store.awaitIdle();
      Directories.copy(directory, copy);
    }
    return killed ? copy : directory;
  }

  private static List<Path> files(Path directory, FileKind kind) throws IOException {
    return MoreFiles.listFiles(directory).stream()
        .filter(file -> kind.numberOf(file.getFileName().toString()).isPresent())
        .sorted()
        .toList();
  }

  private static void mutate(Random random, byte[] file, int from, int to) {
    for (int i = 1 + random.nextInt(random.nextInt(4) == 0 ? 20 : 2); i > 0; i--) {
      int at = from + random.nextInt(to - from);
      file[at] =
          (byte) (random.nextBoolean() ? random.nextInt(256) : file[at] ^ 1 << random.nextInt(8));
    }
  }

  private interface Mutation {
    void on(Path directory, Random random) throws IOException;
  }

  private static void blockOfAnSst(Path directory, Random random) throws IOException {
    List<Path> ssts = files(directory, FileKind.SST);
    Path file = ssts.get(random.nextInt(ssts.size()));
    byte[] bytes = Files.readAllBytes(file);
    List<int[]> blocks = new ArrayList<>();
    long id;
    long number = FileKind.SST.numberOf(file.getFileName().toString()).orElseThrow();
    try (SstReader reader = DrawnStore.offline(DrawnStore.FILES, directory).openSst(number)) {
      id = reader.meta().uniqueId();
      SstInspection.visit(
          reader, block -> blocks.add(new int[] {(int) block.offset(), block.pages() * 4096}));
    }
    int[] block = blocks.get(random.nextInt(blocks.size()));
    int skipped = block[0] == 0 ? FileHeader.BYTES : 0;
    int end = block[0] + block[1] - Integer.BYTES;
    // Most of it is at the beginning, the trailer at the end.
    int from = random.nextInt(4) == 0 ? end - 60 : block[0] + skipped;
    mutate(random, bytes, from, random.nextInt(3) == 0 ? end - 1 : Math.min(end - 1, from + 400));
    int crc = Checksums.crc32c(bytes, block[0], block[1] - Integer.BYTES);
    Bytes.putInt(bytes, end, Checksums.bind(crc, id, block[0]));
    Files.write(file, bytes);
  }

  private static void editOfTheManifest(Path directory, Random random) throws IOException {
    Path file = files(directory, FileKind.MANIFEST).get(0);
    byte[] bytes = Files.readAllBytes(file);
    long number = FileKind.MANIFEST.numberOf(file.getFileName().toString()).orElseThrow();
    List<Integer> records = new ArrayList<>();
    long id =
        Manifest.forEachRecord(
                DrawnStore.FILES,
                directory,
                number,
                (offset, length, group, at) -> {
                  if (!group.isEmpty()) {
                    records.add((int) offset);
                  }
                })
            .uniqueId();
    int at = records.get(random.nextInt(records.size()));
    int length = Bytes.getInt(bytes, at);
    int edits = at + RecordFrame.HEADER_BYTES + Long.BYTES;
    mutate(random, bytes, edits, at + RecordFrame.HEADER_BYTES + length);
    RecordFrame.seal(ByteBuffer.wrap(bytes), at, length, id, at);
    Files.write(file, bytes);
  }

  private static void recordOfTheLog(Path directory, Random random) throws IOException {
    List<Path> segments = files(directory, FileKind.WAL);
    Path file = segments.get(random.nextInt(segments.size()));
    byte[] bytes = Files.readAllBytes(file);
    long number = FileKind.WAL.numberOf(file.getFileName().toString()).orElseThrow();
    List<Integer> records = new ArrayList<>();
    try (WalSegmentReader reader = WalSegmentReader.open(DrawnStore.FILES, directory, number)) {
      while (reader.next()) {
        records.add(reader.offset());
      }
    }
    if (records.isEmpty()) {
      return;
    }
    int at = records.get(random.nextInt(records.size()));
    int length = Bytes.getInt(bytes, at);
    mutate(random, bytes, at + RecordFrame.HEADER_BYTES, at + RecordFrame.HEADER_BYTES + length);
    long id = FileHeader.uniqueId(ByteBuffer.wrap(bytes));
    RecordFrame.seal(ByteBuffer.wrap(bytes), at, length, id, at);
    Files.write(file, bytes);
  }

  /** Does everything with a store. Returns how often an exception was met. */
  private int use(Path directory, Random random) throws IOException {
    int failures = 0;
    CheckReport report = TestChecks.run(DrawnStore.FILES, directory);
    failures += report.isClean() ? 0 : 1;
    Path rescued = parent.resolve("rescued");
    failures += survives(() -> TestSalvages.run(DrawnStore.FILES, directory, rescued)) ? 0 : 1;
    if (Files.exists(rescued)) {
      TestStores.open(rescued, StoreOptions.DEFAULT, DrawnStore.FILES).close();
      MoreFiles.deleteRecursively(rescued, RecursiveDeleteOption.ALLOW_INSECURE);
    }
    StoreOptions options =
        options()
            .readMode(random.nextBoolean() ? ReadMode.MMAP : ReadMode.POSITIONAL)
            .filterBitsPerKey(random.nextBoolean() ? 0 : 10)
            .build();
    Store store;
    try {
      store = TestStores.open(directory, options, DrawnStore.FILES);
    } catch (SifrException e) {
      // Whatever was opened is closed.
      assertThatThrownBy(() -> TestStores.open(directory, options, DrawnStore.FILES))
          .hasMessage(e.getMessage());
      return failures + 1;
    }
    try (store) {
      for (String name : store.databaseNames()) {
        Database database;
        try {
          database = store.database(name);
        } catch (IllegalArgumentException e) {
          continue; // A name that no caller can give.
        }
        for (int i = 0; i < KEYS; i += 3) {
          byte[] key = key(i);
          failures += survives(() -> get(database, key)) ? 0 : 1;
        }
        failures += survives(() -> forwards(database)) ? 0 : 1;
        failures += survives(() -> backwards(database)) ? 0 : 1;
        failures += survives(database::compact) ? 0 : 1;
        database.put(key(1), key(1));
        assertThat(database.get(key(1))).isEqualTo(key(1));
      }
    } catch (StoreFailedException e) {
      throw new AssertionError("writes have stopped", e);
    }
    return failures;
  }

  private static void get(Database database, byte[] key) {
    var unused = database.get(key);
  }

  private static void forwards(Database database) {
    try (Cursor cursor = database.cursor()) {
      while (cursor.next()) {
        assertThat(cursor.value()).isNotNull();
      }
    }
  }

  private static void backwards(Database database) {
    try (Cursor cursor = database.cursor()) {
      for (boolean more = cursor.last(); more; more = cursor.previous()) {
        assertThat(cursor.value()).isNotNull();
      }
    }
  }

  private static boolean survives(Runnable use) {
    try {
      use.run();
      return true;
    } catch (StoreFailedException e) {
      throw new AssertionError("writes have stopped", e);
    } catch (SifrException e) {
      return false;
    }
  }

  private void fuzz(boolean killed, Mutation mutation) throws IOException {
    Path base = store(killed);
    int met = 0;
    long first = Long.getLong("sifr.damage.seed", 1);
    for (long seed = first; seed < first + ROUNDS; seed++) {
      Path directory = parent.resolve("seed" + seed);
      Directories.copy(base, directory);
      Random random = new Random(seed);
      try {
        mutation.on(directory, random);
        met += use(directory, random) > 0 ? 1 : 0;
      } catch (RuntimeException | Error e) {
        throw new AssertionError("seed " + seed, e);
      }
      MoreFiles.deleteRecursively(directory, RecursiveDeleteOption.ALLOW_INSECURE);
    }
    assertThat(met).as("seeds from %d on", first).isPositive();
  }

  @Test
  void ofBlocksOfSsts() throws IOException {
    fuzz(false, WrongContentUnderRightChecksumsTest::blockOfAnSst);
  }

  @Test
  void ofEditsOfTheManifest() throws IOException {
    fuzz(false, WrongContentUnderRightChecksumsTest::editOfTheManifest);
  }

  @Test
  void ofRecordsOfTheLog() throws IOException {
    fuzz(true, WrongContentUnderRightChecksumsTest::recordOfTheLog);
  }

  private static Path manifest(Path directory, ForestEdit... edits) {
    TestManifests.create(DrawnStore.FILES, directory, 1, List.of(edits)).close();
    return FileKind.MANIFEST.path(directory, 1);
  }

  @Test
  void aManifestWithoutTheDefaultDatabaseIsDamageAndNothingStaysLocked() throws IOException {
    Path directory = Files.createDirectory(parent.resolve("store"));
    Path manifest = manifest(directory, new ForestEdit.DatabaseCreated(1, "another"));
    for (int attempt = 0; attempt < 2; attempt++) {
      assertThatThrownBy(() -> Store.open(directory))
          .isInstanceOf(CorruptionException.class)
          .hasMessageContaining(manifest.getFileName().toString())
          .hasMessageContaining("\"default\"");
    }
    assertThat(StoreCheck.run(directory, CheckProgress.NONE).isClean()).isFalse();
    Salvage.run(directory, parent.resolve("rescued"), CheckProgress.NONE);
    Store.open(parent.resolve("rescued")).close();
  }

  @Test
  void aNameThatIsNotAllowedIsReplacedBySalvage() throws IOException {
    Path directory = Files.createDirectory(parent.resolve("store"));
    manifest(
        directory,
        new ForestEdit.DatabaseCreated(1, "default"),
        new ForestEdit.DatabaseCreated(2, "a\u0001b"));
    assertThat(StoreCheck.run(directory, CheckProgress.NONE).findings().toString())
        .contains("no database may be named 0x610162");
    SalvageReport report = Salvage.run(directory, parent.resolve("rescued"), CheckProgress.NONE);
    assertThat(report.notes().toString()).contains("0x610162", "salvaged-2");
    try (Store store = Store.open(parent.resolve("rescued"))) {
      assertThat(store.databaseNames()).containsExactly("default", "salvaged-2");
    }
  }
}
