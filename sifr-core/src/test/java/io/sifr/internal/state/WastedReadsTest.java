package io.sifr.internal.state;

import static org.assertj.core.api.Assertions.assertThat;

import io.sifr.internal.entry.Lookup;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class WastedReadsTest {
  private static final long SAMPLED = WastedReads.SAMPLED_ONE_IN;
  private static final long SEEK = SAMPLED * WastedReads.BYTES_PER_SEEK;

  private final WastedReads reads = new WastedReads();
  private final AtomicInteger woken = new AtomicInteger();

  /** What a get would do in one tree is not wasted. */
  @ParameterizedTest
  @CsvSource({"0, 0, 0", "1, 1, 0", "1, 0, 0", "7, 1, 108", "7, 0, 108", "7, 3, 608"})
  void aGetWastesWhatItDoesBeyondOneTree(int trees, int blocks, long bytes) {
    Lookup get = new Lookup();
    get.searched(trees, blocks);
    reads.got(get);
    assertThat(reads.credit()).isEqualTo(SAMPLED * bytes);
  }

  @ParameterizedTest
  @CsvSource({"0, 0", "1, 0", "7, 1800"})
  void aSeekWastesEachTreeBeyondOne(int trees, long bytes) {
    reads.sought(trees);
    assertThat(reads.credit()).isEqualTo(SAMPLED * bytes);
  }

  @Test
  void aboutAsMuchIsCountedAsThereIs() {
    Lookup get = new Lookup();
    get.searched(3, 1);
    for (int i = 0; i < 100_000; i++) {
      reads.sample(get);
    }
    long all = 2L * WastedReads.BYTES_PER_TREE * 100_000;
    assertThat(reads.credit()).isBetween(all * 9 / 10, all * 11 / 10);
  }

  @Test
  void whatIsFlushedTakesOfTheCredit() {
    reads.sought(2);
    reads.flushed(SEEK / 8);
    assertThat(reads.credit()).isEqualTo(SEEK / 2);
    reads.flushed(SEEK);
    assertThat(reads.credit()).isZero();
    reads.sought(2);
    assertThat(reads.credit()).isEqualTo(SEEK);
    reads.use(SEEK / 4);
    assertThat(reads.credit()).isEqualTo(SEEK - SEEK / 4);
  }

  @Test
  void theReadWithWhichTheCreditIsReachedWakesOnce() {
    reads.sought(2);
    reads.use(SEEK);
    reads.whenReached(2 * SEEK, woken::incrementAndGet);
    reads.sought(2);
    assertThat(woken).hasValue(0);
    reads.sought(2);
    assertThat(woken).hasValue(1);
    reads.sought(2);
    assertThat(woken).hasValue(1);
    reads.whenReached(Long.MAX_VALUE, woken::incrementAndGet);
    reads.sought(2);
    assertThat(woken).hasValue(1);
  }
}
