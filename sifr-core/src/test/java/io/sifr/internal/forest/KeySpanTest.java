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

  @Test
  void aRangeIsTheSpanFromItsFirstKeyToTheLastBeforeItsEnd() {
    KeySpan span = KeySpan.between(bytes("b"), bytes("d"));
    assertThat(span.contains(bytes("b"), bytes("cz"))).isTrue();
    assertThat(span.overlaps(bytes("a"), bytes("az"))).isFalse();
    assertThat(span.overlaps(bytes("d"), bytes("e"))).isFalse();
    assertThat(KeySpan.between(null, bytes("d")).above()).isNull();
    assertThat(KeySpan.between(bytes("b"), null).last()).isNull();
  }

  /** The span that ends before the one could not begin with the other. */
  @Test
  void aRangeOfKeysThatAreVeryCloseIsASpan() {
    byte[] from = bytes("c" + "\u00ff".repeat(9));
    KeySpan span = KeySpan.between(from, bytes("d"));
    assertThat(span.contains(from, from)).isTrue();
  }

  private static byte[] bytes(String text) {
    return text.getBytes(ISO_8859_1);
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
