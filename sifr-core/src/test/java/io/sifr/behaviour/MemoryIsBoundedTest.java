package io.sifr.behaviour;

import static org.assertj.core.api.Assertions.assertThat;

import io.sifr.Cursor;
import io.sifr.Database;
import io.sifr.Store;
import io.sifr.config.ReadMode;
import io.sifr.config.StoreOptions;
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

  private static StoreStatistics.Memory memory(Store store) {
    return store.statistics().memory();
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
          assertThat(memory(store).writeBufferBytes()).isLessThan(MIB);
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
      StoreStatistics.Memory memory = memory(store);
      assertThat(memory.budgetBytes()).isEqualTo(MIB);
      assertThat(memory.readAheadBytes()).as("little each").isBetween(1L, MIB / 2L);
      assertThat(memory.blockCacheBytes()).isBetween(1L, (long) MIB);
      assertThat(memory.blockCacheBytes() + memory.readAheadBytes() + memory.writeBufferBytes())
          .isLessThan(MIB + MIB / 4);
      cursors.forEach(Cursor::close);
      store.awaitIdle(); // compactions read ahead, too
      assertThat(memory(store).readAheadBytes()).isZero();
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
          assertThat(memory(store).writeBufferBytes()).isLessThan(3L * MIB);
        }
      }
      assertThat(store.statistics().contents().ssts()).isPositive();
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
        StoreStatistics.Memory memory = memory(store);
        RecordedEvent event = events.take();
        while (event.getLong("writeBufferBytes") != memory.writeBufferBytes()) {
          event = events.take();
        }
        assertThat(event.getString("store")).isEqualTo(store.directory().toString());
        assertThat(event.getLong("budgetBytes")).isEqualTo(memory.budgetBytes());
      }
    }
  }
}
