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
  void everyKindOfFileIsShownPieceByPiece() throws IOException {
    for (String extension : new String[] {".sst", ".wal", ".manifest"}) {
      for (Path file : files(extension)) {
        Cli.Result inspect = Cli.run("inspect", file.toString());
        assertThat(inspect.exitCode()).describedAs(inspect.toString()).isZero();
        assertThat(inspect.out()).matches("(?s) +0 +\\d+  .*");

        String json = Cli.run("inspect", "--json", file.toString()).out();
        assertThat(json.lines())
            .isNotEmpty()
            .allMatch(line -> line.startsWith("{\"offset\":") && line.endsWith("}}"));
      }
    }
    assertThat(files(".sst")).isNotEmpty();
    assertThat(files(".manifest")).isNotEmpty();
  }

  @Test
  void entriesOfAnSstAreShown() throws IOException {
    String sst = files(".sst").get(0).toString();

    assertThat(Cli.run("inspect", sst).out()).contains("key=user");
    assertThat(Cli.run("inspect", "--hex", sst).out()).contains("key=75736572");
    assertThat(Cli.run("inspect", "--json", sst).out()).contains("\"key\":\"user");
  }

  @Test
  void aDamagedFileIsShownUpToTheDamage() throws IOException {
    Path damaged = files(".sst").get(0);
    StoreFiles.damage(damaged);

    Cli.Result inspect = Cli.run("inspect", damaged.toString());

    assertThat(inspect.exitCode()).isEqualTo(ExitCodes.FINDINGS);
    assertThat(inspect.out()).isNotEmpty();
    assertThat(inspect.err()).contains(damaged.toString(), "offset").hasLineCount(1);
  }

  @Test
  void otherFilesAreRefused() throws IOException {
    Path other = Files.writeString(store.resolve("notes.txt"), "nothing");

    Cli.Result inspect = Cli.run("inspect", other.toString());
    assertThat(inspect.exitCode()).isEqualTo(ExitCodes.UNUSABLE);
    assertThat(inspect.err()).hasLineCount(1);

    assertThat(Cli.run("inspect", store.resolve("1.sst").toString()).exitCode())
        .isEqualTo(ExitCodes.UNUSABLE);
  }
}
