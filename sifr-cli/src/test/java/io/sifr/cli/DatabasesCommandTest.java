package io.sifr.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class DatabasesCommandTest {
  @TempDir private Path temporary;
  private String store = "";

  @BeforeEach
  void create() {
    store = temporary.resolve("store").toString();
    assertThat(Cli.run("databases", "create", "fruit", "--db", store).exitCode()).isZero();
  }

  @Test
  void databasesAreListedWithTheirSizes() {
    Cli.Result list = Cli.run("databases", "--db", store);

    assertThat(list.exitCode()).isZero();
    assertThat(list.out().lines()).hasSize(2);
    assertThat(list.out()).contains("default  ", "fruit  ", "0 B");
    assertThat(Cli.run("databases", "--json", "--db", store).out())
        .contains("{\"name\":\"fruit\",\"bytes\":0,\"trees\":0,\"ssts\":0}");
  }

  @Test
  void databasesAreSeparate() {
    assertThat(Cli.run("put", "--db", store, "--database", "fruit", "k", "apple").exitCode())
        .isZero();

    assertThat(Cli.run("get", "--db", store, "--database", "fruit", "k").out())
        .isEqualTo("apple\n");
    assertThat(Cli.run("get", "--db", store, "k").exitCode()).isEqualTo(ExitCodes.NOT_FOUND);
  }

  @Test
  void aDroppedDatabaseIsGone() {
    assertThat(Cli.run("databases", "drop", "fruit", "--db", store).exitCode()).isZero();

    Cli.Result get = Cli.run("get", "--db", store, "--database", "fruit", "k");
    assertThat(get.exitCode()).isEqualTo(ExitCodes.UNUSABLE);
    assertThat(get.err()).contains("fruit", "default").hasLineCount(1);
    assertThat(Cli.run("databases", "drop", "fruit", "--db", store).exitCode())
        .isEqualTo(ExitCodes.UNUSABLE);
  }

  @Test
  void impossibleNamesAreUsageErrors() {
    assertThat(Cli.run("databases", "create", "fruit", "--db", store).exitCode())
        .isEqualTo(ExitCodes.USAGE);
    assertThat(Cli.run("databases", "create", "", "--db", store).exitCode())
        .isEqualTo(ExitCodes.USAGE);
    assertThat(Cli.run("databases", "drop", "default", "--db", store).exitCode())
        .isEqualTo(ExitCodes.USAGE);
    assertThat(Cli.run("databases", "create", "--db", store).exitCode()).isEqualTo(ExitCodes.USAGE);
  }
}
