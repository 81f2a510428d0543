package io.sifr.internal.engine.conditions;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sifr.config.SearchScheme;
import io.sifr.config.StoreOptions;
import io.sifr.config.WriteOptions;
import io.sifr.error.ConflictException;
import io.sifr.internal.engine.StoreEngine;
import io.sifr.internal.engine.TestEngines;
import io.sifr.internal.resources.SearchThreads;
import io.sifr.internal.search.PointSearch;
import io.sifr.internal.search.Searchers;
import io.sifr.internal.search.Searchers.BlockAccess;
import io.sifr.internal.state.DatabaseHandle;
import io.sifr.internal.view.ReadEpochs;
import io.sifr.internal.view.Snapshots;
import java.nio.file.Path;
import java.util.function.Consumer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What is written between the two looks at a condition is found by the second, under the lock. */
class ConditionCheckTest {
  private static final byte[] A = {'a'};
  private static final byte[] B = {'b'};
  private static final byte[] C = {'c'};
  private static final byte[] ONE = {'1'};
  private static final byte[] TWO = {'2'};

  @TempDir Path directory;

  private StoreEngine engine;
  private DatabaseHandle database;
  private SearchThreads threads;
  private CurrentValues values;
  private Snapshots.Handle snapshot;

  @BeforeEach
  void open() {
    engine = TestEngines.open(directory, StoreOptions.DEFAULT);
    database = engine.database("default");
    put(A, ONE);
    ReadEpochs epochs = new ReadEpochs();
    threads = new SearchThreads(1);
    values =
        new CurrentValues(
            epochs,
            new PointSearch(new Searchers(threads, epochs), BlockAccess.STORE),
            engine.state().writes()::visible,
            SearchScheme.SERIAL);
    snapshot = engine.acquireSnapshot();
  }

  @AfterEach
  void close() {
    snapshot.close();
    engine.close();
    threads.close();
  }

  private void put(byte[] key, byte[] value) {
    engine.writes().put(database, key, value, WriteOptions.UNLOGGED);
  }

  private void assertRefusedAfter(Consumer<Conditions> condition, Runnable write) {
    check(condition, write, true);
  }

  private void assertAllowedAfter(Consumer<Conditions> condition, Runnable write) {
    check(condition, write, false);
  }

  private void check(Consumer<Conditions> condition, Runnable write, boolean isRefused) {
    Conditions conditions = new Conditions();
    condition.accept(conditions);
    try (ConditionCheck check = ConditionCheck.begin(values, conditions.all(), false)) {
      write.run();
      if (isRefused) {
        assertThatThrownBy(check::allows).isInstanceOf(ConflictException.class);
      } else {
        assertThat(check.allows()).isTrue();
      }
    }
  }

  @Test
  void rangesThatWereRead() {
    assertAllowedAfter(all -> all.requireUnchanged(database, A, C, snapshot), () -> put(C, ONE));
    assertRefusedAfter(all -> all.requireUnchanged(database, A, C, snapshot), () -> put(B, ONE));
  }

  @Test
  void rangesWithoutBounds() {
    assertRefusedAfter(
        all -> all.requireUnchanged(database, null, null, snapshot), () -> put(C, ONE));
  }

  @Test
  void rangesOfWhichAPartIsDeleted() {
    assertRefusedAfter(
        all -> all.requireUnchanged(database, A, C, snapshot),
        () -> engine.writes().deleteRange(database, A, B, WriteOptions.UNLOGGED));
  }

  @Test
  void rangesWhoseNewKeysAreFlushedMeanwhile() {
    assertRefusedAfter(
        all -> all.requireUnchanged(database, A, C, snapshot),
        () -> {
          put(B, ONE);
          engine.flush();
        });
  }

  @Test
  void keysThatWereRead() {
    assertAllowedAfter(all -> all.requireUnchanged(database, A, snapshot), () -> put(B, ONE));
    assertRefusedAfter(all -> all.requireUnchanged(database, A, snapshot), () -> put(A, ONE));
  }

  @Test
  void databasesThatAreDroppedMeanwhile() {
    DatabaseHandle dropped = engine.openOrCreateDatabase("dropped");
    Conditions conditions = new Conditions();
    conditions.requireUnchanged(dropped, A, snapshot);
    try (ConditionCheck check = ConditionCheck.begin(values, conditions.all(), false)) {
      engine.dropDatabase("dropped");
      assertThatThrownBy(check::allows)
          .isInstanceOf(IllegalStateException.class)
          .hasMessageContaining("was dropped");
    }
  }

  @Test
  void valuesThatWereRequired() {
    assertAllowedAfter(all -> all.requireValue(database, A, ONE), () -> put(A, ONE));
    assertRefusedAfter(all -> all.requireValue(database, A, ONE), () -> put(A, TWO));
    assertRefusedAfter(all -> all.requireValue(database, B, null), () -> put(B, TWO));
  }
}
