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
      keys.add(load.key(place));
    }
    assertThat(keys).hasSize(ENTRIES);
  }

  @Test
  void eachStreamAscends() {
    Map<Integer, byte[]> last = new HashMap<>();
    for (int place = 0; place < ENTRIES; place++) {
      byte[] key = Load.STREAMS_100.key(place);
      byte[] before = last.put(ByteBuffer.wrap(key).getInt(), key);
      assertThat(before == null || ORDER.compare(before, key) < 0).isTrue();
    }
    assertThat(last).hasSize(100);
  }

  /** Each goes to what was written before it. */
  @ParameterizedTest
  @CsvSource({"OUTLIERS_1000, 20, 70", "OUTLIERS_100, 300, 500"})
  void outliersAreFew(Load load, int least, int most) {
    int outliers = 0;
    byte[] highest = load.key(0);
    for (int place = 1; place < ENTRIES; place++) {
      byte[] key = load.key(place);
      boolean outlier = ByteBuffer.wrap(key).getInt(8) != 0;
      if (outlier) {
        outliers++;
        assertThat(ByteBuffer.wrap(key).getLong(4)).isLessThan((place + 1L) << Integer.SIZE);
      } else {
        assertThat(ORDER.compare(highest, key)).isNegative();
        highest = key;
      }
    }
    assertThat(outliers).isBetween(least, most);
  }
}
