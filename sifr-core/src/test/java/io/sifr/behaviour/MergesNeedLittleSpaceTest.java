package io.sifr.behaviour;

import static io.sifr.behaviour.SmallStores.key;
import static io.sifr.behaviour.SmallStores.value;
import static org.assertj.core.api.Assertions.assertThat;

import io.sifr.Cursor;
import io.sifr.Store;
import io.sifr.TestStores;
import io.sifr.config.CompactionPolicy;
import io.sifr.config.StoreOptions;
import io.sifr.event.Metric;
import io.sifr.event.StoreListener;
import io.sifr.internal.io.DiskFileSystem;
import io.sifr.internal.io.MappedRegion;
import io.sifr.internal.io.StoreFileSystem;
import io.sifr.internal.state.Extensions.Tuning;
import io.sifr.testing.ForwardingFileSystem;
import io.sifr.testing.NoSyncFileSystem;
import io.sifr.testing.SpaceCountingFileSystem;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * What merges need beside the data, SSTs that are being written included. Each key is put once, so
 * the data is what flushes have written, and no figure of the store's own is believed.
 */
@Tag("process")
@Tag("jvm")
class MergesNeedLittleSpaceTest {
  /** More than 256 write buffers: the largest merge makes a tree of the fifth stage. */
  private static final int ENTRIES = 60_000;

  private static final int GROWTH = 4;
  private static final int THREADS = 2;
  private static final int THRESHOLD = 4;
  private static final int SPLIT_UNIT = 16 << 10;

  private static final Tuning TUNING =
      Tuning.DEFAULT.withCleaningThresholdBytes(THRESHOLD * SPLIT_UNIT);

  /**
   * What a merge may hold: what it has not committed; for each thread an SST that is being written
   * and one that was; and the inputs it is half through, at both ends of what a thread works at.
   */
  private static final long SSTS_A_MERGE = THRESHOLD + 2 * THREADS + 2 * THREADS * GROWTH;

  /** An SST is cut after the split unit and has an index. */
  private static final long BYTES_A_MERGE = SSTS_A_MERGE * SPLIT_UNIT * 5 / 4;

  @TempDir Path directory;
  private final Peak peak = new Peak();

  /** The most that was there beside the data. */
  private static final class Peak implements StoreListener {
    private final AtomicLong flushedBytes = new AtomicLong();
    private final AtomicLong largestMergeBytes = new AtomicLong();
    private final AtomicLong bytes = new AtomicLong();

    @Override
    public void flushed(FlushEvent event) {
      flushedBytes.addAndGet(event.written().bytes());
    }

    @Override
    public void compacted(CompactionEvent event) {
      largestMergeBytes.accumulateAndGet(
          event.output().written().bytes() + event.output().moved().bytes(), Math::max);
    }

    private void taken(long now) {
      bytes.accumulateAndGet(now - flushedBytes.get(), Math::max);
    }
  }

  /** Now and then a thread that unmaps is not scheduled for a while. */
  private static final class SometimesSlowToUnmap extends ForwardingFileSystem {
    private static final int ONE_OF = 60;
    private static final long PAUSE_NANOS = 100_000_000;
    private final AtomicInteger unmapped = new AtomicInteger();

    SometimesSlowToUnmap() {
      super(new NoSyncFileSystem(new DiskFileSystem()));
    }

    @Override
    public MappedRegion mapForRead(Path file, long size) {
      return new ForwardingMappedRegion(super.mapForRead(file, size)) {
        @Override
        public void close() {
          if (unmapped.incrementAndGet() % ONE_OF == 0) {
            LockSupport.parkNanos(PAUSE_NANOS);
          }
          super.close();
        }
      };
    }
  }

  /** Returns how many stages there are at the end. */
  private int load(boolean earlyCleaning, boolean withCursor) {
    return load(earlyCleaning, withCursor, new NoSyncFileSystem(new DiskFileSystem()));
  }

  private int load(boolean earlyCleaning, boolean withCursor, StoreFileSystem files) {
    StoreOptions options =
        SmallStores.options()
            .splitUnitBytes(SPLIT_UNIT)
            .compaction(CompactionPolicy.splitForest(GROWTH))
            .compactionThreads(THREADS)
            .earlyCleaning(earlyCleaning)
            .build();
    SpaceCountingFileSystem disk =
        new SpaceCountingFileSystem(files, file -> file.toString().endsWith(".sst"), peak::taken);
    List<Integer> order = new ArrayList<>(IntStream.range(0, ENTRIES).boxed().toList());
    Collections.shuffle(order, new Random(1));
    try (Store store = TestStores.open(directory, options, TUNING, disk, peak)) {
      int first = withCursor ? ENTRIES / 20 : 0;
      order.subList(0, first).forEach(i -> store.database().put(key(i), value(i, 1)));
      try (Cursor cursor = store.database().cursor()) {
        if (withCursor) {
          assertThat(cursor.seek(key(ENTRIES / 2))).isTrue();
        }
        order.subList(first, ENTRIES).forEach(i -> store.database().put(key(i), value(i, 1)));
        store.flush();
        store.awaitIdle();
      }
      assertThat(disk.bytes()).isGreaterThanOrEqualTo(store.statistics().get(Metric.LIVE_BYTES));
      return (int) store.statistics().get(Metric.STAGES);
    }
  }

  private void assertLittleSpace(int stages) {
    // A merge out of each stage but the last; while one works, those of higher stages may rest.
    long allowed = (stages - 1) * BYTES_A_MERGE;
    assertThat(peak.largestMergeBytes.get()).isGreaterThan(2 * allowed);
    assertThat(peak.bytes.get()).isLessThan(allowed);
  }

  @Test
  void withEarlyCleaningItDoesNotGrowWithTheMerge() {
    assertLittleSpace(load(true, false));
  }

  @Test
  void aCursorThatIsHeldOpenKeepsNoMoreThanItStandsIn() {
    assertLittleSpace(load(true, true));
  }

  /** A thread that is slow to unmap must not let the other one go on to fill the disk. */
  @Test
  void aThreadThatIsHeldUpWhileItUnmapsHoldsUpTheOthers() {
    assertLittleSpace(load(true, false, new SometimesSlowToUnmap()));
  }

  @Test
  void withoutItAMergeNeedsItsInputsAndItsOutputs() {
    load(false, false);
    // Not all of it: merged SSTs are full, and so take less than the flushed ones, which are
    // padded, and whose filters have pages of their own and more bits a key.
    assertThat(peak.bytes.get()).isGreaterThan(peak.largestMergeBytes.get() * 3 / 5);
  }
}
