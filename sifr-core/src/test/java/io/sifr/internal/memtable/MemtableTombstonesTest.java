package io.sifr.internal.memtable;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;

import com.sun.management.ThreadMXBean;
import io.sifr.internal.entry.range.KeyStretch;
import io.sifr.internal.entry.range.RangeTombstones;
import io.sifr.testing.Padded;
import java.lang.management.ManagementFactory;
import java.util.Objects;
import java.util.Random;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class MemtableTombstonesTest {
  private static final int KEYS = 500;

  private static byte[] key(int number) {
    return ("key" + Padded.number(number, 7)).getBytes(US_ASCII);
  }

  /** However many are kept apart, the answers are those of all together, for each reader. */
  @Test
  void saysWhatAllTogetherSay() {
    long seed = System.nanoTime();
    Random random = new Random(seed);
    for (int round = 0; round < 20; round++) {
      @Nullable MemtableTombstones memtable = null;
      @Nullable RangeTombstones all = null;
      int count = 1 + random.nextInt(600);
      for (int sequence = 1; sequence <= count; sequence++) {
        int from = random.nextInt(KEYS);
        int width = 1 + random.nextInt(random.nextInt(20) == 0 ? KEYS : 3);
        byte @Nullable [] to = from + width > KEYS ? null : key(from + width);
        RangeTombstones added = RangeTombstones.of(key(from), to, sequence);
        memtable = MemtableTombstones.of(memtable, added);
        all = all == null ? added : all.and(added);
      }
      check(Objects.requireNonNull(memtable), Objects.requireNonNull(all), count, random, seed);
    }
  }

  private static void check(
      MemtableTombstones memtable, RangeTombstones all, int newest, Random random, long seed) {
    assertThat(memtable.whole()).as("seed %d", seed).hasToString(all.toString());
    for (int i = 0; i < KEYS; i++) {
      byte[] key = key(i);
      long atMost = 1L + random.nextInt(newest);
      boolean exactly = random.nextBoolean();
      long covering = all.newestCovering(key, 0, key.length, atMost);
      KeyStretch around = new KeyStretch();
      assertThat(memtable.newestCovering(key, 0, key.length, atMost))
          .as("seed %d", seed)
          .isEqualTo(covering);
      assertThat(memtable.newestCovering(key, 0, key.length, atMost, exactly, around))
          .as("seed %d", seed)
          .isEqualTo(covering);
      for (int j = Math.max(0, i - 20); j < Math.min(KEYS, i + 20); j++) {
        byte[] other = key(j);
        if (around.beginsAtOrBefore(other, 0, other.length)
            && around.endsAfter(other, 0, other.length)) {
          long there = all.newestCovering(other, 0, other.length, atMost);
          assertThat(exactly ? there == covering : (there > 0) == (covering > 0))
              .as("seed %d: key %d beside %d", seed, j, i)
              .isTrue();
        }
      }
    }
  }

  /** To copy all of 5,000 takes 240 KB. */
  @Test
  void oneMoreCopiesFewOfThoseThatAreThere() {
    ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
    Memtable memtable = new Memtable(64 << 20);
    long sequence = 0;
    long before = 0;
    int[] order = new Random(5).ints(0, 1_000_000).distinct().limit(6_000).toArray();
    for (int i = 0; i < order.length; i++) {
      if (i == 5_000) {
        before = threads.getCurrentThreadAllocatedBytes();
      }
      memtable.deleteRange(key(2 * order[i]), key(2 * order[i] + 1), ++sequence);
      memtable.showRangeDeletes();
    }
    long bytes = threads.getCurrentThreadAllocatedBytes() - before;
    assertThat(bytes / (order.length - 5_000)).isLessThan(20_000);
    assertThat(Objects.requireNonNull(memtable.rangeTombstones()).fragments()).hasSize(6_000);
  }
}
