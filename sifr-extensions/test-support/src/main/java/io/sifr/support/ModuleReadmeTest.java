package io.sifr.support;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
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

  static List<ShownProgram> programs() throws IOException {
    return ShownProgram.of(readme(), "java");
  }

  @ParameterizedTest
  @MethodSource("programs")
  void theProgramPrintsWhatIsSaid(ShownProgram program) throws Exception {
    if (readme().contains("```properties\n")) {
      Files.writeString(directory.resolve("application.properties"), block("properties"));
    }
    program.assertPrintsItsText(directory, environment());
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
