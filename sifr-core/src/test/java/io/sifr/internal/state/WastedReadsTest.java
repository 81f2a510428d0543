package io.sifr.internal.state;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.sifr.internal.entry.Lookup;
import io.sifr.internal.forest.KeySpan;
import java.util.Arrays;
import java.util.List;
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

  /** Those that waste more are drawn more often, whatever wastes nothing never. */
  @Test
  void keysAreDrawnInProportionToWhatTheyWasted() {
    for (int i = 0; i < 20_000; i++) {
      reads.sought(2, bytes("a"), 1);
      reads.sought(1, bytes("b"), 1);
      Lookup get = new Lookup(bytes("a longer key: c").clone(), 14, 1);
      get.searched(2, 1);
      reads.got(get);
    }
    long ofSeeks = reads.keys().stream().filter(key -> text(key).equals("a")).count();
    long ofGets = reads.keys().stream().filter(key -> text(key).equals("c")).count();
    assertThat(ofSeeks + ofGets).isEqualTo(reads.keys().size()).isEqualTo(128);
    assertThat(ofSeeks).isGreaterThan(ofGets);
    assertThat(reads.keys()).isSortedAccordingTo(Arrays::compareUnsigned);
  }

  @Test
  void onlyTheBeginningOfALongKeyIsKept() {
    for (int i = 0; i < 100; i++) {
      reads.sought(9, new byte[1000], 999);
    }
    assertThat(reads.keys()).allSatisfy(key -> assertThat(key).hasSize(64)).isNotEmpty();
  }

  @Test
  void whatIsMergedIsForgotten() {
    // So few keys that a sample of 128 has none of one of them once in ten million runs.
    for (int i = 0; i < 2000; i++) {
      reads.sought(9, bytes("acdefgyz".substring(i % 8, i % 8 + 1)), 1);
    }
    reads.merged(List.of(new KeySpan(null, bytes("c")), new KeySpan(bytes("f"), bytes("y"))));
    assertThat(reads.keys().stream().map(WastedReadsTest::text).distinct())
        .containsExactly("d", "e", "f", "z");
  }

  @Test
  void isLookedAtAgainWhenTheCreditHasGrownByAQuarter() {
    assertThat(reads.isToBeLookedAt()).isFalse();
    while (reads.credit() < reads.nextLook()) {
      assertThat(reads.isToBeLookedAt()).isFalse();
      reads.sought(2);
    }
    assertThat(reads.isToBeLookedAt()).isTrue();
    long credit = reads.credit();
    reads.looked();
    assertThat(reads.isToBeLookedAt()).isFalse();
    assertThat(reads.nextLook()).isEqualTo(credit + credit / 4);
    reads.use(credit / 2);
    assertThat(reads.nextLook()).isLessThan(credit);
  }

  private static byte[] bytes(String text) {
    return text.getBytes(UTF_8);
  }

  private static String text(byte[] key) {
    return new String(key, UTF_8);
  }
}
