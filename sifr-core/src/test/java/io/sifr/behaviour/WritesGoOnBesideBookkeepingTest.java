package io.sifr.behaviour;

import static io.sifr.behaviour.SmallStores.key;
import static io.sifr.behaviour.SmallStores.value;
import static org.assertj.core.api.Assertions.assertThat;

import io.sifr.Database;
import io.sifr.Store;
import io.sifr.TestStores;
import io.sifr.config.StoreOptions;
import io.sifr.config.WriteOptions;
import io.sifr.event.StoreListener;
import io.sifr.internal.compaction.pick.Policies;
import io.sifr.internal.compaction.pick.Rule;
import io.sifr.internal.entry.EntryKinds;
import io.sifr.internal.forest.CompactionPlan;
import io.sifr.internal.forest.Forest;
import io.sifr.internal.io.AppendFile;
import io.sifr.internal.io.CrashPoint;
import io.sifr.internal.io.DiskFileSystem;
import io.sifr.internal.sst.format.BlockCodecs;
import io.sifr.internal.state.Extensions;
import io.sifr.internal.state.Extensions.Tuning;
import io.sifr.internal.wal.LogCrashPoint;
import io.sifr.testing.ForwardingFileSystem;
import io.sifr.testing.Gate;
import io.sifr.testing.NoSyncFileSystem;
import io.sifr.testing.PolicyRules;
import io.sifr.testing.Waiting;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * Whoever holds the write lock waits for no planning, no file and no sync: each of them is held up
 * here for as long as it takes another thread to write.
 */
@Timeout(value = 120, unit = TimeUnit.SECONDS, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class WritesGoOnBesideBookkeepingTest {
  /** Entries that fill more than one write buffer, and fewer than two. */
  private static final int BUFFER = 350;

  @TempDir Path directory;

  private final Gate gate = new Gate();

  /** Holds up threads of the background while they plan, under the lock for that. */
  private final class HeldPlanning implements Rule.OfStages {
    private final Rule.OfStages rule = PolicyRules.stages(Policies.of(StoreOptions.DEFAULT));

    @Override
    public List<CompactionPlan> due(Forest forest) {
      if (Thread.currentThread().getName().startsWith("sifr-")) {
        gate.pass();
      }
      return rule.due(forest);
    }

    @Override
    public double score(Forest forest, CompactionPlan plan) {
      return rule.score(forest, plan);
    }

    @Override
    public double debt(Forest forest) {
      return rule.debt(forest);
    }

    @Override
    public int moreFilterBits(Forest forest, int stage) {
      return rule.moreFilterBits(forest, stage);
    }
  }

  /** Holds up what is created, or renamed, under a name that ends like this. */
  private class HeldFiles extends ForwardingFileSystem {
    private final String created;
    private final String renamed;

    HeldFiles(String created, String renamed) {
      super(new NoSyncFileSystem(new DiskFileSystem()));
      this.created = created;
      this.renamed = renamed;
    }

    @Override
    public AppendFile create(Path file) {
      if (file.toString().endsWith(created)) {
        gate.pass();
      }
      return super.create(file);
    }

    @Override
    public void rename(Path source, Path target) {
      if (target.toString().endsWith(renamed)) {
        gate.pass();
      }
      super.rename(source, target);
    }
  }

  private HeldFiles heldCreation(String suffix) {
    return new HeldFiles(suffix, "nothing");
  }

  private static void fill(Database database, int from, int count) {
    SmallStores.fill(database, from, from + count, 1);
  }

  private static Thread start(Runnable task) {
    Thread thread = new Thread(task, "other-writer");
    thread.start();
    return thread;
  }

  private static void awaitWaiting(Thread thread) {
    Waiting.until("the other waits", () -> thread.getState() == Thread.State.WAITING);
  }

  @Test
  void memtablesAreReplacedWhileCompactionsArePlanned() {
    Extensions extensions =
        new Extensions(
            EntryKinds.STANDARD, BlockCodecs.STANDARD, PolicyRules.of(new HeldPlanning()));
    try (Store store =
        TestStores.open(
            directory,
            SmallStores.options().build(),
            new NoSyncFileSystem(new DiskFileSystem()),
            StoreListener.NONE,
            extensions)) {
      Database database = store.database();
      gate.close();
      fill(database, 0, BUFFER);
      gate.awaitArrival(); // a flush has ended, and what is due now is being planned
      fill(database, BUFFER, BUFFER);
      gate.open();
      store.awaitIdle();
      assertThat(SmallStores.content(database)).isEqualTo(SmallStores.filled(0, 2 * BUFFER, 1));
    }
  }

  /** Else a fast writer would find none, and have to do it itself. */
  @Test
  void segmentsArePreparedBesideAFlush() throws InterruptedException {
    AtomicInteger prepared = new AtomicInteger();
    Thread writer = Thread.currentThread();
    HeldFiles files =
        new HeldFiles(".sst", "nothing") {
          @Override
          public void reached(CrashPoint point) {
            super.reached(point);
            if (point == LogCrashPoint.LOG_SEGMENT_PREPARED && Thread.currentThread() != writer) {
              prepared.incrementAndGet();
            }
          }
        };
    StoreOptions options = SmallStores.options().writeBufferBytes(4 << 20).build();
    try (Store store = TestStores.open(directory, options, files)) {
      Database database = store.database();
      gate.close();
      fill(database, 0, 1);
      Thread flush = start(store::flush);
      gate.awaitArrival();
      for (int round = 1; round <= 5; round++) {
        int before = prepared.get();
        fill(database, round * BUFFER, BUFFER); // more than a segment
        Waiting.until("another segment is prepared", () -> prepared.get() > before);
      }
      gate.open();
      flush.join();
    }
  }

  @Test
  void othersWriteWhileOneWaitsForASegment() throws InterruptedException {
    HeldFiles files = new HeldFiles("nothing", ".wal");
    StoreOptions options = SmallStores.options().writeBufferBytes(4 << 20).build();
    try (Store store = TestStores.open(directory, options, files)) {
      Database database = store.database();
      fill(database, 0, 1);
      gate.close();
      Thread other = start(() -> fill(database, 1, 10 * BUFFER));
      gate.awaitArrival();
      awaitWaiting(other);
      for (int i = 0; i < BUFFER; i++) {
        database.put(key(100_000 + i), value(i, 1), WriteOptions.UNLOGGED);
      }
      assertThat(other.isAlive()).isTrue();
      gate.open();
      other.join();
      assertThat(SmallStores.content(database)).hasSize(1 + 11 * BUFFER);
    }
  }

  @Test
  void othersWriteWhileOneOpensTheLog() throws InterruptedException {
    try (Store store =
        TestStores.open(directory, SmallStores.options().build(), heldCreation(".wal.new"))) {
      Database database = store.database();
      gate.close();
      Thread other = start(() -> fill(database, 1, 1));
      gate.awaitArrival();
      database.put(key(0), value(0, 1), WriteOptions.UNLOGGED);
      assertThat(SmallStores.content(database)).isEqualTo(SmallStores.filled(0, 1, 1));
      gate.open();
      other.join();
    }
    try (Store store = SmallStores.open(directory)) {
      assertThat(SmallStores.content(store.database())).isEqualTo(SmallStores.filled(0, 2, 1));
    }
  }

  /** The store is closed meanwhile, and the log that is not used is not left behind. */
  @Test
  void closingWaitsForTheOneThatOpensTheLog() throws InterruptedException {
    Store store =
        TestStores.open(directory, SmallStores.options().build(), heldCreation(".wal.new"));
    gate.close();
    Database database = store.database();
    AtomicInteger refused = new AtomicInteger();
    Thread other =
        start(
            () -> {
              try {
                fill(database, 0, 1);
              } catch (IllegalStateException e) {
                refused.incrementAndGet();
              }
            });
    gate.awaitArrival();
    Thread closing = start(store::close);
    awaitWaitingOrBlocked(closing);
    gate.open();
    other.join();
    closing.join();
    assertThat(refused).hasValue(1);
    assertThat(new DiskFileSystem().list(directory)).noneMatch(name -> name.contains(".wal"));
    try (Store again = SmallStores.open(directory)) {
      assertThat(SmallStores.content(again.database())).isEmpty();
    }
  }

  private static void awaitWaitingOrBlocked(Thread thread) {
    Waiting.until(
        "the other waits",
        () ->
            thread.getState() == Thread.State.WAITING || thread.getState() == Thread.State.BLOCKED);
  }

  @Test
  void othersWriteWhileAListenerHearsOfAStall() throws InterruptedException {
    Gate listening = new Gate();
    StoreListener listener =
        new StoreListener() {
          @Override
          public void stalled(StallEvent event) {
            listening.pass();
          }
        };
    StoreOptions options = SmallStores.options().build();
    Tuning one = Tuning.DEFAULT.withImmutableMemtables(1);
    try (Store store = TestStores.open(directory, options, one, heldCreation(".sst"), listener)) {
      Database database = store.database();
      gate.close();
      Thread other = start(() -> fill(database, 0, 4 * BUFFER));
      gate.awaitArrival();
      awaitWaiting(other); // for the flush
      listening.close();
      gate.open();
      listening.awaitArrival();
      database.put(key(100_000), value(0, 1));
      listening.open();
      other.join();
      assertThat(SmallStores.content(database)).hasSize(4 * BUFFER + 1);
    }
  }
}
