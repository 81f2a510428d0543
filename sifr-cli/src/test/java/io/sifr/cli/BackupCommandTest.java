package io.sifr.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class BackupCommandTest {
  @TempDir private Path temporary;
  private Path store = Path.of("");
  private String backup = "";
  private Path target = Path.of("");

  @BeforeEach
  void fill() {
    store = temporary.resolve("store");
    backup = temporary.resolve("backup").toString();
    target = temporary.resolve("target");
    load("random");
  }

  private void load(String order) {
    assertThat(
            Cli.run(
                    store,
                    "load",
                    "--generate=" + order,
                    "--entries=3000",
                    "--write-buffer=64KiB",
                    "--split-unit=32KiB")
                .exitCode())
        .isZero();
  }

  private static Cli.Result done(String... args) {
    Cli.Result result = Cli.run(args);
    assertThat(result.exitCode()).describedAs(result.toString()).isZero();
    assertThat(result.err()).isEmpty();
    return result;
  }

  private void assertRefused(String... args) {
    Cli.Result result = Cli.run(args);
    assertThat(result.exitCode()).describedAs(result.toString()).isEqualTo(ExitCodes.UNUSABLE);
    assertThat(result.err()).startsWith("sifr: ").hasLineCount(1);
    assertThat(result.out()).isEmpty();
  }

  private void assertSameAs(String exported) {
    assertThat(Cli.run(target, "check").exitCode()).isZero();
    assertThat(Cli.run(target, "export").out()).isEqualTo(exported);
  }

  @Test
  void aCheckpointIsAStore() {
    Cli.Result made = done("checkpoint", store.toString(), target.toString());

    assertThat(made.out()).startsWith("made " + target).endsWith(" ms\n");
    assertSameAs(Cli.run(store, "export").out());
    assertThat(
            done("checkpoint", "--json", store.toString(), temporary.resolve("second").toString())
                .out())
        .startsWith("{\"target\":")
        .contains("\"millis\":");
  }

  @Test
  void anyPointIsRestored() {
    String first = Cli.run(store, "export").out();
    assertThat(done("backup", "create", store.toString(), backup).out())
        .startsWith("point 1 of 20")
        .contains(" SSTs, 1 database, ", " copied for it");
    load("ascending");
    assertThat(done("backup", "create", "--json", store.toString(), backup).out())
        .startsWith("{\"point\":2,\"taken\":\"20")
        .contains("\"databases\":[\"default\"]");
    assertThat(done("backup", "list", backup).out()).hasLineCount(2).contains("\npoint 2 of ");
    assertThat(done("backup", "list", "--json", backup).out())
        .startsWith("{\"points\":[{\"point\":1,")
        .endsWith("],\"damaged\":[]}\n");
    assertThat(done("backup", "verify", backup).out())
        .isEqualTo("2 points verified, nothing is wrong\n");
    assertThat(done("backup", "verify", backup, "2", "--json").out())
        .isEqualTo("{\"clean\":true,\"verified\":1,\"damaged\":[]}\n");
    String second = Cli.run(store, "export").out();

    assertThat(done("restore", backup, target.toString(), "--point", "1").out())
        .startsWith("restored point 1 of ");
    assertSameAs(first);
    target = temporary.resolve("another");
    assertThat(done("restore", "--json", backup, target.toString()).out())
        .startsWith("{\"point\":2,");
    assertSameAs(second);
    assertThat(done("backup", "delete", backup, "1").out()).isEmpty();
    assertThat(done("backup", "list", backup).out()).hasLineCount(1);
  }

  @Test
  void damageIsShown() throws IOException {
    done("backup", "create", store.toString(), backup);
    List<Path> ssts;
    try (Stream<Path> files = Files.list(Path.of(backup, "ssts"))) {
      ssts = files.sorted().toList();
    }
    StoreFiles.damage(ssts.get(0));

    Cli.Result verify = Cli.run("backup", "verify", backup);
    assertThat(verify.exitCode()).isEqualTo(ExitCodes.FINDINGS);
    assertThat(verify.out()).startsWith("point 1: ").contains(ssts.get(0).toString());
    assertThat(Cli.run("backup", "verify", "--json", backup).out())
        .startsWith("{\"clean\":false,\"verified\":1,\"damaged\":[{\"point\":1,\"what\":\"");
    assertRefused("restore", backup, target.toString());
    assertThat(target).doesNotExist();

    Files.write(Path.of(backup, "points", "000000000001", "POINT"), new byte[3]);
    Cli.Result list = Cli.run("backup", "list", backup);
    assertThat(list.exitCode()).isEqualTo(ExitCodes.FINDINGS);
    assertThat(list.out()).startsWith("point 1: ").contains("POINT is damaged");
  }

  @Test
  void whatIsLeftOverIsDeleted() throws IOException {
    done("backup", "create", store.toString(), backup);
    assertThat(done("backup", "clean", backup).out()).isEqualTo("0 files deleted\n");
    Path left =
        Files.write(Path.of(backup, "ssts", "000000000099-0000000000000001.sst"), new byte[9]);
    Files.write(Path.of(backup, "points", "000000000001", "POINT.tmp"), new byte[9]);
    assertThat(done("backup", "clean", backup).out()).isEqualTo("2 files deleted\n");
    assertThat(left).doesNotExist();
    assertThat(done("backup", "clean", "--json", backup).out()).isEqualTo("{\"deleted\":0}\n");
    assertThat(done("backup", "verify", backup).out())
        .isEqualTo("1 point verified, nothing is wrong\n");
    assertRefused("backup", "clean", temporary.resolve("missing").toString());
  }

  @Test
  void whatCannotBeIsRefused() throws IOException {
    String missing = temporary.resolve("missing").toString();
    Path full = Files.createDirectory(temporary.resolve("full"));
    Files.writeString(full.resolve("note"), "mine");
    assertRefused("checkpoint", missing, target.toString());
    assertRefused("checkpoint", store.toString(), full.toString());
    assertRefused("checkpoint", store.toString(), store.resolve("inside").toString());
    assertRefused("backup", "create", missing, backup);
    assertRefused("backup", "create", store.toString(), full.toString());
    assertRefused("backup", "list", missing);
    assertRefused("backup", "verify", missing);
    assertRefused("restore", missing, target.toString());
    done("backup", "create", store.toString(), backup);
    assertRefused("backup", "verify", backup, "7");
    assertRefused("backup", "delete", backup, "7");
    assertRefused("restore", backup, full.toString());
    assertRefused("restore", backup, target.toString(), "--point=7");
    assertThat(target).doesNotExist();
    assertThat(Cli.run("backup").exitCode()).isEqualTo(ExitCodes.USAGE);
    assertThat(Cli.run("checkpoint", store.toString()).exitCode()).isEqualTo(ExitCodes.USAGE);
  }
}
