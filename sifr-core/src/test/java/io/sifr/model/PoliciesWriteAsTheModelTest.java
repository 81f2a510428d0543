package io.sifr.model;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.withinPercentage;

import io.sifr.Database;
import io.sifr.Store;
import io.sifr.TestStores;
import io.sifr.config.CompactionPolicy;
import io.sifr.config.Durability;
import io.sifr.config.StoreOptions;
import io.sifr.event.Metric;
import io.sifr.event.StoreListener;
import io.sifr.internal.compaction.pick.Policies;
import io.sifr.internal.entry.EntryKinds;
import io.sifr.internal.io.DiskFileSystem;
import io.sifr.internal.io.StoreFileSystem;
import io.sifr.internal.sst.format.BlockCodecs;
import io.sifr.internal.state.Extensions;
import io.sifr.testing.ForwardingFileSystem;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.Locale;
import java.util.SplittableRandom;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * What each policy writes and how many trees it leaves, against a model that holds keys alone, does
 * nothing while compactions run, and knows neither files nor blocks: of entries of 123.5 bytes on
 * average, 26,385 are flushed at a time, cut between streams, and take 125.8 bytes each. Here they
 * take some more, which is counted out.
 *
 * <p>{@code -Dsifr.policies.full=true}: 10,000,000 entries, some minutes a row.
 */
@Tag("model")
class PoliciesWriteAsTheModelTest {
  private static final boolean FULL = Boolean.getBoolean("sifr.policies.full");
  private static final int ENTRIES = FULL ? 10_000_000 : 500_000;
  private static final int FLUSH_ENTRIES = 26_385;
  private static final double MODEL_ENTRY_BYTES = 125.8;
  private static final int KEY_BYTES = 23;
  private static final double USER_ENTRY_BYTES = 123.5;

  /** As the model has them with so many entries. */
  private static final int GUARD_BITS = 20;

  private static final int FULL_GUARD_BITS = 27;

  /** Even if the files of tests are in memory. */
  private static final StoreFileSystem DURABLE =
      new ForwardingFileSystem(new DiskFileSystem()) {
        @Override
        public boolean isVolatile(Path directory) {
          return false;
        }
      };

  @TempDir Path directory;

  /** What is said of flushes: the model is the same for any size of entries. */
  private static final class FlushedBytes implements StoreListener {
    private final AtomicLong bytes = new AtomicLong();

    @Override
    public void flushed(FlushEvent event) {
      bytes.addAndGet(event.written().bytes());
    }
  }

  @ParameterizedTest
  @CsvSource({
    // bytes of SSTs written per user byte and trees after each flush, on average, by the model:
    // of 500,000 entries and of 10,000,000
    "SPLIT_FOREST, RANDOM, 2.69, 3.0, 4.57, 6.0",
    "SPLIT_FOREST, ASCENDING, 0.97, 3.0, 1.02, 6.0",
    "SPLIT_FOREST, STREAMS_4, 0.97, 3.0, 1.02, 6.0",
    "SIZE_TIERED, RANDOM, 2.69, 3.0, 4.57, 6.0",
    "SIZE_TIERED, ASCENDING, 2.69, 3.0, 4.57, 6.0",
    "SIZE_TIERED, STREAMS_4, 2.69, 3.0, 4.57, 6.0",
    "LAZILY_LEVELED, RANDOM, 3.12, 2.3, 5.02, 5.3",
    "LAZILY_LEVELED, ASCENDING, 0.97, 2.3, 1.02, 5.3",
    "LAZILY_LEVELED, STREAMS_4, 0.97, 2.3, 1.02, 5.3",
    "LEVELED, RANDOM, 2.83, 3.2, 9.89, 4.5",
    "LEVELED, ASCENDING, 0.97, 3.2, 1.02, 4.5",
    // The model merges the first level whole, and comes to 2.21 and 4.22; here the SSTs of each
    // stream are moved.
    "LEVELED, STREAMS_4, 0.97, 3.2, 1.02, 4.5",
    // With 20 and 27 guard bits. Which keys are guards is of chance, and so is the number of trees
    // while there are few: 2.7 to 3.6 in nine draws of ascending keys and of streams.
    "GUARDED, RANDOM, 2.47, 2.7, 5.74, 5.4",
    "GUARDED, ASCENDING, 2.33, 3.1, 4.24, 6.1",
    "GUARDED, STREAMS_4, 2.47, 3.0, 5.10, 6.3"
  })
  void bytesAndTrees(
      CompactionPolicy.Kind policy,
      Workload workload,
      double writeAmplification,
      double trees,
      double fullWriteAmplification,
      double fullTrees) {
    StoreOptions options =
        StoreOptions.builder()
            .compaction(CompactionPolicy.of(policy))
            .durability(Durability.NONE)
            // No flush but those asked for. Lazy leveling derives from it how large the last stage
            // may be.
            .writeBufferBytes(5 << 20)
            .filterBitsPerKey(0)
            .build();
    Extensions extensions =
        new Extensions(
            EntryKinds.STANDARD,
            BlockCodecs.STANDARD,
            Policies.of(options, FULL ? FULL_GUARD_BITS : GUARD_BITS));
    SplittableRandom random = new SplittableRandom(1);
    FlushedBytes flushed = new FlushedBytes();
    double sumOfTrees = 0;
    int flushes = 0;
    try (Store store =
        TestStores.open(directory, options, new DiskFileSystem(), flushed, extensions)) {
      Database database = store.database();
      for (int i = 0; i < ENTRIES; i++) {
        long number = workload.number(i, ENTRIES, random);
        byte[] key = ByteBuffer.allocate(KEY_BYTES).putLong(number).array();
        database.put(key, new byte[1 + random.nextInt(200)]);
        if ((i + 1) % FLUSH_ENTRIES == 0) {
          store.flush();
          store.awaitIdle();
          sumOfTrees += store.statistics().get(Metric.TREES);
          flushes++;
        }
      }
      double entryBytes = (double) flushed.bytes.get() / flushes / FLUSH_ENTRIES;
      double measured =
          store.statistics().get(Metric.WRITE_AMPLIFICATION) * MODEL_ENTRY_BYTES / entryBytes;
      System.out.printf(
          Locale.ROOT,
          "%s %s: %.2f bytes of SSTs per byte, %.2f with entries of the model, %.1f trees%n",
          policy,
          workload,
          store.statistics().get(Metric.WRITE_AMPLIFICATION),
          measured,
          sumOfTrees / flushes);
      assertThat(measured)
          .isCloseTo(
              FULL ? fullWriteAmplification : writeAmplification,
              withinPercentage(policy == CompactionPolicy.Kind.SPLIT_FOREST ? 3 : 10));
      assertThat(sumOfTrees / flushes)
          .isCloseTo(
              FULL ? fullTrees : trees,
              withinPercentage(policy == CompactionPolicy.Kind.GUARDED ? 20 : 10));
    }
  }

  /**
   * With a container of 16 rows on a fast device: what the other device is written. For leveling
   * the model has the paper's compactor of ten rows; here columns take what all rows hold.
   */
  @ParameterizedTest
  @CsvSource({
    // 1,500,000 entries and 10,000,000
    "SPLIT_FOREST, 27, 0.86, 2.54, 3",
    "LEVELED, 16, 1.91, 6.21, 10"
  })
  void bytesOfTheSlowDevice(
      CompactionPolicy.Kind policy,
      int rows,
      double writeAmplification,
      double fullWriteAmplification,
      int percentage) {
    int entries = FULL ? ENTRIES : 3 * ENTRIES;
    StoreOptions options =
        StoreOptions.builder()
            .compaction(CompactionPolicy.of(policy))
            .durability(Durability.NONE)
            .writeBufferBytes(5 << 20)
            .filterBitsPerKey(0)
            .readCompactionBytesPerSecond(0)
            .fastDirectory(directory.resolve("fast"))
            // The forest's are compacted when they fill 0.6 of it.
            .fastBytes((long) (rows * FLUSH_ENTRIES * MODEL_ENTRY_BYTES))
            .build();
    SplittableRandom random = new SplittableRandom(1);
    FlushedBytes flushed = new FlushedBytes();
    try (Store store = TestStores.open(directory.resolve("slow"), options, DURABLE, flushed)) {
      Database database = store.database();
      for (int i = 0; i < entries; i++) {
        byte[] key =
            ByteBuffer.allocate(KEY_BYTES)
                .putLong(Workload.RANDOM.number(i, entries, random))
                .array();
        database.put(key, new byte[1 + random.nextInt(200)]);
        if ((i + 1) % FLUSH_ENTRIES == 0) {
          store.flush();
          store.awaitIdle();
        }
      }
      int flushes = entries / FLUSH_ENTRIES;
      double entryBytes = (double) flushed.bytes.get() / flushes / FLUSH_ENTRIES;
      double userBytes = entries * USER_ENTRY_BYTES;
      double slow = store.statistics().get(Metric.COMPACTION_BYTES) / userBytes;
      double measured = slow * MODEL_ENTRY_BYTES / entryBytes;
      System.out.printf(
          Locale.ROOT,
          "%s: %.2f bytes of SSTs per byte on the slow device, %.2f with entries of the model%n",
          policy,
          slow,
          measured);
      assertThat(measured)
          .isCloseTo(
              FULL ? fullWriteAmplification : writeAmplification, withinPercentage(percentage));
    }
  }
}
