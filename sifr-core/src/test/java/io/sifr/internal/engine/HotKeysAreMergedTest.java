package io.sifr.internal.engine;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.sifr.config.CompactionPolicy;
import io.sifr.config.StoreOptions;
import io.sifr.config.WriteOptions;
import io.sifr.event.Metric;
import io.sifr.internal.forest.LogicalTree;
import io.sifr.internal.state.DatabaseHandle;
import io.sifr.testing.Padded;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.EnumSource.Mode;

/** Where only some keys are read, only these are merged. */
class HotKeysAreMergedTest {
  private static final int FLUSHES = 23;
  private static final int KEYS = 60_000;
  private static final int HOT = 1000;
  private static final int COLD = KEYS - 1000;

  @TempDir Path directory;

  private StoreOptions options(CompactionPolicy.Kind policy) {
    return StoreOptions.builder()
        .keptLogBytes(0)
        .writeBufferBytes(1 << 20)
        .splitUnitBytes(16 << 10)
        .compaction(CompactionPolicy.of(policy))
        .build();
  }

  /** Leveling leaves a single tree, and tiering SSTs as large as trees. */
  @ParameterizedTest
  @EnumSource(
      mode = Mode.EXCLUDE,
      names = {"FIFO", "LEVELED", "SIZE_TIERED"})
  void whatIsReadIsMergedAndWhatIsNotStays(CompactionPolicy.Kind policy) {
    try (StoreEngine engine = TestEngines.open(directory, options(policy))) {
      DatabaseHandle database = engine.database("default");
      load(engine, database);
      List<LogicalTree> ofCold = treesOf(database, COLD);
      assertThat(treesOf(database, HOT)).hasSizeGreaterThan(1);
      long bytes = database.view().get().forest().bytes();
      long before = written(engine);
      for (int i = 0; i < 1000 && treesOf(database, HOT).size() > 1; i++) {
        for (int key = HOT; key < HOT + 100; key++) {
          assertThat(get(engine, database, key)).isNotNull();
        }
        engine.awaitIdle();
      }
      assertThat(treesOf(database, HOT)).hasSize(1);
      assertThat(treesOf(database, COLD)).hasSameSizeAs(ofCold);
      assertThat(written(engine) - before).isLessThan(bytes / 8);
      checkAll(engine, database);
    }
    try (StoreEngine engine = TestEngines.open(directory, options(policy))) {
      checkAll(engine, engine.database("default"));
    }
  }

  private static void load(StoreEngine engine, DatabaseHandle database) {
    for (int i = 0; i < FLUSHES; i++) {
      for (int key = i; key < KEYS; key += FLUSHES) {
        engine.writes().put(database, bytes(key), value(key), WriteOptions.UNLOGGED);
      }
      engine.flush();
      engine.awaitIdle();
    }
  }

  private static void checkAll(StoreEngine engine, DatabaseHandle database) {
    for (int key = 0; key < KEYS; key++) {
      assertThat(get(engine, database, key)).isEqualTo(value(key));
    }
  }

  private static byte[] get(StoreEngine engine, DatabaseHandle database, int key) {
    byte[] value = engine.reads().get(database, bytes(key), StoreEngine.NOW, null);
    assertThat(value).isNotNull();
    return value;
  }

  private static List<LogicalTree> treesOf(DatabaseHandle database, int key) {
    byte[] wanted = bytes(key);
    return database.view().get().forest().byPriority().stream()
        .filter(tree -> tree.mayHold(wanted, 0, wanted.length))
        .toList();
  }

  private static byte[] bytes(int key) {
    return ("key" + Padded.number(key, 6)).getBytes(UTF_8);
  }

  private static byte[] value(int key) {
    return (key + " ".repeat(100)).getBytes(UTF_8);
  }

  private static long written(StoreEngine engine) {
    return engine.statistics().get(Metric.COMPACTION_BYTES);
  }
}
