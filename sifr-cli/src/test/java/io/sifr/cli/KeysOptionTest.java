package io.sifr.cli;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.sifr.Store;
import io.sifr.spi.EncryptionKeys;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Locale;
import java.util.Map;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class KeysOptionTest {
  private static final String FIRST = "01".repeat(EncryptionKeys.KEY_BYTES);
  private static final String SECOND = "f2".repeat(EncryptionKeys.KEY_BYTES);

  @TempDir private Path parent;
  private Path directory = Path.of("");

  private static byte[] key(int value) {
    byte[] key = new byte[EncryptionKeys.KEY_BYTES];
    Arrays.fill(key, (byte) value);
    return key;
  }

  @BeforeEach
  void fill() {
    directory = parent.resolve("store");
    EncryptionKeys keys = EncryptionKeys.of(Map.of(3, key(1)), 3);
    try (Store store = Store.builder(directory).encryption(keys).open()) {
      store.database().put("apple".getBytes(UTF_8), "red".getBytes(UTF_8));
      store.flush();
    }
  }

  private String file(String content) throws IOException {
    return Files.writeString(parent.resolve("keys"), content).toString();
  }

  @Test
  void anEncryptedStoreIsReadCheckedAndWritten() throws IOException {
    String keys =
        file("# of last year\n3 " + FIRST + "\n\n12 " + SECOND.toUpperCase(Locale.ROOT) + "\n");
    assertThat(Cli.run(directory, "get", "apple", "--keys", keys).out()).isEqualTo("red\n");
    assertThat(Cli.run(directory, "put", "pear", "green", "--keys", keys).exitCode()).isZero();
    assertThat(Cli.run(directory, "check", "--keys", keys).exitCode()).isZero();
    EncryptionKeys rotated = EncryptionKeys.of(Map.of(3, key(1), 12, key(0xf2)), 12);
    try (Store store = Store.builder(directory).encryption(rotated).open()) {
      assertThat(store.database().get("pear".getBytes(UTF_8))).isEqualTo("green".getBytes(UTF_8));
    }
  }

  @Test
  void aMissingKeyIsNamed() throws IOException {
    Cli.Result without = Cli.run(directory, "get", "apple");
    assertThat(without.exitCode()).isEqualTo(ExitCodes.UNUSABLE);
    assertThat(without.err()).contains("is encrypted with key 3, which was not given");
    Cli.Result wrong = Cli.run(directory, "get", "apple", "--keys", file("3 " + SECOND));
    assertThat(wrong.exitCode()).isEqualTo(ExitCodes.UNUSABLE);
    assertThat(wrong.err()).contains("the key that was given under this number is another one");
  }

  @ParameterizedTest
  @ValueSource(strings = {"", "3", "3 01", "x " + "01", "0 @", "70000 @", "3 @\n3 @", "3 @ 4"})
  void linesThatAreNoKeysAreRefusedAndNotShown(String content) throws IOException {
    String keys = file(content.replace("@", FIRST));
    Cli.Result result = Cli.run(directory, "get", "apple", "--keys", keys);
    assertThat(result.exitCode()).isEqualTo(ExitCodes.USAGE);
    assertThat(result.err()).contains("key").doesNotContain(FIRST);
  }

  @Test
  void aFileThatCannotBeReadIsNamed() {
    String missing = parent.resolve("missing").toString();
    Cli.Result result = Cli.run(directory, "get", "apple", "--keys", missing);
    assertThat(result.exitCode()).isEqualTo(ExitCodes.USAGE);
    assertThat(result.err()).contains(missing);
  }
}
