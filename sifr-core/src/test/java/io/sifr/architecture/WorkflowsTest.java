package io.sifr.architecture;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/**
 * Workflows run with access to the repository: each action is named by its digest, since the tag of
 * a version can be moved to other code.
 */
class WorkflowsTest {
  private static final Path REPOSITORY = Path.of("..");
  private static final Pattern USES =
      Pattern.compile("^[ -]*uses: *(?<what>.*)$", Pattern.MULTILINE);
  private static final Pattern PINNED =
      Pattern.compile(
          "(?<repository>[\\w-]+/[\\w-]+)(/[\\w-]+)*"
              + "@(?<digest>[0-9a-f]{40} # v[0-9]+\\.[0-9]+\\.[0-9]+)");
  private static final Pattern PERMISSIONS =
      Pattern.compile("^permissions:\\n(  .*\\n)*", Pattern.MULTILINE);
  private static final Pattern PROPERTY = Pattern.compile("-D(sifr(\\.\\w+)+)=");

  @Test
  void everyActionIsPinnedByDigest() throws IOException {
    List<String> notPinned = new ArrayList<>();
    Map<String, Set<String>> digests = new TreeMap<>();
    for (Path workflow : workflows()) {
      USES.matcher(Files.readString(workflow))
          .results()
          .map(uses -> uses.group(1).strip())
          .forEach(
              what -> {
                var pinned = PINNED.matcher(what);
                if (pinned.matches()) {
                  digests
                      .computeIfAbsent(pinned.group("repository"), name -> new TreeSet<>())
                      .add(pinned.group("digest"));
                } else {
                  notPinned.add(workflow.getFileName() + ": " + what);
                }
              });
    }
    assertThat(notPinned).as("write OWNER/NAME@DIGEST # vVERSION").isEmpty();
    assertThat(digests).hasSizeGreaterThan(3);
    assertThat(digests.values())
        .as("one version of each action")
        .allMatch(each -> each.size() == 1);
  }

  @Test
  void everyWorkflowReadsAloneUnlessAJobSaysMore() throws IOException {
    for (Path workflow : workflows()) {
      assertThat(PERMISSIONS.matcher(Files.readString(workflow)).results().map(MatchResult::group))
          .as(workflow.toString())
          .containsExactly("permissions:\n  contents: read\n");
    }
  }

  /** A property with a misspelled name would be ignored. */
  @Test
  void everyPropertyOfASearchIsReadByATest() throws IOException {
    Set<String> named = new TreeSet<>();
    for (Path text : texts()) {
      PROPERTY
          .matcher(Files.readString(text))
          .results()
          .map(each -> each.group(1))
          .forEach(named::add);
    }
    assertThat(named).hasSizeGreaterThan(20);
    named.removeAll(readByTests());
    assertThat(named).isEmpty();
  }

  private static Set<String> readByTests() throws IOException {
    Pattern name = Pattern.compile("\"(sifr(\\.\\w+)+)\"");
    Set<String> read = new TreeSet<>();
    for (Path module : List.of(REPOSITORY, REPOSITORY.resolve("sifr-extensions"))) {
      for (Path sources : children(module)) {
        Path tests = sources.resolve("src").resolve("test");
        if (Files.isDirectory(tests)) {
          try (Stream<Path> files = Files.walk(tests)) {
            for (Path file : files.filter(each -> each.toString().endsWith(".java")).toList()) {
              name.matcher(Files.readString(file))
                  .results()
                  .map(each -> each.group(1))
                  .forEach(read::add);
            }
          }
        }
      }
    }
    return read;
  }

  private static List<Path> texts() throws IOException {
    List<Path> texts = new ArrayList<>(workflows());
    texts.add(REPOSITORY.resolve("README.md"));
    texts.add(REPOSITORY.resolve(".github").resolve("CONTRIBUTING.md"));
    texts.add(REPOSITORY.resolve(".ci").resolve("run"));
    return texts;
  }

  private static List<Path> workflows() throws IOException {
    List<Path> workflows = children(REPOSITORY.resolve(".github").resolve("workflows"));
    assertThat(workflows).hasSizeGreaterThan(3);
    return workflows;
  }

  private static List<Path> children(Path directory) throws IOException {
    try (Stream<Path> children = Files.list(directory)) {
      return children.sorted().toList();
    }
  }
}
