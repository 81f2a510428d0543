package io.sifr.internal.engine.read;

import static org.assertj.core.api.Assertions.assertThat;

import io.sifr.config.SearchScheme;
import io.sifr.config.StoreOptions;
import io.sifr.config.WriteOptions;
import io.sifr.internal.engine.StoreEngine;
import io.sifr.internal.engine.TestEngines;
import io.sifr.internal.resources.SearchThreads;
import io.sifr.internal.search.PointSearch;
import io.sifr.internal.search.Searchers;
import io.sifr.internal.search.Searchers.BlockAccess;
import io.sifr.internal.state.Counters;
import io.sifr.internal.state.DatabaseHandle;
import io.sifr.internal.state.LatencyHistogram;
import io.sifr.internal.view.ReadEpochs;
import io.sifr.internal.view.Snapshots;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ReadPathTest {
  private static final byte[] KEY = {1};

  /**
   * A reader is held up between its view and its sequence number, and meanwhile the key is
   * overwritten and merged. With the number first, it would look for the old version in a view that
   * has only the new one.
   */
  @Test
  void theViewIsNeverNewerThanTheSequenceNumber(@TempDir Path directory) {
    try (StoreEngine engine = TestEngines.open(directory, StoreOptions.DEFAULT)) {
      DatabaseHandle database = engine.database("default");
      engine.writes().put(database, KEY, new byte[] {10}, WriteOptions.UNLOGGED);
      ReadEpochs epochs = engine.epochs();
      ReadPath reader =
          new ReadPath(
              epochs,
              new PointSearch(new Searchers(new SearchThreads(1), epochs), BlockAccess.STORE),
              () -> {
                long sequence = newestSequence(engine);
                engine.writes().put(database, KEY, new byte[] {20}, WriteOptions.UNLOGGED);
                engine.compact(database);
                return sequence;
              },
              SearchScheme.SERIAL,
              new LatencyHistogram(),
              new Counters.Reading().gets());
      assertThat(reader.get(database, KEY, StoreEngine.NOW, null)).containsExactly(10);
      assertThat(engine.reads().get(database, KEY, StoreEngine.NOW, null)).containsExactly(20);
    }
  }

  private static long newestSequence(StoreEngine engine) {
    try (Snapshots.Handle now = engine.acquireSnapshot()) {
      return now.sequence();
    }
  }
}
