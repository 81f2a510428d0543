package io.sifr.cli;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeFalse;

import io.sifr.Store;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.Stream;
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

  @Test
  void copiesAreMadeOfWhatItHasNow() {
    Path copy = parent.resolve("copy");
    Path place = parent.resolve("place");
    Path restored = parent.resolve("restored");
    Cli.Result checkpoint = Cli.run("checkpoint", directory.toString(), copy.toString());
    assertThat(checkpoint.exitCode()).as(checkpoint.toString()).isZero();
    assertThat(checkpoint.err()).contains("is in use by process");
    Cli.Result backup = Cli.run("backup", "create", directory.toString(), place.toString());
    assertThat(backup.exitCode()).as(backup.toString()).isZero();
    assertThat(backup.out()).startsWith("point 1 of ");
    assertThat(backup.err()).contains("is in use by process");
    assertThat(Cli.run("restore", place.toString(), restored.toString()).exitCode()).isZero();
    for (Path each : List.of(copy, restored)) {
      assertThat(Cli.run(each, "scan").out()).isEqualTo("apple\tred\npear\tgreen\n");
    }
  }

  @Test
  void changesThatAreNotFlushedAreShown() {
    Cli.Result result = succeeds("changes");
    assertThat(result.out().lines()).contains("           2  put  default  pear  green");
    assertThat(result.err()).contains("is in use by process");
  }

  /** Until as many were shown as are wanted. */
  @Test
  void changesAreFollowed() throws Exception {
    Thread writing =
        new Thread(
            () -> {
              for (int i = 3; i <= 40; i++) {
                store.database().put(("key" + i).getBytes(UTF_8), "x".getBytes(UTF_8));
                LockSupport.parkNanos(20_000_000);
              }
            });
    writing.start();
    Cli.Result result = succeeds("changes", "--follow", "--from", "2", "--limit", "39");
    writing.join();
    List<String> lines = result.out().lines().map(String::strip).toList();
    assertThat(lines)
        .hasSize(39)
        .startsWith("2  put  default  pear  green")
        .endsWith("40  put  default  key40  x");
    assertThat(Cli.run(directory, "changes", "--follow", "--from", "99").exitCode())
        .isEqualTo(ExitCodes.USAGE);
  }

  @Test
  void whatIsMissedIsSaid() throws Exception {
    Thread writing =
        new Thread(
            () -> {
              while (!Thread.interrupted()) {
                store.database().put("a".getBytes(UTF_8), new byte[1 << 20]);
                store.flush();
              }
            });
    writing.start();
    Cli.Result result = Cli.run(directory, "changes", "--follow", "--hex");
    writing.interrupt();
    writing.join();
    assertThat(result.exitCode()).isEqualTo(ExitCodes.UNUSABLE);
    assertThat(result.err()).contains("is not in the log any more", "changes are there from");
  }

  @Test
  void nobodyFollowsWhatNobodyHasOpen() {
    store.close();
    Cli.Result result = Cli.run(directory, "changes", "--follow");
    assertThat(result.exitCode()).isEqualTo(ExitCodes.UNUSABLE);
    assertThat(result.out()).isEmpty();
    assertThat(result.err()).contains("--follow is for a store that another process has open");
  }

  @Test
  void itIsCheckedAsItIsNow() throws IOException {
    Cli.Result sound = succeeds("check");
    assertThat(sound.out()).contains("not checked: log that is only retained", "nothing is wrong");
    assertThat(sound.err()).contains("is in use by process", "so it is checked as it is now");
    assertThat(succeeds("check", "--json").out()).contains("\"notChecked\":[\"files that");
    Path sst;
    try (Stream<Path> files = Files.list(directory)) {
      sst = files.filter(file -> file.toString().endsWith(".sst")).findFirst().orElseThrow();
    }
    byte[] content = Files.readAllBytes(sst);
    content[100] ^= 1;
    Files.write(sst, content);
    Cli.Result damaged = Cli.run(directory, "check");
    assertThat(damaged.exitCode()).isEqualTo(ExitCodes.FINDINGS);
    assertThat(damaged.out()).contains(sst.getFileName().toString());
    store.close();
    assertThat(Cli.run(directory, "check").out()).doesNotContain("not checked");
  }

  @Test
  void whoeverMayCompactItIsNamed() {
    Cli.Result result = Cli.run(directory, "compact");
    assertThat(result.exitCode()).isEqualTo(ExitCodes.UNUSABLE);
    assertThat(result.err()).contains("is already open in this process", "JMX", "StoreBeans");
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
