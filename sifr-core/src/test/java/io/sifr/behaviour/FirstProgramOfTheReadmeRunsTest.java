package io.sifr.behaviour;

import static org.assertj.core.api.Assertions.assertThat;

import io.sifr.testing.ExampleProgram;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What README.md shows to a newcomer is what happens, to the letter. */
class FirstProgramOfTheReadmeRunsTest {
  private static final Path REPOSITORY = Path.of("..");
  private static final Pattern BLOCK =
      Pattern.compile("```(\\w+)(?: \\S+)?\n(.*?)```", Pattern.DOTALL);

  @TempDir Path directory;

  @Test
  void itCompilesRunsAndPrintsWhatIsSaid() throws Exception {
    ExampleProgram.Result result = ExampleProgram.of(blocks("java").get(0)).run(directory);

    // Errors first: they tell why the rest is not as it should be.
    assertThat(result.err().lines()).allMatch(line -> line.startsWith("SLF4J"));
    assertThat(result.out()).isEqualTo(blocks("text").get(0));
    assertThat(result.exitCode()).isZero();
  }

  @Test
  void dependencyAndBomNameTheVersionThatIsBuilt() throws IOException {
    String built = version("sifr-parent", Files.readString(REPOSITORY.resolve("pom.xml")));

    assertThat(version("sifr-core", blocks("xml").get(0))).isEqualTo(built);
    assertThat(version("sifr-core", Files.readString(Path.of("bom", "pom.xml")))).isEqualTo(built);
  }

  /** Those of the section on the first program that are marked with the language. */
  private static List<String> blocks(String language) throws IOException {
    String readme = Files.readString(REPOSITORY.resolve("README.md")).replace("\r\n", "\n");
    String section = readme.substring(readme.indexOf("\n## A first program\n") + 1);
    section = section.substring(0, section.indexOf("\n## "));
    return BLOCK
        .matcher(section)
        .results()
        .filter(block -> block.group(1).equals(language))
        .map(block -> block.group(2))
        .toList();
  }

  private static String version(String artifact, String xml) {
    Matcher matcher =
        Pattern.compile("<artifactId>" + artifact + "</artifactId>\\s*<version>(.*?)</version>")
            .matcher(xml);
    assertThat(matcher.find()).as("version of %s", artifact).isTrue();
    return matcher.group(1);
  }
}
