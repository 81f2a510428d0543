package io.sifr.quarkus;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.quarkus.test.junit.main.LaunchResult;
import io.quarkus.test.junit.main.QuarkusMainLauncher;
import io.quarkus.test.junit.main.QuarkusMainTest;
import io.sifr.Store;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** The program of the README, started and started again. */
@QuarkusMainTest
@Tag("host")
class ProgramTest {
  private static final Path DIRECTORY = Path.of("target", "visits");

  @BeforeEach
  void begin() {
    Store.destroy(DIRECTORY);
  }

  private static String block(String language) throws IOException {
    Matcher block =
        Pattern.compile("```" + language + "\n(.*?)```", Pattern.DOTALL)
            .matcher(Files.readString(Path.of("README.md")));
    assertThat(block.find()).as(language).isTrue();
    return block.group(1);
  }

  @Test
  void theProgramIsThatOfTheReadme() throws IOException {
    assertThat(Path.of("src", "test", "java", "com", "example", "Visits.java"))
        .content(UTF_8)
        .isEqualTo(block("java"));
    assertThat(block("xml")).contains("<artifactId>sifr-quarkus</artifactId>");
    assertThat(Files.readString(Path.of("..", "..", "pom.xml")))
        .contains("<version>" + block("xml").replaceAll("(?s).*<version>(.*)</version>.*", "$1"));
  }

  @Test
  void theStoreIsThereAfterARestart(QuarkusMainLauncher launcher) throws IOException {
    LaunchResult first = launcher.launch();
    assertThat(first.getErrorOutput()).doesNotContain("Exception");
    assertThat(first.exitCode()).isZero();
    assertThat(first.getOutput()).contains(block("text").strip());
    assertThat(launcher.launch().getOutput()).contains("starts: 2");

    try (Store store = Store.open(DIRECTORY)) {
      assertThat(store.database().contains("scoped".getBytes(UTF_8))).isTrue();
      assertThat(store.database().contains("single".getBytes(UTF_8))).isTrue();
    }
  }
}
