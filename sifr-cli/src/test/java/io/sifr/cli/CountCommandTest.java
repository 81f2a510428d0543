package io.sifr.cli;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.sifr.Store;
import java.nio.file.Path;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class CountCommandTest {
  @TempDir private Path directory;

  @BeforeEach
  void fill() {
    try (Store store = Store.open(directory)) {
      for (String key : new String[] {"apple", "apricot", "banana", "cherry"}) {
        store.database().put(key.getBytes(UTF_8), "1234".getBytes(UTF_8));
      }
    }
  }

  private String count(String... options) {
    Cli.Result result = Cli.run(directory, "count", options);
    assertThat(result.exitCode()).describedAs(result.toString()).isZero();
    return result.out();
  }

  @Test
  void entriesOfTheDatabaseOrOfARangeAreCounted() {
    assertThat(count()).isEqualTo("4\n");
    assertThat(count("--prefix", "ap")).isEqualTo("2\n");
    assertThat(count("--from", "b", "--to", "c")).isEqualTo("1\n");
    assertThat(count("--json", "--from", "apricot")).isEqualTo("{\"entries\":3}\n");
  }

  @Test
  void anEstimateTellsTheSizeToo() {
    assertThat(count("--estimate", "--from", "apricot"))
        .isEqualTo("about 3 entries with 31 bytes of keys and values, in 0 bytes of files\n");
    assertThat(count("--estimate", "--json", "--prefix", "b"))
        .isEqualTo("{\"entries\":1,\"bytes\":10,\"fileBytes\":0}\n");
  }

  @Test
  void contradictionsAreUsageErrors() {
    assertThat(Cli.run(directory, "count", "--prefix", "a", "--from", "b").exitCode())
        .isEqualTo(ExitCodes.USAGE);
  }
}
