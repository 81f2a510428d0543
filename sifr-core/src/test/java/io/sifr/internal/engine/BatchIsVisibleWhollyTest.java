package io.sifr.internal.engine;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sifr.config.StoreOptions;
import io.sifr.config.WriteOptions;
import io.sifr.internal.engine.read.CursorHandle;
import io.sifr.internal.engine.write.BatchBuffer;
import io.sifr.internal.state.DatabaseHandle;
import io.sifr.internal.view.Snapshots;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What readers see while the operations of a batch come into the memtables one by one (I6). */
class BatchIsVisibleWhollyTest {
  private static final byte[] KEY = "key".getBytes(UTF_8);
  private static final byte[] BEFORE = "before".getBytes(UTF_8);
  private static final byte[] BATCH = "batch".getBytes(UTF_8);

  @TempDir Path directory;
  private StoreEngine engine;
  private DatabaseHandle one;
  private DatabaseHandle two;

  @BeforeEach
  void open() {
    engine = TestEngines.open(directory, StoreOptions.DEFAULT);
    one = engine.database("default");
    two = engine.openOrCreateDatabase("two");
    engine.writes().put(one, KEY, BEFORE, WriteOptions.UNLOGGED);
    engine.writes().put(two, KEY, BEFORE, WriteOptions.UNLOGGED);
  }

  @AfterEach
  void close() {
    engine.close();
  }

  /** The second operation cannot be read, so the first one stays the only one in a memtable. */
  private void writeHalfABatch() {
    BatchBuffer batch = new BatchBuffer();
    batch.put(one, KEY, BATCH);
    int second = batch.operations().length();
    batch.put(two, KEY, BATCH);
    int kind = second + 1; // after the database's id
    batch.operations().array()[kind] = 99;
    assertThatThrownBy(() -> engine.writes().write(batch, WriteOptions.UNLOGGED))
        .hasMessageContaining("99");
  }

  @Test
  void halfOfABatchIsNotVisible() {
    writeHalfABatch();
    for (DatabaseHandle database : List.of(one, two)) {
      assertThat(engine.reads().get(database, KEY, StoreEngine.NOW, null))
          .describedAs("get in database %s", database)
          .asString(UTF_8)
          .isEqualTo("before");
      assertThat(engine.reads().multiGet(database, List.of(KEY), StoreEngine.NOW, null))
          .describedAs("multiGet in database %s", database)
          .containsExactly(BEFORE);
      try (CursorHandle cursor = engine.openCursor(database, StoreEngine.NOW, null, null, null)) {
        assertThat(cursor.next()).isTrue();
        assertThat(cursor.value()).describedAs("cursor").asString(UTF_8).isEqualTo("before");
      }
      try (Snapshots.Handle snapshot = engine.acquireSnapshot()) {
        assertThat(engine.reads().get(database, KEY, snapshot.sequence(), null))
            .describedAs("get at a snapshot of %s", database)
            .asString(UTF_8)
            .isEqualTo("before");
      }
    }
  }
}
