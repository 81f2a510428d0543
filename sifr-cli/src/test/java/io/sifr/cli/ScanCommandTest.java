package io.sifr.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.sifr.Store;
import io.sifr.cli.terminal.TerminalTraits;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Locale;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ScanCommandTest {
  @TempDir private Path directory;

  @BeforeEach
  void fill() {
    try (Store store = Store.open(directory)) {
      for (String key : new String[] {"apple", "apricot", "banana", "cherry"}) {
        store
            .database()
            .put(
                key.getBytes(StandardCharsets.UTF_8),
                key.toUpperCase(Locale.ROOT).getBytes(StandardCharsets.UTF_8));
      }
    }
  }

  private String scan(String... options) {
    Cli.Result result = Cli.run(directory, "scan", options);
    assertThat(result.exitCode()).describedAs(result.toString()).isZero();
    return result.out();
  }

  @Test
  void entriesAreShownInOrder() {
    assertThat(scan())
        .isEqualTo("apple\tAPPLE\napricot\tAPRICOT\nbanana\tBANANA\ncherry\tCHERRY\n");
  }

  @Test
  void rangesIncludeTheirBeginAndExcludeTheirEnd() {
    assertThat(scan("--keys-only", "--from", "apricot")).isEqualTo("apricot\nbanana\ncherry\n");
    assertThat(scan("--keys-only", "--to", "banana")).isEqualTo("apple\napricot\n");
    assertThat(scan("--keys-only", "--from", "b", "--to", "cherry")).isEqualTo("banana\n");
    assertThat(scan("--keys-only", "--prefix", "ap")).isEqualTo("apple\napricot\n");
  }

  @Test
  void limitAndOrderCanBeChosen() {
    assertThat(scan("--keys-only", "--limit", "2")).isEqualTo("apple\napricot\n");
    assertThat(scan("--keys-only", "--limit", "2", "--reverse")).isEqualTo("cherry\nbanana\n");
    assertThat(scan("--keys-only", "--reverse", "--to", "banana")).isEqualTo("apricot\napple\n");
    assertThat(scan("--limit", "0")).isEmpty();
  }

  @Test
  void programsGetJsonOrHexadecimalDigits() {
    assertThat(scan("--limit", "1", "--json"))
        .isEqualTo("{\"key\":\"apple\",\"value\":\"APPLE\"}\n");
    assertThat(scan("--limit", "1", "--json", "--keys-only")).isEqualTo("{\"key\":\"apple\"}\n");
    assertThat(scan("--limit", "1", "--hex")).isEqualTo("6170706c65\t4150504c45\n");
    assertThat(scan("--hex", "--keys-only", "--prefix", "62")).isEqualTo("62616e616e61\n");
  }

  @Test
  void contradictionsAreUsageErrors() {
    assertThat(Cli.run(directory, "scan", "--prefix", "a", "--from", "b").exitCode())
        .isEqualTo(ExitCodes.USAGE);
    assertThat(Cli.run(directory, "scan", "--limit", "-1").exitCode()).isEqualTo(ExitCodes.USAGE);
    assertThat(Cli.run(directory, "scan", "--hex", "--from", "x").exitCode())
        .isEqualTo(ExitCodes.USAGE);
  }

  @Test
  void aReaderWhoGoesAwayIsNoError() {
    ByteArrayOutputStream err = new ByteArrayOutputStream();
    OutputStream closedPipe =
        new OutputStream() {
          @Override
          public void write(int b) throws IOException {
            throw new IOException("Broken pipe");
          }
        };

    int exitCode =
        new Cli(new byte[0], TerminalTraits.NONE)
            .execute(closedPipe, err, "scan", "--db", directory.toString());

    assertThat(exitCode).isEqualTo(ExitCodes.OUTPUT_CLOSED);
    assertThat(err.size()).isZero();
    // The store was closed, or it could not be opened again.
    assertThat(scan()).isNotEmpty();
  }

  @Test
  void aFullDiskUnderStandardOutputIsAnError() {
    ByteArrayOutputStream err = new ByteArrayOutputStream();
    OutputStream full =
        new OutputStream() {
          @Override
          public void write(int b) throws IOException {
            throw new IOException("No space left on device");
          }
        };

    int exitCode =
        new Cli(new byte[0], TerminalTraits.NONE)
            .execute(full, err, "scan", "--db", directory.toString());

    assertThat(exitCode).isEqualTo(ExitCodes.UNUSABLE);
    assertThat(err.toString(StandardCharsets.UTF_8))
        .isEqualTo("sifr: cannot write to standard output: No space left on device\n");
  }
}
