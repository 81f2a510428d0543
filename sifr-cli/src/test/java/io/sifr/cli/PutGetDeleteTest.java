package io.sifr.cli;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.sifr.cli.terminal.TerminalTraits;
import io.sifr.config.SearchScheme;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Random;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class PutGetDeleteTest {
  @TempDir private Path temporary;
  private Path store;

  @BeforeEach
  void chooseStore() {
    store = temporary.resolve("store");
  }

  @Test
  void whatWasPutIsShown() {
    assertThat(Cli.run(store, "put", "Größe", "länger").exitCode()).isZero();

    Cli.Result get = Cli.run(store, "get", "Größe");

    assertThat(get.exitCode()).isZero();
    assertThat(get.out()).isEqualTo("länger\n");
    assertThat(get.err()).isEmpty();
  }

  @Test
  void aMissingKeyIsExitCodeOne() {
    assertThat(Cli.run(store, "put", "a", "1").exitCode()).isZero();

    Cli.Result get = Cli.run(store, "get", "b");

    assertThat(get.exitCode()).isEqualTo(ExitCodes.NOT_FOUND);
    assertThat(get.out()).isEmpty();
    assertThat(get.err()).isEqualTo("sifr: not found: b\n");
  }

  @Test
  void deletedKeysAreGoneAndMissingOnesNoError() {
    assertThat(Cli.run(store, "put", "a", "1").exitCode()).isZero();
    assertThat(Cli.run(store, "put", "b", "2").exitCode()).isZero();

    assertThat(Cli.run(store, "delete", "a", "c").exitCode()).isZero();

    assertThat(Cli.run(store, "get", "a").exitCode()).isEqualTo(ExitCodes.NOT_FOUND);
    assertThat(Cli.run(store, "get", "b").out()).isEqualTo("2\n");
  }

  @Test
  void allKeysOfARangeAreDeleted() {
    for (String key : new String[] {"a", "b1", "b2", "c", "d"}) {
      assertThat(Cli.run(store, "put", key, "1").exitCode()).isZero();
    }

    assertThat(Cli.run(store, "delete", "--prefix", "b").exitCode()).isZero();
    assertThat(Cli.run(store, "scan", "--keys-only").out()).isEqualTo("a\nc\nd\n");
    assertThat(Cli.run(store, "delete", "--from", "c", "--to", "d").exitCode()).isZero();
    assertThat(Cli.run(store, "scan", "--keys-only").out()).isEqualTo("a\nd\n");
    assertThat(Cli.run(store, "delete", "--hex", "--from", "62").exitCode()).isZero();
    assertThat(Cli.run(store, "scan", "--keys-only").out()).isEqualTo("a\n");
  }

  @Test
  void eitherKeysAreDeletedOrARange() {
    assertThat(Cli.run(store, "put", "a", "1").exitCode()).isZero();
    String message = "sifr: either keys are to be given, or a range: --from, --to or --prefix\n";

    Cli.Result neither = Cli.run(store, "delete");
    assertThat(neither.exitCode()).isEqualTo(ExitCodes.USAGE);
    assertThat(neither.err()).isEqualTo(message);
    Cli.Result both = Cli.run(store, "delete", "--to", "z", "a");
    assertThat(both.exitCode()).isEqualTo(ExitCodes.USAGE);
    assertThat(both.err()).isEqualTo(message);
    assertThat(Cli.run(store, "delete", "--prefix", "a", "--to", "z").exitCode())
        .isEqualTo(ExitCodes.USAGE);
    assertThat(Cli.run(store, "get", "a").out()).isEqualTo("1\n");
  }

  @Test
  void theSchemeOfTheSearchIsChosen() {
    assertThat(Cli.run(store, "put", "a", "1").exitCode()).isZero();

    for (SearchScheme scheme : SearchScheme.values()) {
      Cli.Result get = Cli.run(store, "get", "a", "--search-scheme", scheme.name());
      assertThat(get.out()).isEqualTo("1\n");
    }
    assertThat(Cli.run(store, "get", "a", "--search-scheme", "QUICK").exitCode())
        .isEqualTo(ExitCodes.USAGE);
    Cli.Result none = Cli.run(store, "get", "a", "--search-threads", "0");
    assertThat(none.exitCode()).isEqualTo(ExitCodes.USAGE);
    assertThat(none.err()).contains("searchThreads is 0; allowed: 1 to 256");
  }

  @Test
  void bytesAreEscapedOrHexadecimalOrRaw() {
    assertThat(Cli.run(store, "put", "--hex", "00ff", "0961ff").exitCode()).isZero();

    assertThat(Cli.run(store, "get", "--hex", "00FF").out()).isEqualTo("0961ff\n");
    assertThat(Cli.run(store, "get", "--hex", "00ff", "--json").out())
        .isEqualTo("{\"keyHex\":\"00ff\",\"valueHex\":\"0961ff\"}\n");
    assertThat(Cli.run(store, "get", "--hex", "00ff", "--raw").bytes())
        .isEqualTo(new byte[] {9, 'a', (byte) 0xFF});
    assertThat(Cli.run(store, "scan").out()).isEqualTo("\\x00\\xff\t\\ta\\xff\n");
    assertThat(Cli.run(store, "get", "--raw", "--json", "k").exitCode()).isEqualTo(ExitCodes.USAGE);
  }

  @Test
  void jsonHasStringsForText() {
    assertThat(Cli.run(store, "put", "k", "\"v\"").exitCode()).isZero();

    assertThat(Cli.run(store, "get", "k", "--json").out())
        .isEqualTo("{\"key\":\"k\",\"value\":\"\\\"v\\\"\"}\n");
  }

  @Test
  void jsonIsUtf8ForAllOfUnicode() {
    assertThat(Cli.run(store, "put", "😀", "𝄞 é\u001b").exitCode()).isZero();

    assertThat(Cli.run(store, "get", "😀", "--json").out())
        .isEqualTo("{\"key\":\"😀\",\"value\":\"𝄞 é\\u001B\"}\n");
    assertThat(Cli.run(store, "scan", "--json").out()).startsWith("{\"key\":\"😀\"");
  }

  @Test
  void valuesComeFromFilesAndStandardInputByteForByte() throws IOException {
    byte[] value = new byte[100_000];
    new Random(5).nextBytes(value);
    Path file = Files.write(temporary.resolve("value"), value);

    assertThat(Cli.run(store, "put", "f", "--value-file", file.toString()).exitCode()).isZero();
    Cli cli = new Cli("from\nstdin\n".getBytes(UTF_8), TerminalTraits.NONE);
    assertThat(cli.execute(store, "put", "i", "--value-file", "-").exitCode()).isZero();

    assertThat(Cli.run(store, "get", "f", "--raw").bytes()).isEqualTo(value);
    assertThat(Cli.run(store, "get", "i", "--raw").out()).isEqualTo("from\nstdin\n");
  }

  @Test
  void largeValuesAreNotReadAsAWhole() throws IOException {
    Path file = temporary.resolve("value");
    try (RandomAccessFile large = new RandomAccessFile(file.toFile(), "rw")) {
      large.setLength((512L << 20) + 1);
    }
    Cli.Result refused = Cli.run(store, "put", "k", "--value-file", file.toString());
    assertThat(refused.exitCode()).isEqualTo(ExitCodes.USAGE);
    assertThat(refused.err())
        .isEqualTo("sifr: value has 536870913 bytes; allowed: up to 536870912\n");

    byte[] value = new byte[6 << 20];
    new Random(5).nextBytes(value);
    Files.write(file, value);
    assertThat(Cli.run(store, "put", "k", "--value-file", file.toString()).exitCode()).isZero();
    assertThat(Cli.run(store, "get", "k", "--raw").bytes()).isEqualTo(value);
    assertThat(Cli.run(store, "get", "other", "--raw").exitCode()).isEqualTo(ExitCodes.NOT_FOUND);
  }

  @Test
  void emptyKeysAndValuesAreEntriesToo() {
    assertThat(Cli.run(store, "put", "", "").exitCode()).isZero();

    assertThat(Cli.run(store, "get", "").out()).isEqualTo("\n");
  }

  @Test
  void exactlyOneValueHasToBeGiven() {
    assertThat(Cli.run(store, "put", "a").exitCode()).isEqualTo(ExitCodes.USAGE);
    assertThat(Cli.run(store, "put", "a", "b", "--value-file", "x").exitCode())
        .isEqualTo(ExitCodes.USAGE);
    assertThat(store).doesNotExist();
  }

  @Test
  void badHexadecimalDigitsAreAUsageError() {
    Cli.Result put = Cli.run(store, "put", "--hex", "0g", "00");

    assertThat(put.exitCode()).isEqualTo(ExitCodes.USAGE);
    assertThat(put.err()).isEqualTo("sifr: KEY is not hexadecimal: 'g' at position 2\n");
    assertThat(store).doesNotExist();
  }

  @Test
  void argumentsThatCouldNotBeDecodedAreRefused() {
    Cli.Result put = Cli.run(store, "put", "k\uFFFD", "v");

    assertThat(put.exitCode()).isEqualTo(ExitCodes.USAGE);
    assertThat(put.err()).contains("use --hex");
  }

  @Test
  void aKeyThatIsTooLongIsAUsageError() {
    Cli.Result put = Cli.run(store, "put", "k".repeat((1 << 16) + 1), "v");

    assertThat(put.exitCode()).isEqualTo(ExitCodes.USAGE);
    assertThat(put.err()).contains("65536").hasLineCount(1);
  }

  @Test
  void settingsReachTheStore() {
    Cli.Result tooSmall = Cli.run(store, "put", "k", "v", "--write-buffer", "1KiB");
    assertThat(tooSmall.exitCode()).isEqualTo(ExitCodes.USAGE);
    assertThat(tooSmall.err()).contains("writeBufferBytes is 1KiB; allowed: 4KiB to 1GiB");
    assertThat(Cli.run(store, "put", "k", "v", "--split-unit", "1").err())
        .contains("splitUnitBytes is 1;");
    assertThat(Cli.run(store, "put", "k", "v", "--compaction", "leveled:factor=1").err())
        .contains("compaction is leveled:factor=1; factor is 1; allowed: 2 to 64");

    Cli.Result put =
        Cli.run(
            store,
            "put",
            "k",
            "v",
            "--write-buffer=4MiB",
            "--split-unit=1MiB",
            "--compaction=splitForest:growthFactor=8,lazy=true",
            "--durability=sync");
    assertThat(put.exitCode()).isZero();
    assertThat(Cli.run(store, "get", "k").out()).isEqualTo("v\n");
  }
}
