package io.sifr.behaviour;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import javax.tools.ToolProvider;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * The programs in the guide do what it says. Each block of Java is a whole program; it prints what
 * the block of text that follows it shows, or nothing if none follows.
 */
class GuideExamplesRunTest {
  private static final Pattern PROGRAM =
      Pattern.compile("```java\n(.*?)```(?:\\s*```text\n(.*?)```)?", Pattern.DOTALL);
  private static final Pattern CLASS = Pattern.compile("\\bclass (\\w+)");

  @TempDir Path directory;

  /**
   * A program of the guide.
   *
   * @param page file name of its page
   * @param name of its class
   */
  record Program(String page, String name, String source, String output) {
    @Override
    public String toString() {
      return name + " of " + page;
    }
  }

  static List<Program> programs() throws IOException {
    List<Program> programs = new ArrayList<>();
    try (Stream<Path> pages = Files.list(Path.of("..", "src-docs", "guide"))) {
      for (Path page : pages.filter(file -> file.toString().endsWith(".md")).sorted().toList()) {
        Matcher blocks = PROGRAM.matcher(Files.readString(page).replace("\r\n", "\n"));
        while (blocks.find()) {
          String source = blocks.group(1);
          Matcher name = CLASS.matcher(source);
          assertThat(name.find()).as("%s: a class in%n%s", page, source).isTrue();
          String output = blocks.group(2) == null ? "" : blocks.group(2);
          programs.add(new Program(page.getFileName().toString(), name.group(1), source, output));
        }
      }
    }
    return programs;
  }

  @ParameterizedTest
  @MethodSource("programs")
  void theyPrintWhatIsShown(Program program) throws Exception {
    Path source = directory.resolve(program.name + ".java");
    Files.writeString(source, program.source);
    Path classes = Files.createDirectory(directory.resolve("classes"));
    String classPath = classPathWithoutLogging();
    int compiled =
        ToolProvider.getSystemJavaCompiler()
            .run(null, null, null, "-cp", classPath, "-d", classes.toString(), source.toString());
    assertThat(compiled).isZero();

    Path out = directory.resolve("out");
    Path err = directory.resolve("err");
    int exitCode =
        new ProcessBuilder(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-cp",
                classes + File.pathSeparator + classPath,
                program.name)
            .directory(directory.toFile())
            .redirectOutput(out.toFile())
            .redirectError(err.toFile())
            .start()
            .waitFor();

    // Errors first: they tell why the rest is not as it should be.
    assertThat(Files.readAllLines(err)).noneMatch(line -> line.contains("Exception"));
    assertThat(out).content(UTF_8).isEqualToNormalizingNewlines(program.output);
    assertThat(exitCode).isZero();
  }

  /** The tests have a provider for SLF4J, a new project has none. */
  private static String classPathWithoutLogging() {
    return Arrays.stream(System.getProperty("java.class.path").split(File.pathSeparator, -1))
        .map(entry -> Path.of(entry).toAbsolutePath())
        .filter(entry -> !entry.getFileName().toString().startsWith("logback-"))
        .map(Path::toString)
        .collect(Collectors.joining(File.pathSeparator));
  }
}
