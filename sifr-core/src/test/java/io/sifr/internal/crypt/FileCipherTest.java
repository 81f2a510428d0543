package io.sifr.internal.crypt;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sifr.error.EncryptionKeyException;
import io.sifr.error.TamperedException;
import io.sifr.spi.EncryptionKeys;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.HashSet;
import java.util.HexFormat;
import java.util.List;
import java.util.Random;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class FileCipherTest {
  private static final Path DOCUMENT = Path.of("..", "src-docs", "format", "encryption.md");
  private static final Path FILE = Path.of("000000000007.sst");
  private static final int KIND = 1;
  private static final long ID = 0x0123456789abcdefL;
  private static final long SEED = 1;

  private static byte[] key(int first) {
    byte[] key = new byte[EncryptionKeys.KEY_BYTES];
    for (int i = 0; i < key.length; i++) {
      key[i] = (byte) (first + i);
    }
    return key;
  }

  private static FileKeys keys(int first) {
    return FileKeys.of(EncryptionKeys.of(key(first)));
  }

  private static FileCipher cipher(long id) {
    FileKeys keys = keys(0);
    return keys.cipher(FILE, 1, keys.check(FILE, 1, KIND, id), KIND, id);
  }

  private static byte[] sealed(FileCipher cipher, byte[] context, byte[] content) {
    byte[] sealed = Arrays.copyOf(content, content.length + FileCipher.OVERHEAD);
    cipher.seal(context, sealed, 0, content.length);
    return sealed;
  }

  /** The worked example of {@code src-docs/format/encryption.md}. */
  @Test
  void theExampleIsOpened() throws IOException {
    List<String> lines = Files.readAllLines(DOCUMENT);
    int begin = lines.indexOf("```sealed") + 1;
    StringBuilder hex = new StringBuilder();
    for (int i = begin; !lines.get(i).equals("```"); i++) {
      hex.append(lines.get(i)).append(' ');
    }
    byte[] sealed = HexFormat.ofDelimiter(" ").parseHex(hex.toString().strip());
    byte[] context = ByteBuffer.allocate(Long.BYTES).putLong(4096).array();
    byte[] opened = cipher(ID).open("block", 4096, context, sealed, 0, sealed.length);
    assertThat(new String(opened, US_ASCII)).isEqualTo("hello");
    assertThat(keys(0).check(FILE, 1, KIND, ID)).isEqualTo(0xa1adca8f);
    assertThat(String.join(" ", lines)).contains("a1adca8f");
  }

  @ParameterizedTest
  @ValueSource(ints = {0, 1, 4032, 131_072, 131_073, 1_000_000})
  void whatIsSealedIsOpened(int length) {
    byte[] content = new byte[length];
    new Random(SEED).nextBytes(content);
    byte[] sealed = sealed(cipher(ID), FileCipher.at(32), content);
    assertThat(cipher(ID).open("piece", 32, FileCipher.at(32), sealed, 0, sealed.length))
        .isEqualTo(content);
    ByteBuffer target = ByteBuffer.allocateDirect(length);
    ByteBuffer source = ByteBuffer.allocateDirect(sealed.length).put(sealed).flip();
    cipher(ID).open("piece", 32, FileCipher.at(32), source, target);
    assertThat(target.flip()).isEqualTo(ByteBuffer.wrap(content));
  }

  @Test
  void aPieceIsSealedBitByBit() {
    byte[] content = new byte[100_000];
    new Random(SEED).nextBytes(content);
    FileCipher.Stream stream = cipher(ID).stream(FileCipher.at(32));
    ByteBuffer sealed = ByteBuffer.allocate(content.length + FileCipher.OVERHEAD);
    for (int at = 0; at < content.length; at += 777) {
      sealed.put(stream.next(content, at, Math.min(777, content.length - at)));
    }
    sealed.put(stream.end());
    assertThat(sealed.hasRemaining()).isFalse();
    assertThat(
            cipher(ID).open("piece", 32, FileCipher.at(32), sealed.array(), 0, sealed.capacity()))
        .isEqualTo(content);
  }

  @Test
  void nothingElseIsOpened() {
    byte[] sealed = sealed(cipher(ID), FileCipher.at(32), "content".getBytes(US_ASCII));
    for (int i = 0; i < sealed.length; i++) {
      byte[] changed = sealed.clone();
      changed[i] ^= 1;
      assertRefused(cipher(ID), 32, changed);
    }
    assertRefused(cipher(ID), 33, sealed);
    assertRefused(cipher(ID + 1), 32, sealed);
    assertRefused(cipher(ID), 32, Arrays.copyOf(sealed, FileCipher.OVERHEAD - 1));
    assertRefused(cipher(ID), 32, new byte[0]);
  }

  private static void assertRefused(FileCipher cipher, long at, byte[] sealed) {
    assertThatThrownBy(() -> cipher.open("piece", at, FileCipher.at(at), sealed, 0, sealed.length))
        .isInstanceOf(TamperedException.class)
        .hasMessageContaining("the piece has a correct checksum but was not written here");
  }

  /** Not even by two that go on with copies of one file. */
  @Test
  void noNonceIsUsedTwice() {
    Set<String> nonces = new HashSet<>();
    for (FileCipher cipher : List.of(cipher(ID), cipher(ID))) {
      for (int i = 0; i < 1000; i++) {
        byte[] sealed = sealed(cipher, FileCipher.at(i), new byte[3]);
        nonces.add(HexFormat.of().formatHex(sealed, sealed.length - 12, sealed.length));
      }
    }
    assertThat(nonces).hasSize(2000);
  }

  @Test
  void aWrongKeyIsKnownByTheCheck() {
    int check = keys(0).check(FILE, 1, KIND, ID);
    assertThatExceptionOfType(EncryptionKeyException.class)
        .isThrownBy(() -> keys(1).cipher(FILE, 1, check, KIND, ID))
        .satisfies(e -> assertThat(e.isWrong()).isTrue());
    assertThatExceptionOfType(EncryptionKeyException.class)
        .isThrownBy(() -> keys(0).cipher(FILE, 2, check, KIND, ID))
        .satisfies(e -> assertThat(e.isWrong()).isFalse());
  }
}
