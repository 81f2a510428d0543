package io.sifr.internal.compaction.cut;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.sifr.internal.compaction.cut.Stretch.KeySamples;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class StretchTest {
  private static final long UNIT = 2 << 20;
  private static final SstSizes SIZES = new SstSizes(UNIT, UNIT, 4 << 20, 0);
  private static final int STEP = 16 << 10;
  private static final int TREES = 4;

  /** Split units so small that each block is a sample. */
  private static final SstSizes SMALL = new SstSizes(16 << 10, 16 << 10, 4 << 20, 0);

  private static final int SMALL_STEP = 4 << 10;

  private final KeySamples samples = new KeySamples();

  private static byte[] key(int stream, int position) {
    return String.format("sensor%03d/%012d", stream, position).getBytes(UTF_8);
  }

  /** Adds what each tree holds of a stream, which goes on from tree to tree. */
  private void addStream(int stream, int samplesPerTree) {
    for (int i = 0; i < TREES * samplesPerTree; i++) {
      samples.add(key(stream, 1_000_000 + 130 * i), i / samplesPerTree, STEP);
    }
  }

  /** Adds a stream's keys as if they had been written in any order. */
  private void addInterleaved(int stream, int samplesPerTree) {
    for (int i = 0; i < TREES * samplesPerTree; i++) {
      samples.add(key(stream, 1_000_000 + 130 * i), i % TREES, STEP);
    }
  }

  private List<Stretch> stretches() {
    return Stretch.of(samples, SIZES);
  }

  private static int stretchOf(List<Stretch> stretches, byte[] key) {
    int i = 0;
    while (stretches.get(i).end() != null
        && Arrays.compareUnsigned(stretches.get(i).end(), key) <= 0) {
      i++;
    }
    return i;
  }

  @Test
  void nothingIsOneStretch() {
    assertThat(stretches()).hasSize(1);
    assertThat(stretches().get(0).end()).isNull();
  }

  @Test
  void eachStreamThatIsWorthAnSstIsAStretch() {
    for (int stream = 0; stream < 100; stream++) {
      addStream(7 * stream, 10);
    }
    List<Stretch> stretches = stretches();
    assertThat(stretches).hasSize(100);
    for (int stream = 0; stream < 100; stream++) {
      assertThat(stretches.get(stream).bytes()).isEqualTo(40L * STEP);
      // The samples do not show where exactly a stream ends; what follows belongs to it, too.
      assertThat(stretchOf(stretches, key(7 * stream, 0))).isEqualTo(stream);
      assertThat(stretchOf(stretches, key(7 * stream, 999_999_999))).isEqualTo(stream);
    }
  }

  /**
   * In each the clock goes from 00:00 to the last minute of the hour, so from the end of the one to
   * the beginning of the next the keys go on as they do from hour to hour within each.
   */
  @Test
  void streamsOfWholeHoursAreNotOne() {
    for (int stream = 0; stream < 60; stream++) {
      for (int i = 0; i < 60; i++) {
        byte[] key = String.format("%02d%02d", stream, i).getBytes(UTF_8);
        samples.add(key, i / 15, STEP);
      }
    }
    List<Stretch> stretches = stretches();
    assertThat(stretches).hasSize(60);
    for (int stream = 0; stream < 60; stream++) {
      byte[] begin = String.format("%02d", stream).getBytes(UTF_8);
      assertThat(stretchOf(stretches, begin)).isEqualTo(stream);
    }
  }

  /**
   * An index has the shortest key that divides two blocks, at a stream's beginning not more than
   * its name; and of each SST only some blocks are samples.
   */
  @Test
  void beginningsAreShortened() {
    SplittableRandom random = new SplittableRandom(3);
    for (int stream = 1; stream < 60; stream++) {
      byte[] name = Arrays.copyOf(key(stream, 0), key(stream, 0).length - 12);
      for (int i = 0; i < 15 * TREES; i++) {
        boolean isShortened = i % 15 == 0 && random.nextBoolean();
        int tree = i / 15;
        samples.add(isShortened ? name : key(stream, 1_000_000 + 130 * i), tree, STEP);
      }
    }
    List<Stretch> stretches = stretches();
    assertThat(stretches).hasSize(59);
    for (int stream = 1; stream < 60; stream++) {
      assertThat(stretchOf(stretches, key(stream, 0))).isEqualTo(stream - 1);
    }
  }

  /** As where a part of the merge begins, or where what a tree held has been moved. */
  @Test
  void noTreeNeedsToHoldSomethingOfEachStream() {
    for (int stream = 1; stream < 60; stream++) {
      int lacking = stream % 7; // none, for some
      int position = 0;
      for (int tree = 0; tree < TREES; tree++) {
        for (int i = 0; tree != lacking && i < 15; i++) {
          byte[] key = String.format("%02d%02d", stream, position++).getBytes(UTF_8);
          samples.add(key, tree, STEP);
        }
      }
    }
    List<Stretch> stretches = stretches();
    assertThat(stretches).hasSize(59);
    for (int stream = 1; stream < 60; stream++) {
      byte[] begin = String.format("%02d", stream).getBytes(UTF_8);
      assertThat(stretchOf(stretches, begin)).isEqualTo(stream - 1);
    }
  }

  /** Several of them in one SST overlap what follows, wherever that is cut. */
  /** A stream that is just worth an SST has two samples of each. */
  @Test
  void manyTreesMayFollowOneAnother() {
    for (int stream = 1; stream < 60; stream++) {
      for (int i = 0; i < 40; i++) {
        samples.add(key(stream, 1_000_000 + 130 * i), i / 2, STEP);
      }
    }
    assertThat(stretches()).hasSize(59);
  }

  /** As the rows of a container, and the tree that they are compacted with. */
  @Test
  void manyTreesOfRandomKeysAreHardlyEverStreams() {
    int cut = 0;
    for (int seed = 0; seed < 50; seed++) {
      KeySamples random = new KeySamples();
      SplittableRandom from = new SplittableRandom(seed);
      for (int i = 0; i < 1000; i++) {
        int tree = from.nextBoolean() ? 12 : from.nextInt(12);
        random.add(String.format("%016x", from.nextLong()).getBytes(UTF_8), tree, STEP);
      }
      cut += Stretch.of(random, SIZES).size() > 1 ? 1 : 0;
    }
    assertThat(cut).isLessThan(3); // by chance
  }

  @Test
  void smallerStreamsAreNot() {
    for (int stream = 0; stream < 100; stream++) {
      addStream(stream, 3);
    }
    assertThat(stretches()).hasSize(1);
  }

  @Test
  void aStreamIsNotCut() {
    for (int step : new int[] {STEP, SMALL_STEP}) {
      KeySamples one = new KeySamples();
      for (int i = 0; i < 400; i++) {
        one.add(key(1, 130 * i), i / 100, step);
      }
      assertThat(Stretch.of(one, step == STEP ? SIZES : SMALL)).hasSize(1);
    }
  }

  @Test
  void whereInputsInterleaveACutIsOfNoUse() {
    for (int stream = 0; stream < 100; stream++) {
      addInterleaved(stream, 10);
    }
    assertThat(stretches()).hasSize(1);
  }

  @Test
  void aStreamAmongOtherDataIsCutOff() {
    addInterleaved(1, 20);
    addInterleaved(2, 20);
    addStream(3, 20);
    addInterleaved(4, 20);
    addInterleaved(5, 20);
    List<Stretch> stretches = stretches();
    assertThat(stretches).hasSize(3);
    assertThat(stretchOf(stretches, key(2, 999_999_999))).isZero();
    assertThat(stretchOf(stretches, key(3, 999_999_999))).isEqualTo(1);
  }

  @ParameterizedTest
  @ValueSource(ints = {10, 100, 1000, 10_000})
  void randomKeysAreOneStretch(int count) {
    for (int seed = 0; seed < 20; seed++) {
      KeySamples random = new KeySamples();
      SplittableRandom numbers = new SplittableRandom(seed);
      for (int i = 0; i < count; i++) {
        byte[] key = String.format("user%019d", numbers.nextLong() >>> 1).getBytes(UTF_8);
        random.add(key, i % TREES, STEP);
      }
      assertThat(Stretch.of(random, SIZES)).as("seed %d", seed).hasSize(1);
    }
  }

  @Test
  void theSameKeyInSeveralSstsIsOneSample() {
    List<byte[]> keys = new ArrayList<>();
    for (int i = 0; i < 200; i++) {
      keys.add(key(1, i));
      samples.add(key(1, i), 0, STEP);
      samples.add(key(1, i), 1, STEP);
    }
    assertThat(stretches()).hasSize(1);
    assertThat(stretches().get(0).bytes()).isEqualTo(2L * keys.size() * STEP);
  }
}
