package io.sifr.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** The file for containers, as far as it can be tested without building an image. */
class ContainerfileTest {
  private static final Path ROOT = Path.of("..");
  private static final Pattern COPIED =
      Pattern.compile("(?m)^COPY --from=build (.*) (/opt/sifr/\\S*)$");

  private String text = "";

  @BeforeEach
  void read() throws IOException {
    text = Files.readString(Path.of("Containerfile"));
  }

  private List<String> instructions(String name) {
    return text.lines()
        .filter(line -> line.startsWith(name + " "))
        .map(line -> line.substring(name.length() + 1))
        .toList();
  }

  @Test
  void whatIsCopiedIsInTheRepositoryOrComesFromTheBuild() throws IOException {
    String pom = Files.readString(Path.of("pom.xml"));
    List<MatchResult> copies = COPIED.matcher(text).results().toList();

    assertThat(copies).hasSize(3);
    for (MatchResult copy : copies) {
      for (String source : copy.group(1).split(" ", -1)) {
        assertThat(source).startsWith("/src/");
        String path = source.substring("/src/".length());
        if (path.startsWith("sifr-cli/target/")) {
          String jar = path.substring("sifr-cli/target/".length());
          assertThat(pom).contains("<outputFile>${project.build.directory}/" + jar + "$");
        } else {
          assertThat(ROOT.resolve(path)).isRegularFile();
        }
        // The start script finds them where they are in the repository.
        String directory = path.contains("/") ? path.substring(0, path.lastIndexOf('/') + 1) : "";
        assertThat(copy.group(2)).isEqualTo("/opt/sifr/" + directory);
      }
    }
    assertThat(text).contains("ln -s /opt/sifr/sifr-cli/bin/sifr /usr/local/bin/sifr");
  }

  @Test
  void itBuildsAsTheStartScriptDoes() throws IOException {
    String launcher = Files.readString(Path.of("bin", "launcher.sh"));
    String build = "mvn -B -Pprograms-only -DskipChecks ";

    assertThat(launcher).contains(build);
    assertThat(instructions("RUN").get(0)).isEqualTo(build + "-pl sifr-cli -am package");
    assertThat(Files.readString(ROOT.resolve("pom.xml"))).contains("<id>programs-only</id>");
  }

  @Test
  void theProgramRunsAsAUserInTheVolume() {
    assertThat(instructions("FROM"))
        .hasSize(2)
        .allSatisfy(image -> assertThat(image).matches("[a-z-]+:[0-9][\\w.-]+( AS build)?"));
    assertThat(instructions("USER")).containsExactly("sifr");
    assertThat(text).containsPattern("useradd .* sifr ");
    assertThat(instructions("VOLUME")).containsExactly("/data");
    assertThat(instructions("ENTRYPOINT")).containsExactly("[\"" + SifrCommand.NAME + "\"]");
    assertThat(text.indexOf("\nUSER ")).isGreaterThan(text.lastIndexOf("\nRUN "));
    assertThat(instructions("WORKDIR")).endsWith("/data");
  }

  @Test
  void itsExamplesAreCommandLines() {
    List<String> run = text.lines().filter(line -> line.startsWith("#   docker run ")).toList();

    assertThat(run).hasSize(1);
    String[] words = run.get(0).replaceFirst(".* sifr ", "").split(" ", -1);
    assertThat(Arrays.asList(words)).startsWith("put");
  }
}
