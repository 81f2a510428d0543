package io.sifr.cli;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeFalse;

import io.sifr.Store;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Commands that only read work on a store that another program has open. */
class StoreInUseTest {
  @TempDir private Path parent;
  private Path directory = Path.of("");
  private Store store;

  @BeforeEach
  void open() {
    directory = parent.resolve("store");
    store = Store.open(directory);
    store.database().put("apple".getBytes(UTF_8), "red".getBytes(UTF_8));
    store.flush();
    store.database().put("pear".getBytes(UTF_8), "green".getBytes(UTF_8));
  }

  @AfterEach
  void close() {
    store.close();
  }

  private Cli.Result succeeds(String command, String... args) {
    Cli.Result result = Cli.run(directory, command, args);
    assertThat(result.exitCode()).as(result.toString()).isZero();
    return result;
  }

  @Test
  void whatOnlyReadsSeesAllThatWasWritten() {
    assertThat(succeeds("get", "pear").out()).isEqualTo("green\n");
    assertThat(succeeds("scan").out()).isEqualTo("apple\tred\npear\tgreen\n");
    assertThat(succeeds("count").out()).isEqualTo("2\n");
    assertThat(succeeds("databases").out()).contains(Store.DEFAULT_DATABASE);
    assertThat(succeeds("stats", "--json").out()).contains("\"databases\":1");
    assertThat(succeeds("forest").out()).isNotEmpty();
    Path file = parent.resolve("entries.tsv");
    assertThat(succeeds("export", file.toString()).err()).contains("is in use by process");
    assertThat(file).hasContent("apple\tred\npear\tgreen\n");
    assertThat(Cli.run(directory, "get", "fig").exitCode()).isEqualTo(ExitCodes.NOT_FOUND);
  }

  @Test
  void standardErrorIsToldThatItIsInUse() {
    long own = ProcessHandle.current().pid();
    assertThat(succeeds("get", "pear").err())
        .isEqualTo(directory + " is in use by process " + own + ", so it is read as it is now\n");
    store.close();
    assertThat(succeeds("get", "pear").err()).isEmpty();
  }

  @ParameterizedTest
  @ValueSource(strings = {"put", "delete"})
  void whatWritesIsRefused(String command) {
    String[] args = command.equals("put") ? new String[] {"a", "b"} : new String[] {"a"};
    Cli.Result result = Cli.run(directory, command, args);
    assertThat(result.exitCode()).isEqualTo(ExitCodes.UNUSABLE);
    assertThat(result.err()).contains("is already open in this process");
  }

  @Test
  void directoryThatCannotBeWrittenToIsRead() throws IOException {
    store.close();
    Files.delete(directory.resolve("LOCK"));
    Files.setPosixFilePermissions(directory, PosixFilePermissions.fromString("r-xr-xr-x"));
    try {
      assumeFalse(Files.isWritable(directory), "who runs this test may write everywhere");
      Cli.Result result = succeeds("get", "pear");
      assertThat(result.out()).isEqualTo("green\n");
      assertThat(result.err()).contains("cannot be written to");
    } finally {
      Files.setPosixFilePermissions(directory, PosixFilePermissions.fromString("rwxr-xr-x"));
    }
  }
}
