package io.sifr.architecture;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/**
 * The documents can be read, and their changes reviewed, in an editor of usual width; but for the
 * one that a program writes, whose tables are as wide as they are.
 */
class DocumentLinesTest {
  private static final int MOST_CHARACTERS = 130;
  private static final String WRITTEN_BY_A_PROGRAM = "benchmarks.md";
  private static final Path REPOSITORY = Path.of("..");

  @Test
  void noLineIsTooLong() throws IOException {
    List<Path> documents = documents();
    assertThat(documents).hasSizeGreaterThan(8);
    List<String> tooLong = new ArrayList<>();
    for (Path document : documents) {
      List<String> lines = Files.readAllLines(document);
      for (int i = 0; i < lines.size(); i++) {
        int characters = lines.get(i).codePointCount(0, lines.get(i).length());
        if (characters > MOST_CHARACTERS) {
          tooLong.add("%s:%d has %d characters".formatted(document, i + 1, characters));
        }
      }
    }
    assertThat(tooLong).isEmpty();
  }

  @Test
  void theArchitectureIsReadInTenMinutes() throws IOException {
    Path page = REPOSITORY.resolve("src-docs").resolve("architecture.md");
    assertThat(Files.readAllLines(page))
        .as("its details belong to the pages in src-docs/internals")
        .hasSizeLessThanOrEqualTo(350);
  }

  @Test
  void theReadmeIsReadInTwoMinutes() throws IOException {
    assertThat(Files.size(REPOSITORY.resolve("README.md")))
        .as("bytes; details belong to the pages in src-docs/guide")
        .isLessThanOrEqualTo(6 << 10);
  }

  private static List<Path> documents() throws IOException {
    try (Stream<Path> files = Files.walk(REPOSITORY.resolve("src-docs"))) {
      return Stream.concat(
              Stream.of(REPOSITORY.resolve("README.md")),
              files
                  .filter(file -> file.toString().endsWith(".md"))
                  .filter(file -> !file.endsWith(WRITTEN_BY_A_PROGRAM)))
          .sorted()
          .toList();
    }
  }
}
