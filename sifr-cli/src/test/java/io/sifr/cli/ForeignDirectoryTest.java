package io.sifr.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Whatever is asked of a directory of LevelDB, the answer is what it is, and not that it is
 * damaged.
 */
class ForeignDirectoryTest {
  @TempDir private Path temporary;
  private Path levelDb = Path.of("");

  @BeforeEach
  void writeFiles() throws IOException {
    levelDb = Files.createDirectory(temporary.resolve("data"));
    Files.writeString(levelDb.resolve("CURRENT"), "MANIFEST-000002\n");
    Files.writeString(levelDb.resolve("MANIFEST-000002"), "x");
    Files.writeString(levelDb.resolve("000005.ldb"), "y");
    Files.writeString(levelDb.resolve("LOCK"), "");
  }

  private List<String> files() throws IOException {
    try (Stream<Path> files = Files.list(levelDb)) {
      return files.map(file -> file.getFileName() + " " + file.toFile().length()).sorted().toList();
    }
  }

  /** A command line for each command that takes a store. */
  private List<String[]> commandLines() throws IOException {
    String store = levelDb.toString();
    String target = temporary.resolve("target").toString();
    List<String[]> lines = new ArrayList<>();
    lines.add(new String[] {"salvage", store, target});
    lines.add(new String[] {"checkpoint", store, target});
    lines.add(new String[] {"backup", "create", store, target});
    for (String line :
        List.of(
            "changes",
            "check",
            "check --json",
            "compact",
            "count",
            "databases",
            "databases create more",
            "databases drop more",
            "delete k",
            "export",
            "forest",
            "get k",
            "load",
            "load --bulk",
            "load --generate=random --entries=3",
            "merge k 1",
            "put k v",
            "scan",
            "stats")) {
      lines.add((line + " --db=" + store).split(" "));
    }
    return lines;
  }

  @Test
  void everyCommandSaysWhatItIs() throws IOException {
    List<String> before = files();
    for (String[] line : commandLines()) {
      Cli.Result result = Cli.run(line);
      assertThat(result.exitCode()).as("%s: %s", line[0], result).isEqualTo(ExitCodes.UNUSABLE);
      assertThat(result.err())
          .as(line[0])
          .contains(
              "it is a LevelDB directory. The program sifr-import-leveldb makes a store of it")
          .doesNotContain("damaged", "salvage")
          .hasLineCount(1);
      assertThat(result.out()).as(line[0]).isEmpty();
      assertThat(files()).as(line[0]).isEqualTo(before);
    }
    assertThat(temporary.resolve("target")).doesNotExist();
  }

  /** It can neither be read nor written to. */
  @Test
  void aLinkToNowhereHoldsNoStore() throws IOException {
    Path link = Files.createSymbolicLink(temporary.resolve("link"), temporary.resolve("nowhere"));
    for (String command : List.of("count", "scan", "get k", "stats", "forest", "export")) {
      Cli.Result result = Cli.run((command + " --db=" + link).split(" ", -1));
      assertThat(result.exitCode()).as("%s: %s", command, result).isEqualTo(ExitCodes.UNUSABLE);
      assertThat(result.err()).as(command).hasLineCount(1);
    }
  }
}
