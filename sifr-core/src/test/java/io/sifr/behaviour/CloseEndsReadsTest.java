package io.sifr.behaviour;

import static io.sifr.behaviour.SmallStores.key;
import static io.sifr.behaviour.SmallStores.value;
import static org.assertj.core.api.Assertions.assertThat;

import io.sifr.Database;
import io.sifr.ReadOptions;
import io.sifr.Store;
import io.sifr.TestStores;
import io.sifr.config.ReadMode;
import io.sifr.config.SearchScheme;
import io.sifr.internal.io.DiskFileSystem;
import io.sifr.testing.LeakCountingFileSystem;
import io.sifr.testing.NoSyncFileSystem;
import io.sifr.testing.Waiting;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * The store is closed, or its database dropped, under reads of all kinds: each has its answer or is
 * told so, and nothing stays open. An SST that were unmapped too early would end the JVM.
 */
@Timeout(value = 120, unit = TimeUnit.SECONDS)
class CloseEndsReadsTest {
  private static final int KEYS = 3000;
  private static final int READERS = 3;

  @TempDir Path directory;
  private final AtomicReference<Throwable> wrong = new AtomicReference<>();
  private final AtomicInteger answers = new AtomicInteger();

  @ParameterizedTest
  @EnumSource
  void withEveryScheme(SearchScheme scheme) throws InterruptedException {
    LeakCountingFileSystem files =
        new LeakCountingFileSystem(new NoSyncFileSystem(new DiskFileSystem()));
    Store store =
        TestStores.open(
            directory,
            SmallStores.options()
                .readMode(ReadMode.POSITIONAL)
                .blockCacheBytes(64 << 10)
                .searchScheme(scheme)
                .searchThreads(4)
                .build(),
            files);
    Database dropped = store.openOrCreateDatabase("dropped");
    SmallStores.fill(dropped, 0, KEYS, 1);
    SmallStores.fill(store.database(), 0, KEYS, 1);
    store.flush();
    List<Thread> readers = new ArrayList<>();
    for (int i = 0; i < READERS; i++) {
      Database database = i == 0 ? dropped : store.database();
      Random random = new Random(i);
      readers.add(new Thread(() -> readUntilRefused(database, random)));
    }
    readers.forEach(Thread::start);
    awaitMoreAnswers();
    store.dropDatabase("dropped");
    awaitMoreAnswers();
    store.close();
    for (Thread reader : readers) {
      reader.join();
    }
    assertThat(wrong.get()).isNull();
    files.assertNothingOpen();
  }

  private void awaitMoreAnswers() {
    int before = answers.get();
    Waiting.until("there are answers", () -> answers.get() > before + 2000);
  }

  private void readUntilRefused(Database database, Random random) {
    try {
      List<CompletableFuture<?>> futures = new ArrayList<>();
      while (true) {
        int first = random.nextInt(KEYS);
        assertThat(database.get(key(first))).isEqualTo(value(first, 1));
        List<byte[]> many = database.multiGet(List.of(key(first), key(KEYS - 1 - first)));
        assertThat(many.get(1)).isEqualTo(value(KEYS - 1 - first, 1));
        futures.add(
            database
                .getAsync(key(first), ReadOptions.DEFAULT)
                .handle(
                    (found, failure) -> {
                      check(first, found, failure);
                      return null;
                    }));
        answers.addAndGet(3);
        if (futures.size() > 5000) {
          CompletableFuture.allOf(futures.toArray(new CompletableFuture<?>[0])).join();
          futures.clear();
        }
      }
    } catch (IllegalStateException e) {
      refused(e);
    } catch (Throwable e) {
      wrong.compareAndSet(null, e);
    }
  }

  private void check(int number, byte @Nullable [] found, @Nullable Throwable failure) {
    if (failure != null) {
      refused(failure);
    } else if (!java.util.Arrays.equals(found, value(number, 1))) {
      wrong.compareAndSet(null, new AssertionError("key " + number));
    }
  }

  private void refused(Throwable e) {
    String message = String.valueOf(e.getMessage());
    if (!message.equals("the store is closed") && !message.equals("database dropped was dropped")) {
      wrong.compareAndSet(null, e);
    }
  }
}
