package io.sifr.internal.forest;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static org.assertj.core.api.Assertions.assertThat;

import io.sifr.internal.entry.EntryLimits;
import java.util.Arrays;
import java.util.Objects;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class KeySpanTest {
  @ParameterizedTest
  @ValueSource(strings = {"a", "a\0", "\0", "b\u0001", "\u00ff\u00ff"})
  void beforeAKeyIsOneThatIsSmaller(String text) {
    byte[] key = text.getBytes(ISO_8859_1);
    byte[] before = Objects.requireNonNull(KeySpan.before(key));
    assertThat(Arrays.compareUnsigned(before, key)).isNegative();
    assertThat(new KeySpan(before, key).overlaps(key, key)).isTrue();
  }

  @Test
  void nothingIsBeforeTheEmptyKey() {
    assertThat(KeySpan.before(new byte[0])).isNull();
  }

  /** Else an edit with the span could not be read back. */
  @Test
  void whatIsBeforeTheLongestKeyIsAKeyToo() {
    byte[] key = new byte[EntryLimits.MAX_KEY_BYTES];
    Arrays.fill(key, (byte) 'k');
    byte[] before = Objects.requireNonNull(KeySpan.before(key));
    assertThat(before).hasSizeLessThanOrEqualTo(EntryLimits.MAX_KEY_BYTES);
    assertThat(Arrays.compareUnsigned(before, key)).isNegative();
  }
}
