package io.sifr.internal.engine.write;

import static org.assertj.core.api.Assertions.assertThat;

import io.sifr.config.StoreOptions;
import io.sifr.config.WriteOptions;
import io.sifr.internal.engine.StoreEngine;
import io.sifr.internal.engine.TestEngines;
import io.sifr.internal.state.DatabaseHandle;
import io.sifr.internal.wal.WalWriter;
import io.sifr.testing.Futures;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class AsyncWritesTest {
  @TempDir Path directory;

  private static CompletableFuture<Void> put(AsyncWrites async, StoreEngine engine, int key) {
    DatabaseHandle database = engine.database("default");
    return async.write(
        WriteOptions.SYNC,
        options -> engine.writes().put(database, new byte[] {(byte) key}, new byte[9], options));
  }

  @Test
  void oneThreadComesForAllThatWait() {
    Queue<Runnable> tasks = new ArrayDeque<>();
    try (StoreEngine engine = TestEngines.open(directory, StoreOptions.DEFAULT);
        AsyncWrites async = new AsyncWrites(engine.writes(), tasks::add)) {
      CompletableFuture<Void> first = put(async, engine, 1);
      CompletableFuture<Void> second = put(async, engine, 2);
      assertThat(tasks).hasSize(1);
      Futures.andThen(first, () -> assertThat(put(async, engine, 3)).isNotDone());
      tasks.remove().run();
      assertThat(first).isCompleted();
      assertThat(second).isCompleted();
      assertThat(tasks).as("it has come to what was written meanwhile").isEmpty();
      assertThat(put(async, engine, 4)).isNotDone();
      assertThat(tasks).as("and then it has ended").hasSize(1);
    }
  }

  /** Though others have made the first of them durable meanwhile. */
  @Test
  void theSyncIsUpToTheLastOfThem() {
    Queue<Runnable> tasks = new ArrayDeque<>();
    try (StoreEngine engine = TestEngines.open(directory, StoreOptions.DEFAULT);
        AsyncWrites async = new AsyncWrites(engine.writes(), tasks::add)) {
      CompletableFuture<Void> first = put(async, engine, 1);
      engine.sync();
      CompletableFuture<Void> second = put(async, engine, 2);
      WalWriter log = engine.state().log().writer();
      assertThat(log).isNotNull();
      assertThat(log.isDurable()).isFalse();
      tasks.remove().run();
      assertThat(first).isCompleted();
      assertThat(second).isCompleted();
      assertThat(log.isDurable()).isTrue();
    }
  }

  @Test
  void withoutAThreadTheCallerSyncs() {
    Executor none =
        task -> {
          throw new RejectedExecutionException("there is no thread");
        };
    try (StoreEngine engine = TestEngines.open(directory, StoreOptions.DEFAULT);
        AsyncWrites async = new AsyncWrites(engine.writes(), none)) {
      assertThat(put(async, engine, 1)).isCompleted();
      assertThat(put(async, engine, 2)).isCompleted();
    }
  }

  /** A thread may have made its write, and be slow to say so. */
  @Test
  void whatComesAfterTheEndIsCompleteAtOnce() {
    Queue<Runnable> tasks = new ArrayDeque<>();
    try (StoreEngine engine = TestEngines.open(directory, StoreOptions.DEFAULT)) {
      AsyncWrites async = new AsyncWrites(engine.writes(), tasks::add);
      CompletableFuture<Void> before = put(async, engine, 1);
      async.close();
      assertThat(before).isCompleted();
      assertThat(put(async, engine, 2)).isCompleted();
      tasks.remove().run(); // late, and nothing is left for it
      Futures.await(before);
      async.close();
    }
  }
}
