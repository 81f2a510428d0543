package io.sifr.isolation;

import static org.assertj.core.api.Assertions.assertThat;

import io.sifr.Store;
import io.sifr.TestStores;
import io.sifr.TransactionOptions;
import io.sifr.config.CompactionPolicy;
import io.sifr.config.StoreOptions;
import io.sifr.internal.io.DiskFileSystem;
import io.sifr.internal.state.Extensions.Tuning;
import io.sifr.testing.NoSyncFileSystem;
import io.sifr.testing.Threads;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Function;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * Eight threads read and append to a few lists in all ways that there are, while write buffers of a
 * few kilobytes are flushed and merged, and the history of what they saw is checked. A longer run:
 * {@code -Dsifr.isolation.rounds=100}; another first seed: {@code -Dsifr.isolation.seed=…}.
 */
@Timeout(value = 600, unit = TimeUnit.SECONDS, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
@Tag("model")
class IsolationTest {
  private static final Tuning TUNING = Tuning.DEFAULT.withImmutableMemtables(2);

  private static final int ROUNDS = Integer.getInteger("sifr.isolation.rounds", 6);
  private static final long FIRST_SEED = Long.getLong("sifr.isolation.seed", System.nanoTime());
  private static final int THREADS = 8;
  private static final int ATTEMPTS_A_THREAD = 60;

  @TempDir Path directory;

  private final AtomicInteger numbers = new AtomicInteger();

  @Test
  void serializableTransactionsAreInSomeOrder() {
    run(TransactionOptions.SERIALIZABLE, HistoryCheck::againstSerializability);
  }

  @Test
  void snapshotIsolationAllowsNothingButWriteSkew() {
    run(TransactionOptions.DEFAULT, HistoryCheck::againstSnapshotIsolation);
  }

  private void run(TransactionOptions options, Function<HistoryCheck, List<String>> check) {
    StoreOptions small =
        StoreOptions.builder()
            .writeBufferBytes(6 << 10)
            .totalWriteBufferBytes(1 << 20)
            .splitUnitBytes(4096)
            .logSegmentBytes(16 << 10)
            .compaction(CompactionPolicy.splitForest(2))
            .build();
    int committed = 0;
    try (Store store =
        TestStores.open(directory, small, TUNING, new NoSyncFileSystem(new DiskFileSystem()))) {
      for (int round = 0; round < ROUNDS; round++) {
        long seed = FIRST_SEED + round;
        String name = "seed " + seed;
        int lists = 2 + new Random(seed).nextInt(12);
        ListStore tested = new ListStore(store, "round" + round, lists, numbers);
        List<Attempt> history = attempts(store, tested, options, seed);
        assertThat(check.apply(new HistoryCheck(history, tested.contents()))).as(name).isEmpty();
        committed += (int) history.stream().filter(Attempt::isCommitted).count();
      }
    }
    // Else it would show nothing.
    assertThat(committed).isGreaterThan(ROUNDS * THREADS * ATTEMPTS_A_THREAD / 20);
  }

  private static List<Attempt> attempts(
      Store store, ListStore tested, TransactionOptions options, long seed) {
    List<Attempt> history = Collections.synchronizedList(new ArrayList<>());
    AtomicInteger working = new AtomicInteger(THREADS);
    Threads.run(
        THREADS + 1,
        thread -> {
          Random random = new Random(seed * 31 + thread);
          if (thread == THREADS) {
            while (working.get() > 0) {
              administer(store, random);
            }
            return;
          }
          try {
            for (int i = 0; i < ATTEMPTS_A_THREAD; i++) {
              String name = "t" + thread + "-" + i;
              history.add(
                  switch (random.nextInt(8)) {
                    case 0 -> tested.attemptBatch(name, random);
                    case 1 -> tested.attemptCompareAndSet(name, random);
                    default -> tested.attemptTransaction(name, options, random);
                  });
            }
          } finally {
            working.decrementAndGet();
          }
        });
    return history;
  }

  private static void administer(Store store, Random random) {
    switch (random.nextInt(3)) {
      case 0 -> store.flush();
      case 1 -> store.database().compact();
      default -> store.database("second").compact();
    }
  }
}
