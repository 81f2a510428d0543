package io.sifr.behaviour;

import static org.assertj.core.api.Assertions.assertThat;

import io.sifr.testing.ExampleProgram;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.extension.AnnotatedElementContext;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.io.TempDirFactory;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * The programs in the guide do what it says. Each block of Java is a whole program; it prints what
 * the block of text that follows it shows, or nothing if none follows.
 */
@Tag("process")
@Tag("jvm")
class GuideExamplesRunTest {
  private static final Pattern PROGRAM =
      Pattern.compile("```java\n(.*?)```(?:\\s*```text\n(.*?)```)?", Pattern.DOTALL);

  @TempDir(factory = OnDisk.class)
  Path directory;

  /** Beside the classes: a directory for temporary files may be in memory. */
  static final class OnDisk implements TempDirFactory {
    @Override
    public Path createTempDirectory(AnnotatedElementContext element, ExtensionContext context)
        throws IOException {
      return Files.createTempDirectory(Path.of("target").toAbsolutePath(), "guide");
    }
  }

  /**
   * A program of the guide.
   *
   * @param page file name of its page
   * @param output what it is to print
   */
  record Shown(String page, ExampleProgram program, String output) {
    @Override
    public String toString() {
      return program.name() + " of " + page;
    }
  }

  static List<Shown> programs() throws IOException {
    List<Shown> programs = new ArrayList<>();
    try (Stream<Path> pages = Files.list(Path.of("..", "src-docs", "guide"))) {
      for (Path page : pages.filter(file -> file.toString().endsWith(".md")).sorted().toList()) {
        Matcher blocks = PROGRAM.matcher(Files.readString(page).replace("\r\n", "\n"));
        while (blocks.find()) {
          String output = blocks.group(2) == null ? "" : blocks.group(2);
          programs.add(
              new Shown(page.getFileName().toString(), ExampleProgram.of(blocks.group(1)), output));
        }
      }
    }
    return programs;
  }

  @ParameterizedTest
  @MethodSource("programs")
  void theyPrintWhatIsShown(Shown shown) throws Exception {
    ExampleProgram.Result result = shown.program().run(directory);

    // Errors first: they tell why the rest is not as it should be.
    assertThat(result.err().lines()).noneMatch(line -> line.contains("Exception"));
    assertThat(result.out()).isEqualTo(shown.output());
    assertThat(result.exitCode()).isZero();
  }
}
