package io.sifr.internal.entry;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sifr.error.SifrException;
import io.sifr.internal.entry.SeparatedKind.Reference;
import java.nio.ByteBuffer;
import java.time.Instant;
import java.time.InstantSource;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What an entry says of its value that is apart. */
class SeparatedKindTest {
  private static final byte[] KEY = "page 1".getBytes(UTF_8);
  private static final long NOW = 1_700_000_000_000L;

  private final SeparatedKind kind =
      new SeparatedKind(
          InstantSource.fixed(Instant.ofEpochMilli(NOW)),
          (reference, key, from, length, target, targetOffset) -> {
            throw new AssertionError("no value is read");
          });

  private static SingleEntry entry(byte[] stored) {
    SingleEntry entry = new SingleEntry();
    entry.set(Trailer.of(1, SeparatedKind.CODE), KEY, stored);
    return entry;
  }

  @Test
  void aReferenceIsReadInEachWay() {
    for (long due : new long[] {ExpiringKind.NEVER, NOW + 1, NOW, 1}) {
      Reference reference = new Reference(due, 7, 96, 600, 300);
      byte[] stored = reference.encoded();
      assertThat(SeparatedKind.referenceOf(KEY, stored)).isEqualTo(reference);
      assertThat(SeparatedKind.referenceOf(entry(stored))).isEqualTo(reference);
      assertThat(kind.reference(KEY, stored)).isEqualTo(due > NOW ? reference : null);
    }
  }

  /** By an offset, a length or a number of a file that there cannot be. */
  @ParameterizedTest
  @ValueSource(ints = {8, 16, 24, 28})
  void damageNamesTheKeyAndTheFile(int at) {
    byte[] stored = new Reference(ExpiringKind.NEVER, 7, 96, 600, 300).encoded();
    ByteBuffer.wrap(stored).put(at, (byte) 0xFF);
    String file = at == 8 ? "of value file -" : "of value file 7";
    assertThatThrownBy(() -> SeparatedKind.referenceOf(KEY, stored))
        .isInstanceOf(SifrException.class)
        .hasMessageContainingAll("the entry of key \"page 1\" is damaged", file);
    assertThatThrownBy(() -> SeparatedKind.referenceOf(entry(stored)))
        .isInstanceOf(SifrException.class)
        .hasMessageContainingAll("the entry of key \"page 1\" is damaged", file);
    assertThatThrownBy(() -> kind.reference(KEY, stored))
        .isInstanceOf(SifrException.class)
        .hasMessageContainingAll("the entry of key \"page 1\" is damaged", file);
    assertThatThrownBy(() -> kind.resolve(KEY, stored, null)).isInstanceOf(SifrException.class);
  }
}
