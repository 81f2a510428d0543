package io.sifr.behaviour;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sifr.Cursor;
import io.sifr.Database;
import io.sifr.KeyRange;
import io.sifr.Store;
import io.sifr.TestStores;
import io.sifr.WriteBatch;
import io.sifr.config.Durability;
import io.sifr.config.StoreOptions;
import io.sifr.config.WriteOptions;
import io.sifr.error.CorruptionException;
import io.sifr.error.StoreFullException;
import io.sifr.inspect.CheckProgress;
import io.sifr.inspect.check.StoreCheck;
import io.sifr.internal.io.DiskFileSystem;
import io.sifr.testing.FaultyFileSystem;
import io.sifr.testing.FaultyFileSystem.Fault;
import io.sifr.testing.FaultyFileSystem.Operation;
import io.sifr.testing.ForwardingFileSystem;
import io.sifr.testing.NoSyncFileSystem;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLongArray;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.DisabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * A checkpoint holds what was written before it, and lives on without the store it was taken of.
 */
class CheckpointIsAStoreOfItsOwnTest {
  private static final int THREADS = 4;
  private static final int CHECKPOINTS = 5;

  @TempDir Path directory;

  private Path source() {
    return directory.resolve("store");
  }

  private Path target() {
    return directory.resolve("checkpoint");
  }

  private static void assertSound(Path store) {
    assertThat(StoreCheck.run(store, CheckProgress.NONE).findings()).isEmpty();
  }

  @ParameterizedTest
  @EnumSource(Durability.class)
  void whateverWasWrittenIsInIt(Durability durability) {
    var expected = SmallStores.filled(0, 900, 1);
    try (Store store = SmallStores.open(source())) {
      Database other = store.openOrCreateDatabase("other");
      SmallStores.fill(store.database(), 0, 900, 1);
      store.database().deleteRange(range(100, 200), WriteOptions.of(durability));
      other.put(SmallStores.key(1), SmallStores.value(1, 2), WriteOptions.of(durability));
      store
          .database()
          .put(SmallStores.key(150), SmallStores.value(150, 2), WriteOptions.of(durability));
      for (int i = 100; i < 200; i++) {
        expected.remove(SmallStores.text(SmallStores.key(i)));
      }
      expected.putAll(SmallStores.filled(150, 151, 2));
      store.checkpoint(target());
      SmallStores.fill(store.database(), 0, 900, 3); // which is not in it
    }
    assertSound(target());
    try (Store copy = SmallStores.open(target())) {
      assertThat(SmallStores.content(copy.database())).isEqualTo(expected);
      assertThat(SmallStores.content(copy.database("other")))
          .isEqualTo(SmallStores.filled(1, 2, 2));
    }
  }

  private static KeyRange range(int from, int to) {
    return KeyRange.between(SmallStores.key(from), SmallStores.key(to));
  }

  @Test
  void whatTheStoreFoundInItsLogIsInIt() {
    StoreOptions options = SmallStores.options().keptLogBytes(1 << 20).build();
    try (Store store = SmallStores.open(source(), options)) {
      SmallStores.fill(store.database(), 0, 50, 1);
    }
    try (Store store = SmallStores.open(source(), options)) {
      store.checkpoint(target()); // before anything is logged
      SmallStores.fill(store.database(), 50, 60, 1);
    }
    try (Store copy = SmallStores.open(target(), options)) {
      assertThat(SmallStores.content(copy.database())).isEqualTo(SmallStores.filled(0, 50, 1));
    }
  }

  /** What either writes then, and deletes, is not the other's. */
  @Test
  void bothGoOn() {
    try (Store store = SmallStores.open(source())) {
      SmallStores.fill(store.database(), 0, 2000, 1);
      store.checkpoint(target());
      try (Store copy = SmallStores.open(target())) {
        SmallStores.fill(store.database(), 0, 2000, 2);
        SmallStores.fill(copy.database(), 500, 2500, 3);
        store.database().compact();
        copy.database().compact();
        assertThat(SmallStores.content(store.database())).isEqualTo(SmallStores.filled(0, 2000, 2));
        var expected = SmallStores.filled(0, 500, 1);
        expected.putAll(SmallStores.filled(500, 2500, 3));
        assertThat(SmallStores.content(copy.database())).isEqualTo(expected);
      }
    }
    assertSound(source());
    assertSound(target());
  }

  @Test
  void itStaysWhenTheStoreIsDeleted() throws IOException {
    try (Store store = SmallStores.open(source())) {
      SmallStores.fill(store.database(), 0, 2000, 1);
      store.checkpoint(target());
    }
    for (Path file : SmallStores.files(source(), "")) {
      Files.delete(file);
    }
    assertSound(target());
    try (Store copy = SmallStores.open(target())) {
      assertThat(SmallStores.content(copy.database())).isEqualTo(SmallStores.filled(0, 2000, 1));
    }
  }

  @Test
  void aCheckpointCanBeTakenOfIt() {
    Path second = directory.resolve("second");
    try (Store store = SmallStores.open(source())) {
      SmallStores.fill(store.database(), 0, 1000, 1);
      store.checkpoint(target());
    }
    try (Store copy = SmallStores.open(target())) {
      copy.checkpoint(second);
    }
    try (Store copy = SmallStores.open(second)) {
      assertThat(SmallStores.content(copy.database())).isEqualTo(SmallStores.filled(0, 1000, 1));
    }
  }

  @DisabledOnOs(value = OS.WINDOWS, disabledReason = "files have no numbers there")
  @Test
  void withoutLinksFilesAreCopied() throws IOException {
    var files =
        new ForwardingFileSystem(new NoSyncFileSystem(new DiskFileSystem())) {
          @Override
          public boolean link(Path file, Path second) {
            return false;
          }
        };
    try (Store store = TestStores.open(source(), SmallStores.options().build(), files)) {
      SmallStores.fill(store.database(), 0, 1000, 1);
      store.flush();
      store.checkpoint(target());
      store.pauseCompactions();
      List<Path> ssts = SmallStores.files(target(), ".sst");
      assertThat(ssts).isNotEmpty();
      assertThat((int) Files.getAttribute(ssts.get(0), "unix:nlink")).isEqualTo(1);
    }
    assertSound(target());
  }

  /**
   * Threads write batches over two databases, each of which tells how far the others had come. A
   * checkpoint has the first so many of each thread, batches whole, and what they had seen.
   */
  @Test
  void whileOthersWriteItIsTheStateOfOneMoment() throws InterruptedException {
    var begun = new AtomicLongArray(THREADS);
    var returned = new AtomicLongArray(THREADS);
    var stopped = new AtomicBoolean();
    List<long[]> least = new ArrayList<>();
    List<long[]> most = new ArrayList<>();
    try (Store store = SmallStores.open(source())) {
      Database one = store.openOrCreateDatabase("one");
      Database two = store.openOrCreateDatabase("two");
      List<Thread> threads = new ArrayList<>();
      for (int t = 0; t < THREADS; t++) {
        int me = t;
        Thread thread =
            new Thread(
                () -> {
                  for (int i = 0; !stopped.get(); i++) {
                    byte[] seen = encode(values(returned));
                    begun.set(me, i + 1);
                    store.write(
                        new WriteBatch().put(one, key(me, i), seen).put(two, key(me, i), seen),
                        (i + me) % 3 == 0 ? WriteOptions.UNLOGGED : WriteOptions.BUFFERED);
                    returned.set(me, i + 1);
                  }
                });
        threads.add(thread);
        thread.start();
      }
      for (int i = 0; i < CHECKPOINTS; i++) {
        while (returned.get(0) < 300L * (i + 1)) {
          Thread.onSpinWait();
        }
        least.add(values(returned));
        store.checkpoint(directory.resolve("copy-" + i));
        most.add(values(begun));
      }
      stopped.set(true);
      for (Thread thread : threads) {
        thread.join();
      }
    }
    for (int i = 0; i < CHECKPOINTS; i++) {
      Path copy = directory.resolve("copy-" + i);
      assertSound(copy);
      try (Store opened = SmallStores.open(copy)) {
        assertThat(SmallStores.content(opened.database("one")))
            .isEqualTo(SmallStores.content(opened.database("two")));
        long[] counts = new long[THREADS];
        long[] seen = new long[THREADS];
        try (Cursor cursor = opened.database("one").cursor()) {
          while (cursor.next()) {
            int thread = cursor.key()[0];
            assertThat(cursor.key()).isEqualTo(key(thread, (int) counts[thread]++));
            for (int t = 0; t < THREADS; t++) {
              seen[t] = Math.max(seen[t], ByteBuffer.wrap(cursor.value()).getLong(8 * t));
            }
          }
        }
        for (int t = 0; t < THREADS; t++) {
          assertThat(counts[t]).isBetween(least.get(i)[t], most.get(i)[t]);
          assertThat(counts[t]).as("what was seen of thread %d", t).isGreaterThanOrEqualTo(seen[t]);
        }
      }
    }
  }

  private static long[] values(AtomicLongArray array) {
    long[] values = new long[array.length()];
    for (int i = 0; i < values.length; i++) {
      values[i] = array.get(i);
    }
    return values;
  }

  private static byte[] encode(long[] values) {
    ByteBuffer bytes = ByteBuffer.allocate(64);
    for (long value : values) {
      bytes.putLong(value);
    }
    return bytes.array();
  }

  private static byte[] key(int thread, int number) {
    return ByteBuffer.allocate(5).put((byte) thread).putInt(number).array();
  }

  @Test
  void anotherDirectoryThatIsEmptyIsWanted() throws IOException {
    Path used = Files.createDirectory(directory.resolve("used"));
    Files.writeString(used.resolve("notes"), "mine");
    Path empty = Files.createDirectory(directory.resolve("empty"));
    try (Store store = SmallStores.open(source())) {
      assertThatIllegalArgumentException()
          .isThrownBy(() -> store.checkpoint(used))
          .withMessageContaining(used.toString())
          .withMessageContaining("not empty");
      assertThat(SmallStores.files(used, "")).hasSize(1);
      assertThatIllegalArgumentException()
          .isThrownBy(() -> store.checkpoint(store.directory().resolve("sub")))
          .withMessageContaining("inside");
      assertThat(source().resolve("sub")).doesNotExist();
      assertThatIllegalArgumentException()
          .isThrownBy(() -> store.checkpoint(SmallStores.nothing()))
          .withMessageContaining("directory is null");
      store.checkpoint(empty);
      assertThatIllegalArgumentException().isThrownBy(() -> store.checkpoint(empty));
      store.close();
      assertThatThrownBy(() -> store.checkpoint(target()))
          .isInstanceOf(IllegalStateException.class);
      assertThat(target()).doesNotExist();
    }
    assertSound(empty);
  }

  @Test
  void onAFullDiskNothingIsLeftOfIt() {
    var files = new FaultyFileSystem(new NoSyncFileSystem(new DiskFileSystem()));
    try (Store store = TestStores.open(source(), SmallStores.options().build(), files)) {
      SmallStores.fill(store.database(), 0, 1000, 1);
      files.failOnce(Operation.APPEND, path -> path.startsWith(target()), 2, Fault.ENOSPC);
      assertThatThrownBy(() -> store.checkpoint(target())).isInstanceOf(StoreFullException.class);
      assertThat(target()).doesNotExist();
      store.checkpoint(target());
      SmallStores.fill(store.database(), 1000, 1100, 1);
    }
    assertSound(source());
    assertSound(target());
  }

  @Test
  void oneThatWasNotFinishedIsNotOpenedButMadeAgain() throws IOException {
    try (Store store = SmallStores.open(source())) {
      SmallStores.fill(store.database(), 0, 1000, 1);
      store.checkpoint(target());
      Files.move(target().resolve("CURRENT"), directory.resolve("CURRENT"));
      Files.createFile(target().resolve("UNFINISHED"));
      assertThatThrownBy(() -> SmallStores.open(target()))
          .isInstanceOf(CorruptionException.class)
          .hasMessageContaining("was not finished");
      SmallStores.fill(store.database(), 1000, 1001, 1);
      store.checkpoint(target());
    }
    try (Store copy = SmallStores.open(target())) {
      assertThat(SmallStores.content(copy.database())).isEqualTo(SmallStores.filled(0, 1001, 1));
    }
  }
}
