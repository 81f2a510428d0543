package io.sifr.crash;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.sifr.Database;
import io.sifr.Store;
import io.sifr.TestBackups;
import io.sifr.TestStores;
import io.sifr.config.IngestFiles;
import io.sifr.config.IngestOptions;
import io.sifr.config.LogAccess;
import io.sifr.config.StoreOptions;
import io.sifr.inspect.salvage.TestSalvages;
import io.sifr.internal.io.AppendFile;
import io.sifr.internal.io.RandomReadFile;
import io.sifr.internal.io.RandomWriteFile;
import io.sifr.internal.io.StoreFileSystem;
import io.sifr.testing.CrashDisk;
import io.sifr.testing.ForwardingFileSystem;
import io.sifr.testing.FrozenDisk;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.BiConsumer;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/**
 * What a copy, or an ingest, relies on is durable before it: each is made once, and power is lost
 * at the moments that matter, with other luck each time.
 */
class CopiesAreDurableTest {
  private static final Path TARGET = Path.of("/copies/target");
  private static final Path BACKUPS = Path.of("/backups");
  private static final int KEYS = 300;
  private static final int POWER_LOSSES = 30;

  private static final StoreOptions OPTIONS =
      StoreOptions.builder()
          .splitUnitBytes(4096)
          .keptLogBytes(0)
          .compactionThreads(1)
          .logAccess(LogAccess.WRITTEN)
          .build();

  private final CrashDisk disk = CrashDisk.with(CrashRound.DIRECTORY);
  private final List<FrozenDisk> moments = new ArrayList<>();

  private static byte[] key(int number) {
    return ByteBuffer.allocate(Integer.BYTES).putInt(number).array();
  }

  private static byte[] value(int number) {
    return ("value of " + number + " ").repeat(8).getBytes(UTF_8);
  }

  private Store openFilled() {
    Store store = TestStores.open(CrashRound.DIRECTORY, OPTIONS, disk.fileSystem());
    for (int i = 0; i < KEYS; i++) {
      store.database().put(key(i), value(i));
    }
    store.flush();
    return store;
  }

  private static void assertHolds(Path directory, StoreFileSystem files) {
    try (Store store = TestStores.open(directory, OPTIONS, files)) {
      for (int i = 0; i < KEYS; i++) {
        assertThat(store.database().get(key(i))).as("key %d", i).isEqualTo(value(i));
      }
    }
  }

  /** Keeps the disk at each moment at which there is a new CURRENT, or list of a point. */
  private void watchWhatMakesACopyWhole() {
    disk.watch(
        (call, moment) -> {
          String text = moment + " " + call;
          if (text.startsWith("AFTER")
              && text.contains("rename")
              && (text.contains("CURRENT") || text.contains("POINT"))) {
            moments.add(disk.freeze());
          }
        });
  }

  /**
   * @param examine also told whether the call had returned
   */
  private void eachPowerLoss(BiConsumer<StoreFileSystem, Boolean> examine) {
    disk.watch((call, moment) -> {});
    moments.add(disk.freeze());
    assertThat(moments).hasSizeGreaterThan(1);
    for (FrozenDisk moment : moments) {
      for (int seed = 0; seed < POWER_LOSSES; seed++) {
        boolean isDone = moment.equals(moments.get(moments.size() - 1));
        examine.accept(moment.crash(new Random(seed)).fileSystem(), isDone);
      }
    }
  }

  private static void assertWholeIfThere(StoreFileSystem files, boolean isDone) {
    if (isDone || files.exists(TARGET.resolve("CURRENT"))) {
      assertHolds(TARGET, files);
    }
  }

  @Test
  void aCheckpoint() {
    try (Store store = openFilled()) {
      watchWhatMakesACopyWhole();
      store.checkpoint(TARGET);
      eachPowerLoss(CopiesAreDurableTest::assertWholeIfThere);
    }
  }

  @Test
  void aRestoredStore() {
    try (Store store = openFilled()) {
      TestBackups.in(BACKUPS, disk.fileSystem()).create(store);
    }
    watchWhatMakesACopyWhole();
    TestBackups.in(BACKUPS, disk.fileSystem()).restore(1, TARGET);
    eachPowerLoss(CopiesAreDurableTest::assertWholeIfThere);
  }

  @Test
  void aPointOfABackup() {
    try (Store store = openFilled()) {
      watchWhatMakesACopyWhole();
      TestBackups.in(BACKUPS, disk.fileSystem()).create(store);
      eachPowerLoss(
          (files, isDone) -> {
            if (isDone || files.exists(BACKUPS.resolve("points/000000000001/POINT"))) {
              TestBackups.in(BACKUPS, files).restore(1, TARGET);
              assertHolds(TARGET, files);
            }
          });
    }
  }

  @Test
  void aSalvagedStore() {
    openFilled().close();
    watchWhatMakesACopyWhole();
    var unused = TestSalvages.run(disk.fileSystem(), CrashRound.DIRECTORY, TARGET);
    eachPowerLoss(CopiesAreDurableTest::assertWholeIfThere);
  }

  /** Others have copied the file to where it is, and have not synced it. */
  @Test
  void anIngestOfAFileThatWasCopied() {
    for (IngestFiles how : IngestFiles.values()) {
      moments.clear();
      CrashDisk other = CrashDisk.with(CrashRound.DIRECTORY);
      StoreFileSystem files = other.fileSystem();
      Store store = TestStores.open(CrashRound.DIRECTORY, OPTIONS, files);
      files.createDirectories(BACKUPS);
      List<Path> copies = new ArrayList<>();
      try (var writer = TestStores.writer(store, BACKUPS.resolve("written"))) {
        for (int i = 0; i < KEYS; i++) {
          writer.put(key(i), value(i));
        }
        for (Path written : writer.finish().files()) {
          copies.add(copyWithoutSync(files, written));
        }
      }
      store.database().ingest(copies, IngestOptions.builder().files(how).build());
      FrozenDisk after = other.freeze();
      for (int seed = 0; seed < POWER_LOSSES; seed++) {
        assertHolds(CrashRound.DIRECTORY, after.crash(new Random(seed)).fileSystem());
      }
      store.close();
    }
  }

  /** One that comes when the log was synced already is older than the files, too. */
  @Test
  void whatWasWrittenBeforeAnIngest() {
    AtomicReference<@Nullable Runnable> afterSync = new AtomicReference<>();
    StoreFileSystem files =
        new ForwardingFileSystem(disk.fileSystem()) {
          @Override
          public RandomWriteFile openForWrite(Path file, long size) {
            return new ForwardingRandomWriteFile(super.openForWrite(file, size)) {
              @Override
              public void sync() {
                super.sync();
                Runnable write =
                    file.toString().endsWith(".wal") ? afterSync.getAndSet(null) : null;
                if (write != null) {
                  write.run();
                }
              }
            };
          }
        };
    try (Store store = TestStores.open(CrashRound.DIRECTORY, OPTIONS, files)) {
      Database other = store.openOrCreateDatabase("other");
      other.put(key(1), value(1));
      Path file = BACKUPS.resolve("written");
      files.createDirectories(BACKUPS);
      try (var writer = TestStores.writer(store, file)) {
        writer.put(key(1), value(1));
        var unused = writer.finish();
      }
      afterSync.set(() -> other.put(key(2), value(2)));
      store.database().ingest(List.of(file), IngestOptions.DEFAULT);
      assertThat(afterSync).hasNullValue();
      FrozenDisk after = disk.freeze();
      for (int seed = 0; seed < POWER_LOSSES; seed++) {
        StoreFileSystem left = after.crash(new Random(seed)).fileSystem();
        try (Store opened = TestStores.open(CrashRound.DIRECTORY, OPTIONS, left)) {
          assertThat(opened.database().get(key(1))).isEqualTo(value(1));
          assertThat(opened.database("other").get(key(1))).isEqualTo(value(1));
          assertThat(opened.database("other").get(key(2))).isEqualTo(value(2));
        }
      }
    }
  }

  @Test
  void filesOfAWriter() {
    StoreFileSystem files = disk.fileSystem();
    List<Path> written;
    try (Store store = TestStores.open(CrashRound.DIRECTORY, OPTIONS, files)) {
      files.createDirectories(BACKUPS);
      disk.syncAll();
      try (var writer = TestStores.writer(store, BACKUPS.resolve("written"))) {
        for (int i = 0; i < KEYS; i++) {
          writer.put(key(i), value(i));
        }
        written = writer.finish().files();
      }
    }
    assertThat(written).hasSizeGreaterThan(1);
    FrozenDisk after = disk.freeze();
    for (int seed = 0; seed < POWER_LOSSES; seed++) {
      StoreFileSystem left = after.crash(new Random(seed)).fileSystem();
      try (Store store = TestStores.open(CrashRound.DIRECTORY, OPTIONS, left)) {
        store.database().ingest(written, IngestOptions.DEFAULT);
      }
      assertHolds(CrashRound.DIRECTORY, left);
    }
  }

  private static Path copyWithoutSync(StoreFileSystem files, Path file) {
    Path copy = file.resolveSibling(file.getFileName() + ".copy");
    try (RandomReadFile from = files.openForRead(file);
        AppendFile to = files.create(copy)) {
      ByteBuffer content = ByteBuffer.allocate((int) from.size());
      from.readFully(content, 0);
      to.append(content.array(), 0, content.capacity());
    }
    return copy;
  }
}
