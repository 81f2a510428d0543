package io.sifr.architecture;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** The description of a class or package names the thing, or what it does: it is no question. */
class DescriptionsTest {
  private static final Pattern QUESTION =
      Pattern.compile("/\\*\\*[\\s*]*(?:What|Where|When|Why|How|Whether|Who|Whose|Which)\\b");

  /** The next line of code after a description, without annotations. */
  private static final Pattern CLASS =
      Pattern.compile(
          "(?:@\\w+(?:\\([^)]*\\))?\\s+(?://.*\\s+)?)*"
              + "(?:(?:public|protected|private|static|final|abstract|sealed|non-sealed)\\s+)*"
              + "(?:class|interface|enum|record|@interface|package)\\s");

  @Test
  void areNoQuestions() throws IOException {
    List<String> questions = new ArrayList<>();
    List<Path> files = files();
    assertThat(files).hasSizeGreaterThan(500);
    for (Path file : files) {
      String source = Files.readString(file);
      Matcher question = QUESTION.matcher(source);
      while (question.find()) {
        int end = source.indexOf("*/", question.start()) + 2;
        if (CLASS.matcher(source.substring(end).stripLeading()).lookingAt()) {
          questions.add(file + ": " + source.substring(question.start(), end));
        }
      }
    }
    assertThat(questions).isEmpty();
  }

  private static List<Path> files() throws IOException {
    try (Stream<Path> files = Files.walk(Path.of(".."))) {
      return files
          .filter(file -> file.toString().replace('\\', '/').contains("/src/main/java/"))
          .filter(file -> file.toString().endsWith(".java"))
          .sorted()
          .toList();
    }
  }
}
