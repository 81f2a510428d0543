package io.sifr.behaviour;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.sifr.Database;
import io.sifr.ReadOptions;
import io.sifr.Store;
import io.sifr.ValueReader;
import io.sifr.config.Compression;
import io.sifr.config.DatabaseOptions;
import io.sifr.config.StoreOptions;
import io.sifr.config.WriteOptions;
import io.sifr.event.Metric;
import io.sifr.internal.cache.BlockMemory;
import io.sifr.testing.ChildJvm;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.lang.management.BufferPoolMXBean;
import java.lang.management.ManagementFactory;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.SplittableRandom;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Values larger than the heap are put and read as streams. */
@Tag("process")
@Tag("jvm")
class LargeValuesInASmallHeapTest {
  private static final int MIB = 1 << 20;

  @TempDir Path directory;

  /** Bytes that are a function of a seed, of which a part can be compressed. */
  private static final class Content extends InputStream {
    private static final int CHUNK_BYTES = 1000;

    private final SplittableRandom random;
    private final byte[] chunk = new byte[CHUNK_BYTES];
    private int next = CHUNK_BYTES;

    Content(long seed) {
      random = new SplittableRandom(seed);
    }

    @Override
    public int read() {
      byte[] one = new byte[1];
      var unused = read(one, 0, 1);
      return one[0] & 0xFF;
    }

    @Override
    public int read(byte[] target, int offset, int count) {
      if (next == CHUNK_BYTES) {
        random.nextBytes(chunk);
        Arrays.fill(chunk, CHUNK_BYTES / 2, CHUNK_BYTES, chunk[0]);
        next = 0;
      }
      int length = Math.min(count, CHUNK_BYTES - next);
      System.arraycopy(chunk, next, target, offset, length);
      next += length;
      return length;
    }
  }

  private static byte[] key(long seed) {
    return ("value " + seed).getBytes(UTF_8);
  }

  private static void put(Database database, long seed, int length) throws IOException {
    database.put(key(seed), length, new Content(seed), WriteOptions.DEFAULT);
  }

  /** Reads a value as a stream, and then some parts, of which the second half is one byte. */
  private static void check(Database database, long seed, int length) throws IOException {
    try (ValueReader reader =
        Objects.requireNonNull(database.valueReader(key(seed), ReadOptions.DEFAULT))) {
      require(reader.length() == length, "another length: " + reader.length());
      Content expected = new Content(seed);
      byte[] piece = new byte[100_000];
      try (InputStream stream = reader.stream()) {
        for (int read = 0; read < length; ) {
          int some = stream.readNBytes(piece, 0, Math.min(piece.length, length - read));
          require(some > 0, "it ends after " + read);
          byte[] whole = Arrays.copyOf(piece, some);
          require(Arrays.equals(whole, expected.readNBytes(some)), "another value at " + read);
          read += some;
        }
        require(stream.read() < 0, "it goes on");
      }
      byte[] part = new byte[1000];
      for (int from : new int[] {0, 5000, length / 2000 * 1000, length / 1000 * 1000 - 1000}) {
        reader.read(from, part, 0, part.length);
        require(part[500] == part[0] && part[999] == part[0], "another part at " + from);
      }
    }
  }

  private static void require(boolean holds, String what) {
    if (!holds) {
      throw new AssertionError(what);
    }
  }

  /** Prints "done", or what was wrong. */
  static final class One {
    private One() {}

    public static void main(String[] args) throws Exception {
      int length = 512 * MIB;
      for (int round = 0; round < 2; round++) {
        try (Store store = Store.open(Path.of(args[0]))) {
          Database database = store.openOrCreateDatabase("large");
          if (round == 0) {
            put(database, 1, length);
            check(database, 1, length);
            store.flush();
          }
          check(database, 1, length);
        }
      }
      System.out.println("done");
    }
  }

  @Test
  void ofTheLargestSize() {
    List<String> heap = List.of("-Xmx128m");
    try (ChildJvm child = ChildJvm.start(heap, One.class, directory.toString())) {
      assertThat(child.nextLine()).isEqualTo("done");
    }
  }

  /**
   * Four threads put values of 100 MB and read them. Prints "done", or what was wrong.
   *
   * <p>What the store counts stays within its budget. What is off the heap besides, for the calls,
   * is that of the platform: a buffer for each thread, for as much as one call reads or writes.
   */
  static final class Four {
    private static final int THREADS = 4;
    private static final int LENGTH = 100_000_000;
    private static final int BUDGET = 16 * MIB;

    private Four() {}

    public static void main(String[] args) throws Exception {
      StoreOptions options = StoreOptions.builder().memoryBudgetBytes(BUDGET).build();
      try (Store store = Store.open(Path.of(args[0]), options)) {
        for (Compression compression : List.of(Compression.NONE, Compression.LZ4)) {
          DatabaseOptions drawn = DatabaseOptions.builder().compression(compression).build();
          Database database = store.createDatabase(compression.name(), drawn);
          inAllThreads(store, seed -> put(database, seed, LENGTH));
          inAllThreads(store, seed -> check(database, seed, LENGTH));
          store.flush();
          inAllThreads(store, seed -> check(database, seed, LENGTH));
        }
      }
      System.out.println("done");
    }

    private interface Action {
      void run(long seed) throws IOException;
    }

    private static void inAllThreads(Store store, Action action) {
      List<CompletableFuture<@Nullable Void>> running = new ArrayList<>();
      for (long seed = 0; seed < THREADS; seed++) {
        long own = seed;
        running.add(
            CompletableFuture.runAsync(
                () -> {
                  try {
                    action.run(own);
                  } catch (IOException e) {
                    throw new UncheckedIOException(e);
                  }
                },
                task -> new Thread(task).start()));
      }
      while (!running.stream().allMatch(CompletableFuture::isDone)) {
        checkMemory(store);
      }
      running.forEach(CompletableFuture::join);
      checkMemory(store);
    }

    private static void checkMemory(Store store) {
      var statistics = store.statistics();
      long counted =
          statistics.get(Metric.WRITE_BUFFER_BYTES)
              + statistics.get(Metric.BLOCK_CACHE_BYTES)
              + statistics.get(Metric.READ_AHEAD_BYTES);
      require(counted <= BUDGET, counted + " bytes of a budget of " + BUDGET);
      require(BlockMemory.bytesHeld() <= BUDGET, "held: " + BlockMemory.bytesHeld());
      long direct =
          ManagementFactory.getPlatformMXBeans(BufferPoolMXBean.class).stream()
              .filter(pool -> pool.getName().equals("direct"))
              .mapToLong(BufferPoolMXBean::getMemoryUsed)
              .sum();
      require(direct <= BUDGET + THREADS * MIB, "direct: " + direct);
    }
  }

  @Test
  void ofSeveralThreads() {
    List<String> heap = List.of("-Xmx128m");
    try (ChildJvm child = ChildJvm.start(heap, Four.class, directory.toString())) {
      assertThat(child.nextLine()).isEqualTo("done");
    }
  }
}
