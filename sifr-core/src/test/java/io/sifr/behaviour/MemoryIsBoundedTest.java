package io.sifr.behaviour;

import static org.assertj.core.api.Assertions.assertThat;

import io.sifr.Cursor;
import io.sifr.Database;
import io.sifr.Store;
import io.sifr.config.ReadMode;
import io.sifr.config.StoreOptions;
import io.sifr.event.Metric;
import io.sifr.event.StoreStatistics;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import jdk.jfr.consumer.RecordedEvent;
import jdk.jfr.consumer.RecordingStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A store keeps to its budget of memory, and says what it uses it for. */
class MemoryIsBoundedTest {
  private static final int MIB = 1 << 20;
  private static final int ENTRIES = 20_000;

  @TempDir Path directory;

  private static StoreStatistics memory(Store store) {
    return store.statistics();
  }

  /** Three megabytes with a budget of one, read in every way. */
  @Test
  void theSmallestBudgetSuffices() {
    StoreOptions options =
        StoreOptions.builder().memoryBudgetBytes(MIB).readMode(ReadMode.POSITIONAL).build();
    try (Store store = SmallStores.open(directory, options)) {
      Database database = store.database();
      for (int i = 0; i < ENTRIES; i++) {
        SmallStores.fill(database, i, i + 1, 1);
        if (i % 200 == 0) {
          assertThat(memory(store).get(Metric.WRITE_BUFFER_BYTES)).isLessThan(MIB);
        }
      }
      store.flush();
      List<Cursor> cursors = new ArrayList<>();
      for (int i = 0; i < 20; i++) {
        Cursor cursor = database.cursor();
        cursors.add(cursor);
        for (int step = 0; step < 1000; step++) {
          assertThat(cursor.next()).isTrue();
        }
      }
      StoreStatistics memory = memory(store);
      assertThat(memory.get(Metric.BUDGET_BYTES)).isEqualTo(MIB);
      assertThat(memory.get(Metric.READ_AHEAD_BYTES)).as("little each").isBetween(1L, MIB / 2L);
      assertThat(memory.get(Metric.BLOCK_CACHE_BYTES)).isBetween(1L, (long) MIB);
      assertThat(
              memory.get(Metric.BLOCK_CACHE_BYTES)
                  + memory.get(Metric.READ_AHEAD_BYTES)
                  + memory.get(Metric.WRITE_BUFFER_BYTES))
          .isLessThan(MIB + MIB / 4);
      cursors.forEach(Cursor::close);
      store.awaitIdle(); // compactions read ahead, too
      assertThat(memory(store).get(Metric.READ_AHEAD_BYTES)).isZero();
      for (int i = 0; i < ENTRIES; i += 97) {
        assertThat(database.get(SmallStores.key(i))).isEqualTo(SmallStores.value(i, 1));
      }
    }
  }

  /** It is flushed before it is full. */
  @Test
  void aWriteBufferMayBeLargerThanTheMemoryForAll() {
    StoreOptions options =
        StoreOptions.builder().writeBufferBytes(16 * MIB).totalWriteBufferBytes(MIB).build();
    try (Store store = SmallStores.open(directory, options)) {
      for (int i = 0; i < ENTRIES; i++) {
        SmallStores.fill(store.database(), i, i + 1, 1);
        if (i % 200 == 0) {
          assertThat(memory(store).get(Metric.WRITE_BUFFER_BYTES)).isLessThan(3L * MIB);
        }
      }
      assertThat(store.statistics().get(Metric.SSTS)).isPositive();
      assertThat(SmallStores.content(store.database()))
          .isEqualTo(SmallStores.filled(0, ENTRIES, 1));
    }
  }

  @Test
  void aFlightRecordingShowsIt() throws Exception {
    BlockingQueue<RecordedEvent> events = new LinkedBlockingQueue<>();
    try (RecordingStream recording = new RecordingStream()) {
      recording.enable("io.sifr.Memory").withPeriod(Duration.ofMillis(20));
      recording.onEvent("io.sifr.Memory", events::add);
      recording.setReuse(false);
      recording.startAsync();
      try (Store store = SmallStores.open(directory)) {
        SmallStores.fill(store.database(), 0, 100, 1);
        StoreStatistics memory = memory(store);
        RecordedEvent event = events.take();
        while (event.getLong("writeBufferBytes") != memory.get(Metric.WRITE_BUFFER_BYTES)) {
          event = events.take();
        }
        assertThat(event.getString("store")).isEqualTo(store.directory().toString());
        assertThat(event.getLong("budgetBytes")).isEqualTo(memory.get(Metric.BUDGET_BYTES));
      }
    }
  }
}
