package io.sifr.behaviour;

import static io.sifr.behaviour.SmallStores.key;
import static io.sifr.behaviour.SmallStores.value;
import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sifr.Backups;
import io.sifr.Cursor;
import io.sifr.Database;
import io.sifr.KeyRange;
import io.sifr.Store;
import io.sifr.TestStores;
import io.sifr.config.CompactionPolicy;
import io.sifr.config.Compression;
import io.sifr.config.ReadMode;
import io.sifr.config.StoreOptions;
import io.sifr.error.CorruptionException;
import io.sifr.error.SifrException;
import io.sifr.error.UnreadableException;
import io.sifr.inspect.CheckProgress;
import io.sifr.inspect.check.StoreCheck;
import io.sifr.internal.io.DiskFileSystem;
import io.sifr.testing.ForwardingFileSystem;
import io.sifr.testing.NoSyncFileSystem;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * A file is damaged while its store is open, after its blocks were read. A read of a mapping may
 * then return what is there; whatever writes new files from it, or copies it, must not.
 */
@Timeout(value = 60, unit = TimeUnit.SECONDS)
class DamageDoesNotSpreadTest {
  private static final int KEYS = 5;
  private static final int PAGE = 4096;

  @TempDir Path parent;
  private Path directory = Path.of("");
  private Path sst = Path.of("");

  private static StoreOptions.Builder options() {
    return SmallStores.options()
        .compaction(CompactionPolicy.splitForest(64))
        .checkBytesPerSecond(0);
  }

  /** Two trees, of which the first is in the file, and all of it was read. */
  private Store twoTrees(StoreOptions.Builder options) {
    return twoTrees(options, new ForwardingFileSystem(new NoSyncFileSystem(new DiskFileSystem())));
  }

  private Store twoTrees(StoreOptions.Builder options, ForwardingFileSystem files) {
    directory = parent.resolve("store");
    Store store = TestStores.open(directory, options.build(), files);
    SmallStores.fill(store.database(), 0, KEYS, 1);
    store.flush();
    sst = SmallStores.files(directory, ".sst").get(0);
    SmallStores.fill(store.database(), KEYS - 1, 2 * KEYS, 2);
    store.flush();
    readAll(store.database());
    return store;
  }

  private static void readAll(Database database) {
    for (int i = 0; i < 2 * KEYS; i++) {
      assertThat(database.get(key(i))).isEqualTo(value(i, i < KEYS - 1 ? 1 : 2));
    }
    assertThat(SmallStores.content(database)).hasSize(2 * KEYS);
  }

  /** Flips a bit of the value of key 2, or of what it was encoded to. */
  private void damageData() throws IOException {
    try (FileChannel file =
        FileChannel.open(sst, StandardOpenOption.READ, StandardOpenOption.WRITE)) {
      ByteBuffer bytes = ByteBuffer.allocate(PAGE);
      file.read(bytes, 0);
      int at = new String(bytes.array(), ISO_8859_1).indexOf("v1 of 2");
      int where = at < 0 ? 40 : at + 5;
      byte changed = (byte) (bytes.get(where) ^ 1);
      file.write(ByteBuffer.wrap(new byte[] {changed}), where);
    }
  }

  @ParameterizedTest
  @CsvSource({
    "MMAP, NONE",
    "MMAP, LZ4",
    "MMAP, ZSTD",
    "POSITIONAL, NONE",
    "POSITIONAL, LZ4",
    "DIRECT, NONE"
  })
  void byAMerge(ReadMode mode, Compression compression) throws IOException {
    try (Store store = twoTrees(options().readMode(mode).compression(compression))) {
      damageData();
      assertThatThrownBy(() -> store.database().compact())
          .isInstanceOfSatisfying(
              CorruptionException.class,
              e -> assertThat(e.file().getFileName()).isEqualTo(sst.getFileName()));
    }
    assertThat(StoreCheck.run(directory, CheckProgress.NONE).findings())
        .singleElement()
        .satisfies(
            finding -> assertThat(finding.file().getFileName()).isEqualTo(sst.getFileName()));
  }

  /** From then on reads find it, too. */
  @Test
  void andWhatAMergeHasFoundIsNotReadAnyMore() throws IOException {
    try (Store store = twoTrees(options().readMode(ReadMode.MMAP))) {
      damageData();
      assertThatThrownBy(() -> store.database().compact()).isInstanceOf(CorruptionException.class);
      assertThatThrownBy(() -> store.database().get(key(2)))
          .isInstanceOf(CorruptionException.class);
    }
  }

  @ParameterizedTest
  @EnumSource(mode = EnumSource.Mode.EXCLUDE, names = "AUTO")
  void byABackup(ReadMode mode) throws IOException {
    try (Store store = twoTrees(options().readMode(mode))) {
      Backups backups = Backups.in(parent.resolve("backup"));
      damageData();
      assertThatThrownBy(() -> backups.create(store))
          .isInstanceOf(CorruptionException.class)
          .hasMessageContaining(sst.getFileName().toString());
    }
  }

  @ParameterizedTest
  @EnumSource(mode = EnumSource.Mode.EXCLUDE, names = "AUTO")
  void byACheckpointThatCopies(ReadMode mode) throws IOException {
    ForwardingFileSystem withoutLinks =
        new ForwardingFileSystem(new NoSyncFileSystem(new DiskFileSystem())) {
          @Override
          public boolean link(Path existing, Path name) {
            return false;
          }
        };
    try (Store store = twoTrees(options().readMode(mode), withoutLinks)) {
      Path before = parent.resolve("before");
      store.checkpoint(before);
      damageData();
      assertThatThrownBy(() -> store.checkpoint(parent.resolve("after")))
          .isInstanceOf(CorruptionException.class)
          .hasMessageContaining(sst.getFileName().toString());
      try (Store copy = SmallStores.open(before)) {
        readAll(copy.database());
      }
    }
  }

  /** The copy's log would be refused when it is opened. */
  @Test
  void byACopyOfTheLog() throws IOException {
    try (Store store = twoTrees(options().keptLogBytes(1 << 20))) {
      for (int i = 0; i < 3; i++) {
        store.database().put(key(100 + i), value(100 + i, 1));
      }
      for (Path log : SmallStores.files(directory, ".wal")) {
        byte[] bytes = Files.readAllBytes(log);
        int at = new String(bytes, ISO_8859_1).indexOf("v1 of 101");
        if (at >= 0) {
          try (FileChannel file = FileChannel.open(log, StandardOpenOption.WRITE)) {
            file.write(ByteBuffer.wrap(new byte[] {'x'}), at);
          }
        }
      }
      assertThatThrownBy(() -> store.checkpoint(parent.resolve("copy")))
          .isInstanceOf(CorruptionException.class)
          .hasMessageContaining(directory.toRealPath().toString());
      store.flush();
      store.checkpoint(parent.resolve("copy"));
      try (Store copy = SmallStores.open(parent.resolve("copy"))) {
        assertThat(copy.database().get(key(101))).isEqualTo(value(101, 1));
      }
    }
  }

  /** A page of which only the first bytes are left in the file is all zeros after them. */
  @ParameterizedTest
  @CsvSource({"MMAP, 1MiB, 1", "MMAP, 1MiB, 0", "MMAP, 0, 1", "POSITIONAL, 0, 1", "DIRECT, 0, 1"})
  void andWhatIsCutIsNotTakenForEmpty(ReadMode mode, String cache, long left) throws IOException {
    StoreOptions.Builder options = options().readMode(mode).set("blockCacheBytes", cache);
    try (Store store = twoTrees(options)) {
      cut(left);
      for (int i = 0; i < KEYS - 1; i++) {
        byte[] key = key(i);
        assertThatThrownBy(() -> store.database().get(key)).isInstanceOf(SifrException.class);
        assertThatThrownBy(() -> store.database().multiGet(List.of(key)))
            .isInstanceOf(SifrException.class);
      }
      try (Cursor cursor = store.database().cursor()) {
        assertThatThrownBy(cursor::next).isInstanceOf(SifrException.class);
        assertThatThrownBy(() -> cursor.seek(key(1))).isInstanceOf(SifrException.class);
      }
      assertThatThrownBy(() -> store.database().compact()).isInstanceOf(SifrException.class);
      for (int i = KEYS - 1; i < 2 * KEYS; i++) {
        assertThat(store.database().get(key(i))).isEqualTo(value(i, 2));
      }
    }
  }

  /** What the cut has left may be read from the mapping, and nothing else is. */
  @ParameterizedTest
  @ValueSource(longs = {45, 60, 80, 100, 120, 140, 160, 4000})
  void norForAnotherValue(long left) throws IOException {
    try (Store store = twoTrees(options().readMode(ReadMode.MMAP))) {
      cut(left);
      for (int i = 0; i < KEYS - 1; i++) {
        byte[] key = key(i);
        byte[] right = value(i, 1);
        rightOrRefused(() -> assertThat(store.database().get(key)).isEqualTo(right));
        rightOrRefused(
            () -> {
              try (Cursor cursor = store.database().cursor(KeyRange.atLeast(key))) {
                assertThat(cursor.next()).isTrue();
                assertThat(cursor.value()).isEqualTo(right);
              }
            });
      }
      assertThatThrownBy(() -> store.database().compact()).isInstanceOf(SifrException.class);
    }
  }

  private void cut(long left) throws IOException {
    try (FileChannel file = FileChannel.open(sst, StandardOpenOption.WRITE)) {
      file.truncate(left);
    }
  }

  private static void rightOrRefused(Runnable read) {
    try {
      read.run();
    } catch (SifrException e) {
      assertThat(e).isInstanceOfAny(CorruptionException.class, UnreadableException.class);
    }
  }
}
