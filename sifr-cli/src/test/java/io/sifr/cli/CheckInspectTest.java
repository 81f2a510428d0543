package io.sifr.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class CheckInspectTest {
  @TempDir private Path store;

  @BeforeEach
  void fill() {
    assertThat(
            Cli.run(
                    store,
                    "load",
                    "--generate=random",
                    "--entries=3000",
                    "--write-buffer=64KiB",
                    "--split-unit=32KiB")
                .exitCode())
        .isZero();
  }

  private List<Path> files(String extension) throws IOException {
    return StoreFiles.largestFirst(store, extension);
  }

  @Test
  void aSoundStoreHasNoFindings() {
    Cli.Result check = Cli.run(store, "check");

    assertThat(check.exitCode()).describedAs(check.toString()).isZero();
    assertThat(check.out()).startsWith("read 1 database, ").endsWith("nothing is wrong\n");
    assertThat(Cli.run(store, "check", "--json").out())
        .contains("\"clean\":true", "\"entries\":3000", "\"findings\":[]");
  }

  @Test
  void damageIsNamedByFileAndOffset() throws IOException {
    Path damaged = files(".sst").get(0);
    StoreFiles.damage(damaged);

    Cli.Result check = Cli.run(store, "check");

    assertThat(check.exitCode()).isEqualTo(ExitCodes.FINDINGS);
    assertThat(check.out()).contains(damaged.getFileName() + " at offset ");
    assertThat(Cli.run(store, "check", "--json").out())
        .contains("\"clean\":false")
        .containsPattern("\"findings\":\\[\\{\"file\":\"[^\"]*\",\"offset\":\\d+,\"what\":");
  }

  @Test
  void onlySoManyFindingsAreShown() throws IOException {
    List<Path> ssts = files(".sst");
    for (Path sst : ssts) {
      StoreFiles.damage(sst);
    }

    Cli.Result check = Cli.run(store, "check", "--max-findings", "1");

    assertThat(check.exitCode()).isEqualTo(ExitCodes.FINDINGS);
    assertThat(check.out().lines().filter(line -> line.contains(" at offset "))).hasSize(1);
    assertThat(check.out()).contains("and ").contains(" more\n");
    assertThat(Cli.run(store, "check", "--max-findings", "-1").exitCode())
        .isEqualTo(ExitCodes.USAGE);
  }

  @Test
  void everyKindOfFileHasASummary() throws IOException {
    for (String extension : new String[] {".sst", ".wal", ".manifest"}) {
      for (Path file : files(extension)) {
        Cli.Result inspect = Cli.run("inspect", file.toString());

        assertThat(inspect.exitCode()).describedAs(inspect.toString()).isZero();
        assertThat(inspect.out())
            .startsWith(file + ": " + extension.substring(1) + " ")
            .contains(
                "\n  format        version ", "\n  encryption    none\n", "\n  pieces        ")
            .endsWith("\n  checks        read to its end, every checksum is right\n");
        assertThat(inspect.out().lines().toList()).hasSizeLessThanOrEqualTo(14);

        String json = Cli.run("inspect", "--json", file.toString()).out();
        assertThat(json).hasLineCount(1).startsWith("{\"path\":").contains("\"clean\":true}");
      }
    }
    assertThat(files(".sst")).isNotEmpty();
    assertThat(files(".manifest")).isNotEmpty();
  }

  @Test
  void theSummaryCountsWhatIsInTheFile(@TempDir Path directory) throws IOException {
    assertThat(Cli.run(directory, "put", "b", "12").exitCode()).isZero();
    assertThat(Cli.run(directory, "put", "a", "3456").exitCode()).isZero();
    assertThat(Cli.run(directory, "delete", "c").exitCode()).isZero();
    Path log = StoreFiles.largestFirst(directory, ".wal").get(0);

    assertThat(Cli.run("inspect", log.toString()).out())
        .contains(
            "\n  entries       3: 2 put, 1 delete\n",
            "\n  keys          a to c\n",
            "\n  sequences     1 to 3\n",
            "\n  values        6 B\n");
    assertThat(Cli.run("inspect", "--json", "--hex", log.toString()).out())
        .contains("\"entries\":3", "\"smallestKeyHex\":\"61\"", "\"valueBytes\":6");

    assertThat(Cli.run("compact", directory.toString()).exitCode()).isZero();
    Path sst = StoreFiles.largestFirst(directory, ".sst").get(0);
    assertThat(Cli.run("inspect", sst.toString()).out())
        .contains(
            "\n  entries       2: 2 put\n",
            "\n  keys          a to b\n",
            "\n  compression   none 1 block; ",
            "\n  filter        10 bits per key\n");
  }

  @Test
  void everyPieceIsShownOnRequest() throws IOException {
    for (String extension : new String[] {".sst", ".wal", ".manifest"}) {
      for (Path file : files(extension)) {
        String summary = Cli.run("inspect", file.toString()).out();
        String all = Cli.run("inspect", "--entries", file.toString()).out();
        assertThat(all).startsWith(summary);
        assertThat(all.substring(summary.length())).matches("(?s) +0 +\\d+  header.*");

        String json = Cli.run("inspect", "--entries", "--json", file.toString()).out();
        assertThat(json.lines().skip(1))
            .isNotEmpty()
            .allMatch(line -> line.startsWith("{\"offset\":") && line.endsWith("}}"));
      }
    }
  }

  @Test
  void entriesOfAnSstAreShown() throws IOException {
    String sst = files(".sst").get(0).toString();

    assertThat(Cli.run("inspect", "--entries", sst).out()).contains("key=user");
    assertThat(Cli.run("inspect", "--entries", "--hex", sst).out()).contains("key=75736572");
    assertThat(Cli.run("inspect", "--entries", "--json", sst).out()).contains("\"key\":\"user");
    assertThat(Cli.run("inspect", sst).out()).doesNotContain("key=");
  }

  @Test
  void longKeysAndValuesAreCutInTextOnly(@TempDir Path directory) throws IOException {
    String key = "k".repeat(59) + "\uD83D\uDE00".repeat(30); // a pair is not divided
    String value = "v".repeat(1000);
    assertThat(Cli.run(directory, "put", key, value).exitCode()).isZero();
    String log = StoreFiles.largestFirst(directory, ".wal").get(0).toString();

    String text = Cli.run("inspect", "--entries", log).out();

    assertThat(text)
        .contains("value=" + "v".repeat(60) + "… (1,000 bytes)", "… (179 bytes)")
        .doesNotContain("v".repeat(61), key);
    assertThat(Cli.run("inspect", "--entries", "--json", log).out()).contains(key, value);
  }

  @Test
  void aDamagedFileIsShownUpToTheDamage() throws IOException {
    Path damaged = files(".sst").get(0);
    StoreFiles.damage(damaged);

    Cli.Result inspect = Cli.run("inspect", damaged.toString());

    assertThat(inspect.exitCode()).isEqualTo(ExitCodes.FINDINGS);
    assertThat(inspect.out())
        .contains("\n  format        version ")
        .endsWith("\n  checks        damaged; this is what is before the damage\n");
    assertThat(inspect.err()).contains(damaged.toString(), "offset").hasLineCount(1);
    assertThat(Cli.run("inspect", "--json", damaged.toString()).out())
        .contains("\"clean\":false,\"damage\":");
    assertThat(Cli.run("inspect", "--entries", damaged.toString()).exitCode())
        .isEqualTo(ExitCodes.FINDINGS);
  }

  @Test
  void otherFilesAreRefused() throws IOException {
    Path other = Files.writeString(store.resolve("notes.txt"), "nothing");

    Cli.Result inspect = Cli.run("inspect", other.toString());
    assertThat(inspect.exitCode()).isEqualTo(ExitCodes.UNUSABLE);
    assertThat(inspect.err()).hasLineCount(1);

    Cli.Result missing = Cli.run("inspect", store.resolve("1.sst").toString());
    assertThat(missing.exitCode()).isEqualTo(ExitCodes.UNUSABLE);
    assertThat(missing.err()).isEqualTo("sifr: no such file: " + store.resolve("1.sst") + "\n");

    Cli.Result directory = Cli.run("inspect", store.toString());
    assertThat(directory.exitCode()).isEqualTo(ExitCodes.UNUSABLE);
    assertThat(directory.err()).contains(" is a directory; allowed: one of the files", ".sst");
  }
}
