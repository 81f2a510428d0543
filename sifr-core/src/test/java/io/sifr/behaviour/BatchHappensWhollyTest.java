package io.sifr.behaviour;

import static io.sifr.behaviour.SmallStores.bytes;
import static io.sifr.behaviour.SmallStores.key;
import static io.sifr.behaviour.SmallStores.text;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sifr.Database;
import io.sifr.Store;
import io.sifr.WriteBatch;
import io.sifr.config.Durability;
import io.sifr.internal.state.Extensions.Tuning;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

class BatchHappensWhollyTest {
  private static final Tuning TUNING = Tuning.DEFAULT.withImmutableMemtables(1);

  @TempDir Path directory;

  @Test
  void acrossDatabasesAndLaterOperationsWin() {
    try (Store store = SmallStores.open(directory)) {
      Database one = store.database();
      Database two = store.openOrCreateDatabase("two");
      WriteBatch batch =
          new WriteBatch()
              .put(one, bytes("a"), bytes("1"))
              .put(two, bytes("a"), bytes("2"))
              .put(one, bytes("a"), bytes("3"))
              .put(two, bytes("b"), bytes("4"))
              .delete(two, bytes("b"));
      assertThat(batch.size()).isEqualTo(5);
      store.write(batch);
      assertThat(text(one.get(bytes("a")))).isEqualTo("3");
      assertThat(text(two.get(bytes("a")))).isEqualTo("2");
      assertThat(two.contains(bytes("b"))).isFalse();
      batch.clear();
      assertThat(batch.size()).isZero();
      store.write(batch);
    }
  }

  @Test
  void batchForAnotherStoreIsRefused(@TempDir Path other) {
    try (Store store = SmallStores.open(directory);
        Store stranger = SmallStores.open(other)) {
      WriteBatch batch = new WriteBatch().put(stranger.database(), bytes("a"), bytes("1"));
      assertThatThrownBy(() -> store.write(batch))
          .isInstanceOf(IllegalArgumentException.class)
          .hasMessageContaining("another store");
      assertThatThrownBy(() -> batch.put(store.database(), bytes("a"), bytes("1")))
          .isInstanceOf(IllegalArgumentException.class)
          .hasMessageContaining("different stores");
      stranger.write(batch);
      assertThat(SmallStores.content(store.database())).isEmpty();
      assertThat(text(stranger.database().get(bytes("a")))).isEqualTo("1");
    }
  }

  @Test
  void batchWithADroppedDatabaseDoesNothing() {
    try (Store store = SmallStores.open(directory)) {
      Database dropped = store.openOrCreateDatabase("dropped");
      WriteBatch batch =
          new WriteBatch()
              .put(store.database(), bytes("a"), bytes("1"))
              .put(dropped, bytes("a"), bytes("1"));
      store.dropDatabase("dropped");
      assertThatThrownBy(() -> store.write(batch))
          .isInstanceOf(IllegalStateException.class)
          .hasMessageContaining("dropped");
      assertThat(SmallStores.content(store.database())).isEmpty();
    }
  }

  /**
   * While a batch waits for room in its second database, others fill its first one. In that moment
   * the store must look for room again, and not find too late that there is none.
   */
  @Test
  @Timeout(value = 60, unit = TimeUnit.SECONDS)
  void writersThatMeetInFullBuffersOfTwoDatabases() throws Exception {
    var options =
        SmallStores.options().writeBufferBytes(8 << 10).durability(Durability.NONE).build();
    ExecutorService writers = Executors.newFixedThreadPool(3);
    try (Store store = SmallStores.open(directory, options, TUNING)) {
      Database one = store.database();
      Database two = store.openOrCreateDatabase("two");
      List<Callable<Integer>> loads = new ArrayList<>();
      for (int writer = 0; writer < 3; writer++) {
        int offset = writer * 10_000;
        boolean swapped = writer % 2 == 1;
        loads.add(() -> load(store, swapped ? two : one, swapped ? one : two, offset));
      }
      for (Future<Integer> load : writers.invokeAll(loads)) {
        assertThat(load.get()).isEqualTo(BATCHES);
      }
      assertThat(SmallStores.content(one)).hasSize(3 * BATCHES);
      assertThat(SmallStores.content(two)).hasSize(3 * BATCHES);
    } finally {
      writers.shutdownNow();
    }
  }

  private static final int BATCHES = 60;

  private static int load(Store store, Database first, Database second, int offset) {
    byte[] value = new byte[1500];
    for (int i = 0; i < BATCHES; i++) {
      store.write(
          new WriteBatch().put(first, key(offset + i), value).put(second, key(offset + i), value));
    }
    return BATCHES;
  }
}
