package io.sifr.infinispan;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import javax.tools.ToolProvider;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What the README of the module says is so. */
class ReadmeTest {
  @TempDir Path directory;

  private static String block(String language) throws IOException {
    String readme = Files.readString(Path.of("README.md")).replace("\r\n", "\n");
    Matcher block =
        Pattern.compile("```" + language + "\n(.*?)```", Pattern.DOTALL).matcher(readme);
    assertThat(block.find()).isTrue();
    return block.group(1);
  }

  @Test
  void theProgramPrintsWhatIsSaid() throws Exception {
    Path source = directory.resolve("Prices.java");
    Files.writeString(source, block("java"));
    String classPath = System.getProperty("java.class.path");
    int compiled =
        ToolProvider.getSystemJavaCompiler()
            .run(null, null, null, "-cp", classPath, "-d", directory.toString(), source.toString());
    assertThat(compiled).isZero();

    Path out = directory.resolve("out");
    Path err = directory.resolve("err");
    Process program =
        new ProcessBuilder(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-cp",
                directory + File.pathSeparator + classPath,
                "Prices")
            .directory(directory.toFile())
            .redirectOutput(out.toFile())
            .redirectError(err.toFile())
            .start();
    assertThat(program.waitFor()).as(Files.readString(err)).isZero();
    assertThat(out).content(UTF_8).isEqualToNormalizingNewlines(block("text"));
  }

  @Test
  void theVersionIsTheOneThatIsBuilt() throws IOException {
    Pattern version =
        Pattern.compile("<artifactId>sifr-(?:infinispan|parent)</artifactId>\\s*(<version>.*?<)");
    Matcher said = version.matcher(block("xml"));
    Matcher built = version.matcher(Files.readString(Path.of("..", "..", "pom.xml")));
    assertThat(said.find() && built.find()).isTrue();
    assertThat(said.group(1)).isEqualTo(built.group(1));
  }
}
