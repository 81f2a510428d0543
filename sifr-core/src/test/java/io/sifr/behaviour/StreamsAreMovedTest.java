package io.sifr.behaviour;

import static org.assertj.core.api.Assertions.assertThat;

import io.sifr.Database;
import io.sifr.Store;
import io.sifr.config.Durability;
import io.sifr.config.StoreOptions;
import io.sifr.event.StoreListener;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.SplittableRandom;
import java.util.concurrent.ConcurrentHashMap;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Many ascending streams are rewritten until each has in a tree what is worth an SST, and moved
 * from then on. No SST holds the end of one and the beginning of another then, for whatever comes
 * later would hang together with it.
 */
class StreamsAreMovedTest {
  private static final int STREAMS = 100;
  private static final int FLUSHES = 64;
  private static final int FLUSH_ENTRIES = 9_000;

  /** Sixteen flushes of a stream are worth an SST, four are not. */
  private static final StoreOptions OPTIONS =
      StoreOptions.builder()
          .durability(Durability.NONE)
          .writeBufferBytes(2 << 20) // no flush but those asked for
          .splitUnitBytes(512 << 10)
          .build();

  @TempDir Path directory;

  private static final class WrittenByStage implements StoreListener {
    private final ConcurrentHashMap<Integer, Long> written = new ConcurrentHashMap<>();
    private final ConcurrentHashMap<Integer, Long> moved = new ConcurrentHashMap<>();

    @Override
    public void compacted(CompactionEvent event) {
      int stage = event.output().stage();
      written.merge(stage, event.output().written().bytes(), Long::sum);
      moved.merge(stage, event.output().moved().bytes(), Long::sum);
    }
  }

  /** With 60 ticks a flush, the last digits at the ends of streams are what others begin with. */
  @ParameterizedTest
  @ValueSource(ints = {1, 60, 1000})
  void eachStreamIsMovedFromTheThirdStageOn(int step) {
    WrittenByStage byStage = new WrittenByStage();
    SplittableRandom random = new SplittableRandom(5);
    byte[] value = new byte[100];
    try (Store store = Store.builder(directory).options(OPTIONS).listener(byStage).open()) {
      Database database = store.database();
      long time = 1_700_000_000_000_000L;
      for (int flush = 0; flush < FLUSHES; flush++) {
        for (int i = 0; i < FLUSH_ENTRIES; i++) {
          time += step;
          byte[] key = ByteBuffer.allocate(12).putInt(i % STREAMS).putLong(time).array();
          random.nextBytes(value);
          database.put(key, value);
        }
        store.flush();
        store.awaitIdle();
      }
    }
    assertThat(byStage.written).containsOnlyKeys(2, 3, 4);
    assertThat(byStage.moved.get(4)).isGreaterThan(FLUSHES * FLUSH_ENTRIES * 100L);
    assertThat(byStage.written.get(4)).isZero();
  }
}
