package io.sifr.bench;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;

/** The figures in the README are those of the page on benchmarks, and so measured in one run. */
class ReadmeFiguresTest {
  private static final Path REPOSITORY = Path.of("..");

  @Test
  void theyAreThoseOfTheBenchmarks() throws IOException {
    List<String> shown = table("README.md", "<!-- figures: ");

    assertThat(shown).hasSizeGreaterThan(5);
    assertThat(table("src-docs/benchmarks.md", "## stores: ")).isEqualTo(shown);
  }

  /** The first table after a line that begins so. */
  private static List<String> table(String file, String beginning) throws IOException {
    return Files.readAllLines(REPOSITORY.resolve(file)).stream()
        .dropWhile(line -> !line.startsWith(beginning))
        .dropWhile(line -> !line.startsWith("|"))
        .takeWhile(line -> line.startsWith("|"))
        .toList();
  }
}
