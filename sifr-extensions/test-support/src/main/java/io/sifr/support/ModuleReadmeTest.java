package io.sifr.support;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import javax.tools.ToolProvider;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Checks the README of a module: each block of Java is a program that prints the block of text that
 * follows it, with the first block of properties, if there is one, as {@code
 * application.properties}; and its first block of XML has the version that is built.
 */
public abstract class ModuleReadmeTest {
  private static final Pattern PACKAGE = Pattern.compile("(?m)^package ([\\w.]+);");
  private static final Pattern CLASS = Pattern.compile("\\bclass (\\w+)");
  private static final Pattern PROGRAM =
      Pattern.compile("```java\n(.*?)```.*?```text\n(.*?)```", Pattern.DOTALL);

  private final String artifact;

  /** An empty directory. */
  @TempDir protected Path directory;

  /** The test of the module in the current directory. */
  protected ModuleReadmeTest(String artifact) {
    this.artifact = artifact;
  }

  /** Variables of the environment in which the program runs, beside those of this process. */
  protected Map<String, String> environment() {
    return Map.of();
  }

  /** The README, with lines that end as on Linux. */
  protected static String readme() throws IOException {
    return Files.readString(Path.of("README.md")).replace("\r\n", "\n");
  }

  private static String block(String language) throws IOException {
    return found(Pattern.compile("```" + language + "\n(.*?)```", Pattern.DOTALL), readme());
  }

  private static String found(Pattern pattern, String text) {
    Matcher matcher = pattern.matcher(text);
    assertThat(matcher.find()).as("%s in%n%s", pattern, text).isTrue();
    return matcher.group(1);
  }

  /** A program of the README, and what it prints. */
  record Shown(String program, String text) {
    @Override
    public String toString() {
      return found(CLASS, program);
    }
  }

  static List<Shown> programs() throws IOException {
    return PROGRAM
        .matcher(readme())
        .results()
        .map(shown -> new Shown(shown.group(1), shown.group(2)))
        .toList();
  }

  @ParameterizedTest
  @MethodSource("programs")
  void theProgramPrintsWhatIsSaid(Shown shown) throws Exception {
    String program = shown.program();
    String name = found(CLASS, program);
    Matcher inPackage = PACKAGE.matcher(program);
    String main = inPackage.find() ? inPackage.group(1) + "." + name : name;
    if (readme().contains("```properties\n")) {
      Files.writeString(directory.resolve("application.properties"), block("properties"));
    }
    Path source = Files.writeString(directory.resolve(name + ".java"), program);
    String classPath = System.getProperty("java.class.path");
    int compiled =
        ToolProvider.getSystemJavaCompiler()
            .run(
                null,
                null,
                null,
                "-parameters",
                "-proc:none",
                "-cp",
                classPath,
                "-d",
                directory.toString(),
                source.toString());
    assertThat(compiled).isZero();

    Path out = directory.resolve("out");
    Path err = directory.resolve("err");
    ProcessBuilder java =
        new ProcessBuilder(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-XX:TieredStopAtLevel=1", // it is over before more would be worth its time
                "-XX:+UseSerialGC",
                "-cp",
                directory + File.pathSeparator + classPath,
                main)
            .directory(directory.toFile())
            .redirectOutput(out.toFile())
            .redirectError(err.toFile());
    java.environment().putAll(environment());
    Process running = java.start();
    assertThat(running.waitFor()).as(Files.readString(err)).isZero();
    assertThat(out).content(UTF_8).isEqualToNormalizingNewlines(shown.text());
  }

  @Test
  void theVersionIsTheOneThatIsBuilt() throws IOException {
    String built = Files.readString(Path.of("..", "..", "pom.xml"));
    assertThat(version(artifact, block("xml"))).isEqualTo(version("sifr-parent", built));
  }

  private static String version(String artifact, String text) {
    return found(
        Pattern.compile(
            "<artifactId>" + Pattern.quote(artifact) + "</artifactId>\\s*<version>(.*?)<"),
        text);
  }
}
