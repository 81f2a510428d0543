package io.sifr.infinispan;

import static org.assertj.core.api.Assertions.assertThat;

import io.sifr.KeyRange;
import java.util.Arrays;
import org.junit.jupiter.api.Test;

class EntryKeysTest {
  private static final byte[] LOW = {0};
  private static final byte[] HIGH = {-1, -1, -1};
  private static final int LAST = EntryKeys.MOST_SEGMENTS - 1;

  @Test
  void aSegmentIsARangeOfKeys() {
    for (int segment : new int[] {0, 1, 127, 128, 255, 256, 32_767, 32_768, LAST}) {
      KeyRange range = EntryKeys.ofSegments(segment, segment + 1);
      for (byte[] key : new byte[][] {LOW, HIGH, {}}) {
        byte[] entryKey = EntryKeys.ofEntry(segment, key);
        assertThat(range.contains(entryKey)).isTrue();
        assertThat(EntryKeys.segment(entryKey)).isEqualTo(segment);
        assertThat(EntryKeys.key(entryKey)).isEqualTo(key);
        byte[] expiryKey = EntryKeys.ofExpiry(LAST, entryKey);
        assertThat(EntryKeys.segment(expiryKey, EntryKeys.SEGMENT_IN_EXPIRY)).isEqualTo(segment);
        assertThat(EntryKeys.key(expiryKey, EntryKeys.SEGMENT_IN_EXPIRY)).isEqualTo(key);
        assertThat(EntryKeys.moved(expiryKey, EntryKeys.SEGMENT_IN_EXPIRY, LAST))
            .isEqualTo(EntryKeys.ofExpiry(LAST, EntryKeys.ofEntry(LAST, key)));
      }
      if (segment > 0) {
        assertThat(range.contains(EntryKeys.ofEntry(segment - 1, HIGH))).isFalse();
      }
      if (segment < LAST) {
        assertThat(range.contains(EntryKeys.beginOf(segment + 1))).isFalse();
      }
    }
  }

  @Test
  void whatExpiresIsOrderedByTime() {
    byte[] entryKey = EntryKeys.ofEntry(7, HIGH);
    byte[] before = null;
    for (long time : new long[] {0, 1, 255, 256, 1L << 40, Long.MAX_VALUE - 1}) {
      byte[] expiryKey = EntryKeys.ofExpiry(time, entryKey);
      assertThat(EntryKeys.entryKey(expiryKey)).isEqualTo(entryKey);
      assertThat(EntryKeys.expiredAt(time).contains(expiryKey)).isTrue();
      if (before != null) {
        assertThat(Arrays.compareUnsigned(before, expiryKey)).isNegative();
        assertThat(EntryKeys.expiredAt(time - 1).contains(expiryKey)).isFalse();
      }
      before = expiryKey;
    }
  }
}
