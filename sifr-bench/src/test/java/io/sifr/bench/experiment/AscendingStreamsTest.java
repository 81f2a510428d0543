package io.sifr.bench.experiment;

import static org.assertj.core.api.Assertions.assertThat;

import io.sifr.bench.experiment.AscendingStreams.Load;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.Comparator;
import java.util.HashMap;
import java.util.Map;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

class AscendingStreamsTest {
  private static final int ENTRIES = 40_000;
  private static final Comparator<byte[]> ORDER = Arrays::compareUnsigned;

  @ParameterizedTest
  @EnumSource(Load.class)
  void allKeysAreDifferent(Load load) {
    TreeSet<byte[]> keys = new TreeSet<>(ORDER);
    for (int place = 0; place < ENTRIES; place++) {
      keys.add(load.key(place, ENTRIES));
    }
    assertThat(keys).hasSize(ENTRIES);
  }

  @Test
  void eachStreamAscends() {
    Map<Integer, byte[]> last = new HashMap<>();
    for (int place = 0; place < ENTRIES; place++) {
      byte[] key = Load.STREAMS_100.key(place, ENTRIES);
      byte[] before = last.put(ByteBuffer.wrap(key).getInt(), key);
      assertThat(before == null || ORDER.compare(before, key) < 0).isTrue();
    }
    assertThat(last).hasSize(100);
  }

  /** Half of the strays are before what ascends; the others do not show in this order. */
  @ParameterizedTest
  @CsvSource({"STRAYS_1000, 10, 35", "STRAYS_100, 150, 250"})
  void straysAreFew(Load load, int least, int most) {
    byte[] highest = load.key(0, ENTRIES);
    TreeSet<byte[]> ascending = new TreeSet<>(ORDER);
    int below = 0;
    for (int place = 0; place < ENTRIES; place++) {
      byte[] key = load.key(place, ENTRIES);
      boolean stray = ByteBuffer.wrap(key).getInt(8) != 0;
      if (!stray) {
        ascending.add(key);
        highest = key;
      } else if (ORDER.compare(key, highest) < 0) {
        below++;
      }
    }
    assertThat(below).isBetween(least, most);
    assertThat(ascending.last()).isEqualTo(highest);
  }
}
