package io.sifr.architecture;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** The build runs tests by their tags: with a misspelled one they run elsewhere, or not at all. */
class TestTagsTest {
  private static final Pattern TAG = Pattern.compile("^ *@Tag\\((.*)\\)$", Pattern.MULTILINE);
  private static final Set<String> KNOWN =
      Set.of(
          "\"crash\"", "\"model\"", "\"damage\"", "\"process\"", "\"host\"", "\"jvm\"", "\"disk\"");

  @Test
  void allTagsAreThoseThatTheBuildKnows() throws IOException {
    Set<String> found = new TreeSet<>();
    for (Path sources : testSources()) {
      try (Stream<Path> files = Files.walk(sources)) {
        for (Path file : files.filter(each -> each.toString().endsWith(".java")).toList()) {
          Matcher tags = TAG.matcher(Files.readString(file));
          while (tags.find()) {
            found.add(tags.group(1));
          }
        }
      }
    }
    assertThat(found)
        .as("tags; pom.xml, MemoryTempDir and CONTRIBUTING.md say what each is for")
        .containsExactlyInAnyOrderElementsOf(KNOWN);
  }

  /** Of all modules; other directories change while modules are built beside each other. */
  private static List<Path> testSources() throws IOException {
    List<Path> sources = new ArrayList<>();
    Path repository = Path.of("..");
    for (Path parent : List.of(repository, repository.resolve("sifr-extensions"))) {
      try (Stream<Path> modules = Files.list(parent)) {
        modules
            .map(module -> module.resolve("src").resolve("test"))
            .filter(Files::isDirectory)
            .forEach(sources::add);
      }
    }
    assertThat(sources).hasSizeGreaterThan(8);
    return sources;
  }
}
