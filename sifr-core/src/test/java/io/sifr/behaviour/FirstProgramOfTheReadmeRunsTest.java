package io.sifr.behaviour;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import javax.tools.ToolProvider;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What README.md shows to a newcomer is what happens, to the letter. */
class FirstProgramOfTheReadmeRunsTest {
  private static final Path REPOSITORY = Path.of("..");
  private static final Pattern BLOCK = Pattern.compile("```(\\w+)\n(.*?)```", Pattern.DOTALL);

  @TempDir Path directory;

  @Test
  void itCompilesRunsAndPrintsWhatIsSaid() throws Exception {
    Path source = directory.resolve("FirstProgram.java");
    Files.writeString(source, blocks("java").get(0));
    Path classes = Files.createDirectory(directory.resolve("classes"));

    String classPath = classPathWithoutLogging();
    int compiled =
        ToolProvider.getSystemJavaCompiler()
            .run(null, null, null, "-cp", classPath, "-d", classes.toString(), source.toString());
    assertThat(compiled).isZero();

    Path out = directory.resolve("out");
    Path err = directory.resolve("err");
    Process program =
        new ProcessBuilder(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-cp",
                classes + File.pathSeparator + classPath,
                "FirstProgram")
            .directory(directory.toFile())
            .redirectOutput(out.toFile())
            .redirectError(err.toFile())
            .start();
    int exitCode = program.waitFor();

    // Errors first: they tell why the rest is not as it should be.
    assertThat(err).content(UTF_8).isEqualToNormalizingNewlines(blocks("text").get(1));
    assertThat(out).content(UTF_8).isEqualToNormalizingNewlines(blocks("text").get(0));
    assertThat(exitCode).isZero();
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

  /** The tests have a provider for SLF4J, a new project has none. */
  private static String classPathWithoutLogging() {
    return Arrays.stream(System.getProperty("java.class.path").split(File.pathSeparator, -1))
        .filter(entry -> !Path.of(entry).getFileName().toString().startsWith("logback-"))
        .collect(Collectors.joining(File.pathSeparator));
  }
}
