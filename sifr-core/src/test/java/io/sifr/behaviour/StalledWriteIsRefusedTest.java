package io.sifr.behaviour;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.google.common.util.concurrent.Uninterruptibles;
import io.netty.buffer.Unpooled;
import io.sifr.Database;
import io.sifr.KeyRange;
import io.sifr.Store;
import io.sifr.TestStores;
import io.sifr.WriteBatch;
import io.sifr.config.CompactionPolicy;
import io.sifr.config.StoreOptions;
import io.sifr.config.WriteOptions;
import io.sifr.error.StallTimeoutException;
import io.sifr.internal.io.AppendFile;
import io.sifr.internal.io.DiskFileSystem;
import io.sifr.internal.state.Extensions.Tuning;
import io.sifr.testing.ForwardingFileSystem;
import io.sifr.testing.NoSyncFileSystem;
import io.sifr.testing.Waiting;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** A write with {@code maxStall} is made in time or not at all. */
@Timeout(value = 60, unit = TimeUnit.SECONDS, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class StalledWriteIsRefusedTest {
  private static final Tuning TUNING = Tuning.DEFAULT.withImmutableMemtables(1);

  private static final WriteOptions AT_ONCE = within(Duration.ZERO);
  private static final WriteOptions SOON = within(Duration.ofMillis(2));
  private static final WriteOptions SOME_DAY = within(Duration.ofDays(1));

  @TempDir Path directory;

  private final CountDownLatch flushesGoOn = new CountDownLatch(1);
  private @Nullable Store hanging;

  private static WriteOptions within(Duration maxStall) {
    return WriteOptions.builder().maxStall(maxStall).build();
  }

  /** Flushes hang until they are told to go on. */
  private final class HangingFlushes extends ForwardingFileSystem {
    HangingFlushes() {
      super(new NoSyncFileSystem(new DiskFileSystem()));
    }

    @Override
    public AppendFile create(Path file) {
      if (file.toString().endsWith(".sst")) {
        Uninterruptibles.awaitUninterruptibly(flushesGoOn);
      }
      return super.create(file);
    }
  }

  private Store openWithHangingFlushes() {
    Store store =
        TestStores.open(directory, SmallStores.options().build(), TUNING, new HangingFlushes());
    hanging = store;
    return store;
  }

  /** Closing waits for flushes, also when a test has failed before. */
  @AfterEach
  void letFlushesGoOn() {
    flushesGoOn.countDown();
    if (hanging != null) {
      hanging.close();
    }
  }

  /**
   * Writes until there is no room, and tries again what is refused only because of the writes
   * before it. Returns the first key that was not written.
   */
  private static int fill(Database database) {
    int written = 0;
    while (true) {
      try {
        database.put(SmallStores.key(written), SmallStores.value(written, 1), AT_ONCE);
        written++;
      } catch (StallTimeoutException e) {
        if (String.valueOf(e.getMessage()).endsWith("database default is flushed")) {
          return written;
        }
      }
    }
  }

  @Test
  void whenThereIsNoRoomInMemory() {
    Store store = openWithHangingFlushes();
    Database database = store.database();
    int refused = fill(database);
    assertThatThrownBy(() -> database.put(new byte[1], new byte[9000], SOON))
        .isInstanceOfSatisfying(
            StallTimeoutException.class,
            e -> {
              assertThat(e.database()).isEqualTo("default");
              assertThat(e.maxStall()).isEqualTo(Duration.ofMillis(2));
            })
        .hasMessage(
            "nothing was written: it would take longer than 2.0 ms (maxStall) until database"
                + " default is flushed");
    assertThat(SmallStores.content(database)).isEqualTo(SmallStores.filled(0, refused, 1));
    flushesGoOn.countDown();
    Waiting.until("there is room", () -> fillsOne(database, SmallStores.key(refused), refused));
    store.close();
    try (Store again = SmallStores.open(directory)) {
      assertThat(SmallStores.content(again.database()))
          .isEqualTo(SmallStores.filled(0, refused + 1, 1));
    }
  }

  private static boolean fillsOne(Database database, byte[] key, int number) {
    try {
      database.put(key, SmallStores.value(number, 1), AT_ONCE);
      return true;
    } catch (StallTimeoutException e) {
      return false;
    }
  }

  @Test
  void whateverItDoes() {
    Store store = openWithHangingFlushes();
    Database database = store.database();
    int refused = fill(database);
    byte[] key = SmallStores.key(0);
    byte[] value = new byte[9000];
    List<ThrowingCallable> writes =
        List.of(
            () -> database.putIfAbsent(new byte[1], value, AT_ONCE),
            () -> database.compareAndSet(key, SmallStores.value(0, 1), value, AT_ONCE),
            () -> database.getAndPut(key, value, AT_ONCE),
            () -> database.byteBuffers().put(ByteBuffer.wrap(key), ByteBuffer.wrap(value), AT_ONCE),
            () ->
                store.inTransaction(
                    transaction -> {
                      transaction.put(database, key, value);
                      transaction.commit(AT_ONCE);
                      return transaction;
                    }));
    for (ThrowingCallable write : writes) {
      assertThatThrownBy(write).isInstanceOf(StallTimeoutException.class);
    }
    assertThat(SmallStores.content(database)).isEqualTo(SmallStores.filled(0, refused, 1));
  }

  @Test
  void aBatchWholly() {
    Store store = openWithHangingFlushes();
    Database other = store.openOrCreateDatabase("other");
    int refused = fill(store.database());
    WriteBatch batch = new WriteBatch().put(other, new byte[1], new byte[1]);
    for (int i = 0; i < 100; i++) {
      batch.put(store.database(), SmallStores.key(i), new byte[100]);
    }
    assertThatThrownBy(() -> store.write(batch, AT_ONCE)).isInstanceOf(StallTimeoutException.class);
    assertThat(SmallStores.content(other)).isEmpty();
    assertThat(SmallStores.content(store.database())).isEqualTo(SmallStores.filled(0, refused, 1));
  }

  @Test
  void notWhenThereIsRoomInTime() {
    Store store = openWithHangingFlushes();
    Database database = store.database();
    int refused = fill(database);
    CompletableFuture<Void> waiting =
        CompletableFuture.runAsync(
            () -> database.put(SmallStores.key(refused), SmallStores.value(refused, 1), SOME_DAY));
    flushesGoOn.countDown();
    waiting.join();
    assertThat(SmallStores.content(database)).isEqualTo(SmallStores.filled(0, refused + 1, 1));
  }

  @Test
  void anInterruptedThreadWaitsAsLongAndStaysInterrupted() throws InterruptedException {
    Store store = openWithHangingFlushes();
    Database database = store.database();
    int refused = fill(database);
    CompletableFuture<Boolean> interrupted = new CompletableFuture<>();
    Thread writer =
        new Thread(
            () -> {
              Thread.currentThread().interrupt();
              database.put(SmallStores.key(refused), SmallStores.value(refused, 1), SOME_DAY);
              interrupted.complete(Thread.interrupted());
            });
    writer.start();
    Waiting.until("it waits", () -> writer.getState() == Thread.State.TIMED_WAITING);
    flushesGoOn.countDown();
    assertThat(interrupted.join()).isTrue();
    writer.join();
    assertThat(SmallStores.content(database)).isEqualTo(SmallStores.filled(0, refused + 1, 1));
  }

  /** Values so large that what one owes lasts longer than the next write needs to come. */
  @Test
  void whenMergesAreFarBehind() {
    StoreOptions options =
        SmallStores.options()
            .writeBufferBytes(1 << 20)
            .compaction(CompactionPolicy.splitForest(2))
            .build();
    try (Store store = SmallStores.open(directory, options)) {
      Database database = store.database();
      store.pauseCompactions();
      for (int version = 0; version < 64; version++) {
        SmallStores.fill(database, 0, 10, version);
        store.flush();
      }
      int written = 0;
      try {
        for (; ; written++) {
          database.put(SmallStores.key(written), new byte[100_000], AT_ONCE);
        }
      } catch (StallTimeoutException e) {
        assertThat(e).hasMessageContaining("until database default has caught up");
      }
      assertThat(written).as("the first one owes nothing yet").isPositive();
      assertThat(database.get(SmallStores.key(written - 1))).hasSize(100_000);
      assertThat(database.contains(SmallStores.key(10 + written))).isFalse();
      database.put(SmallStores.key(0), new byte[1]); // waits for its own delay only
      store.resumeCompactions();
      store.awaitIdle();
      database.put(SmallStores.key(1), new byte[2], AT_ONCE);
      assertThat(database.get(SmallStores.key(0))).hasSize(1);
      assertThat(database.get(SmallStores.key(1))).hasSize(2);
    }
  }

  @Test
  void aRangeDeleteThatWouldHaveToCompact() {
    Tuning small = Tuning.DEFAULT.withRangeTombstoneBytes(4 << 10);
    try (Store store = SmallStores.open(directory, SmallStores.options().build(), small)) {
      Database database = store.database();
      SmallStores.fill(database, 0, 100, 1);
      int deleted = 0;
      try {
        for (; ; deleted++) {
          database.deleteRange(single(deleted), SOME_DAY);
        }
      } catch (StallTimeoutException e) {
        assertThat(e).hasMessageContaining("database default has room for more range tombstones");
      }
      database.put(new byte[1], new byte[1], AT_ONCE); // others go on
      database.deleteRange(single(deleted)); // makes room
      database.deleteRange(single(deleted + 1), AT_ONCE);
      assertThat(database.contains(SmallStores.key(99))).isEqualTo(deleted + 1 < 99);
    }
  }

  private static KeyRange single(int number) {
    return KeyRange.between(SmallStores.key(number), SmallStores.key(number + 1));
  }

  @Test
  void withoutALimitOptionsAreWritesAsAnyOther() {
    try (Store store = SmallStores.open(directory)) {
      Database database = store.database();
      byte[] one = {1};
      byte[] two = {2};
      database.put(one, one, WriteOptions.DEFAULT);
      database.byteBufs().put(Unpooled.wrappedBuffer(two), Unpooled.wrappedBuffer(one), AT_ONCE);
      assertThat(SmallStores.content(database)).hasSize(2);
      database.delete(one, WriteOptions.DEFAULT);
      database.byteBufs().delete(Unpooled.wrappedBuffer(two), SOON);
      assertThat(SmallStores.content(database)).isEmpty();
      store.write(new WriteBatch().put(database, one, two), SOON);
      store.write(new WriteBatch(), AT_ONCE);
      assertThat(SmallStores.content(database)).isEqualTo(Map.of("\u0001", "\u0002"));
      assertThat(AT_ONCE)
          .hasToString("durability=the store's maxStall=PT0S expireAfter=the database's");
      assertThat(WriteOptions.DEFAULT)
          .hasToString("durability=the store's maxStall=none expireAfter=the database's");
    }
  }

  @Test
  void aClosedStoreSaysSo() {
    Store store = SmallStores.open(directory);
    store.close();
    assertThatThrownBy(() -> store.database().put(new byte[1], new byte[1], AT_ONCE))
        .isInstanceOf(IllegalStateException.class)
        .hasMessageContaining("closed");
  }
}
