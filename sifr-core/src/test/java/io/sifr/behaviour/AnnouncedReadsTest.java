package io.sifr.behaviour;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sifr.Cursor;
import io.sifr.Store;
import io.sifr.TestStores;
import io.sifr.config.CompactionPolicy;
import io.sifr.config.ReadMode;
import io.sifr.config.StoreOptions;
import io.sifr.error.UnreadableException;
import io.sifr.event.Metric;
import io.sifr.internal.io.MappedRegion;
import io.sifr.internal.io.RandomReadFile;
import io.sifr.testing.DrawnStore;
import io.sifr.testing.ForwardingFileSystem;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.IntStream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Reads of a store of several trees whose system can be told what will be read. */
class AnnouncedReadsTest {
  private static final int KEYS = 1_500;
  private static final int TREES = 4;

  /** A key of the oldest tree within the key ranges of all. */
  private static final int IN_THE_OLDEST = TREES;

  @TempDir Path directory;

  private final SlowDisk disk = new SlowDisk();

  private static byte[] key(int i) {
    return "key%08d".formatted(i).getBytes(US_ASCII);
  }

  private Store open(ReadMode mode) {
    return TestStores.open(
        directory,
        StoreOptions.builder()
            .readMode(mode)
            .filterBitsPerKey(0)
            .compaction(CompactionPolicy.splitForest(8, true))
            .build(),
        disk);
  }

  @BeforeEach
  void write() {
    try (Store store = open(ReadMode.MMAP)) {
      for (int round = 0; round < TREES; round++) {
        for (int i = round; i < KEYS; i += round == 0 ? 1 : TREES) {
          store.database().put(key(i), value(round, i));
        }
        store.flush();
      }
      assertThat(store.statistics().get(Metric.TREES)).isEqualTo(TREES);
    }
  }

  /** Of such a size that each tree has many blocks. */
  private static byte[] value(int round, int i) {
    byte[] value = new byte[300];
    value[0] = (byte) round;
    value[1] = (byte) i;
    value[2] = (byte) (i >> 8);
    return value;
  }

  private static byte[] lastValue(int i) {
    return value(i % TREES, i);
  }

  private static void findAt(Store store, int i) {
    assertThat(store.database().get(key(i))).containsExactly(lastValue(i));
  }

  private static void seekTo(Store store, int i) {
    try (Cursor cursor = store.database().cursor()) {
      assertThat(cursor.seek(key(i))).isTrue();
      assertThat(cursor.value()).containsExactly(lastValue(i));
    }
  }

  private static void check(Store store) {
    for (int i = 0; i < KEYS; i += 20) {
      findAt(store, i);
      assertThat(store.database().get(key(KEYS + i))).isNull();
      seekTo(store, i + 10);
    }
    int[] some = IntStream.range(0, KEYS).filter(i -> i % 11 == 0).toArray();
    List<byte[]> values =
        store.database().multiGet(IntStream.of(some).mapToObj(AnnouncedReadsTest::key).toList());
    for (int i = 0; i < some.length; i++) {
      assertThat(values.get(i)).containsExactly(lastValue(some[i]));
    }
  }

  @Test
  void byPositionAnswersAreRightAndNoThreadIsNeeded() {
    try (Store store = open(ReadMode.POSITIONAL)) {
      disk.isSlow = true;
      findAt(store, IN_THE_OLDEST); // opens files and reads their indexes, which threads do at once
      long before = store.statistics().get(Metric.HAND_OFFS);
      int announced = disk.announced.get();
      check(store);
      assertThat(store.statistics().get(Metric.HAND_OFFS)).isEqualTo(before);
      assertThat(disk.announced.get()).isGreaterThan(announced + 50);
    }
  }

  /** Few reads: that those of this mapping are quick is not known from so few. */
  @Test
  void ofAMappingBlocksThatAreNotInMemoryAreAnnounced() {
    try (Store store = open(ReadMode.MMAP)) {
      disk.isSlow = true;
      findAt(store, IN_THE_OLDEST);
      long before = store.statistics().get(Metric.HAND_OFFS);
      assertThat(disk.announced.get()).isZero();
      findAt(store, IN_THE_OLDEST);
      assertThat(disk.announced.get()).isEqualTo(TREES);
      seekTo(store, IN_THE_OLDEST);
      assertThat(disk.announced.get()).isEqualTo(2 * TREES);
      assertThat(store.statistics().get(Metric.HAND_OFFS)).isEqualTo(before);
    }
  }

  @ParameterizedTest
  @EnumSource(names = {"DIRECT", "POSITIONAL"})
  void whatIsReadPastThePageCacheOrRefusedIsLeftToThreads(ReadMode mode) {
    disk.announces = mode == ReadMode.DIRECT;
    try (Store store = open(mode)) {
      disk.isSlow = true;
      check(store);
      assertThat(store.statistics().get(Metric.HAND_OFFS)).isPositive();
      assertThat(disk.announced.get()).isZero();
    }
  }

  @Test
  void whatCannotBeReadIsAnErrorAsWithoutAnnouncements() {
    try (Store store = open(ReadMode.POSITIONAL)) {
      disk.isSlow = true;
      findAt(store, IN_THE_OLDEST);
      disk.fails = true;
      int announced = disk.announced.get();
      assertThatThrownBy(() -> store.database().get(key(KEYS / 2)))
          .isInstanceOf(UnreadableException.class);
      assertThat(disk.announced.get()).isGreaterThan(announced);
      disk.fails = false;
      check(store);
    }
  }

  /** A disk whose reads take longer than to hand them over, and that can be told of them. */
  private static final class SlowDisk extends ForwardingFileSystem {
    private static final long READ_NANOS = 60_000;

    private final AtomicInteger announced = new AtomicInteger();
    private volatile boolean announces = true;
    private volatile boolean isSlow;
    private volatile boolean fails;

    SlowDisk() {
      super(DrawnStore.FILES);
    }

    @Override
    public boolean announcesReads() {
      return announces;
    }

    @Override
    public MappedRegion mapForRead(Path file, long size) {
      MappedRegion region = super.mapForRead(file, size);
      return new ForwardingMappedRegion(region) {
        @Override
        public boolean isInMemory(int from, int length) {
          return !isSlow;
        }

        @Override
        public void announce(int from, int length) {
          assertThat(length).isPositive();
          assertThat(from + length).isLessThanOrEqualTo(region.buffer().capacity());
          announced.incrementAndGet();
        }
      };
    }

    @Override
    public RandomReadFile openForRead(Path file) {
      return slow(file, super.openForRead(file));
    }

    @Override
    public RandomReadFile openForDirectRead(Path file) {
      return slow(file, super.openForDirectRead(file));
    }

    private RandomReadFile slow(Path path, RandomReadFile file) {
      return new RandomReadFile() {
        @Override
        public void readFully(ByteBuffer target, long position) {
          if (isSlow) {
            LockSupport.parkNanos(READ_NANOS);
          }
          if (fails) {
            throw new UnreadableException(path, position, new IOException("wanted"));
          }
          file.readFully(target, position);
        }

        @Override
        public long size() {
          return file.size();
        }

        @Override
        public void close() {
          file.close();
        }
      };
    }
  }
}
