package io.sifr.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.sifr.Store;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class SalvageCommandTest {
  @TempDir private Path temporary;
  private Path source = Path.of("");
  private Path target = Path.of("");

  @BeforeEach
  void fill() {
    source = temporary.resolve("source");
    target = temporary.resolve("target");
    assertThat(
            Cli.run(
                    source,
                    "load",
                    "--generate=random",
                    "--entries=3000",
                    "--write-buffer=64KiB",
                    "--split-unit=32KiB")
                .exitCode())
        .isZero();
  }

  private Cli.Result salvage(String... more) {
    return Cli.run(
        Stream.concat(Stream.of("salvage", source.toString(), target.toString()), Stream.of(more))
            .toArray(String[]::new));
  }

  /** Damages a block of the largest SST, which has several. */
  private Path damageAnSst() throws IOException {
    Path largest = StoreFiles.largestFirst(source, ".sst").get(0);
    StoreFiles.damage(largest);
    return largest;
  }

  @Test
  void aSoundStoreIsCopiedAndThatIsAll() {
    Cli.Result salvage = salvage();

    assertThat(salvage.exitCode()).describedAs(salvage.toString()).isZero();
    assertThat(salvage.out())
        .startsWith("rescued 3,000 entries from ")
        .contains("database default: 3,000 entries, ")
        .endsWith("nothing is lost\n");
    assertThat(salvage.err()).isEmpty();
    assertThat(Cli.run(target, "check").exitCode()).isZero();
    assertThat(Cli.run(target, "export").out()).isEqualTo(Cli.run(source, "export").out());
  }

  @Test
  void whatIsLostIsListed() throws IOException {
    Path damaged = damageAnSst();

    Cli.Result salvage = salvage();

    assertThat(salvage.exitCode()).isEqualTo(ExitCodes.FINDINGS);
    assertThat(salvage.out())
        .containsPattern(
            "lost: .*"
                + damaged.getFileName()
                + " at offset \\d+: no intact block, \\d+ bytes, about \\d+ entries of default,"
                + " from \"user\\d+\" to \"user\\d+\"")
        .endsWith("1 lost piece, 0 notes\n");
    assertThat(Cli.run(target, "check").exitCode()).isZero();
    assertThat(Cli.run(source, "check").exitCode()).isEqualTo(ExitCodes.FINDINGS);
  }

  @Test
  void programsGetJson() throws IOException {
    damageAnSst();
    Files.delete(source.resolve("CURRENT"));

    Cli.Result salvage = salvage("--json");

    assertThat(salvage.exitCode()).isEqualTo(ExitCodes.FINDINGS);
    assertThat(salvage.out()).hasLineCount(1);
    assertThat(salvage.out())
        .startsWith("{\"clean\":false,\"entries\":")
        .contains("\"databases\":[{\"name\":\"default\",\"entries\":")
        .containsPattern(
            "\"lost\":\\[\\{\"file\":\"[^\"]*\",\"offset\":\\d+,\"bytes\":\\d+,\"what\":\"no intact"
                + " block\",\"database\":\"default\",\"firstKey\":\"user\\d+\",\"lastKey\":"
                + "\"user\\d+\",\"entries\":\\d+,\"doubtful\":\\d+}]")
        .contains("\"notes\":[{\"file\":\"", "CURRENT\",\"offset\":0,\"what\":\"the file is");
  }

  @Test
  void otherSourcesAndTargetsAreRefused() throws IOException {
    Path full = Files.createDirectory(temporary.resolve("full"));
    Files.writeString(full.resolve("note"), "mine");
    Path missing = temporary.resolve("missing");
    String[][] refused = {
      {missing.toString(), target.toString()},
      {full.toString(), target.toString()},
      {source.toString(), full.toString()},
      {source.toString(), source.toString()},
      {source.toString(), source.resolve("inside").toString()},
    };
    for (String[] directories : refused) {
      Cli.Result salvage = Cli.run("salvage", directories[0], directories[1]);

      assertThat(salvage.exitCode()).describedAs(salvage.toString()).isEqualTo(ExitCodes.UNUSABLE);
      assertThat(salvage.err()).startsWith("sifr: ").hasLineCount(1);
      assertThat(salvage.out()).isEmpty();
    }
    assertThat(target).doesNotExist();
    assertThat(missing).doesNotExist();
    assertThat(Cli.run("salvage", source.toString()).exitCode()).isEqualTo(ExitCodes.USAGE);
    try (Store store = Store.open(source)) {
      assertThat(store.database()).isNotNull();
      assertThat(salvage().exitCode()).isEqualTo(ExitCodes.UNUSABLE);
    }
  }
}
