package io.sifr.micrometer;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.micrometer.core.instrument.Meter;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.sifr.Store;
import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.MatchResult;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import javax.tools.ToolProvider;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What the README of the module says is so. */
class ReadmeTest {
  private static final Pattern NAME = Pattern.compile("`(sifr)?(\\.[a-z.]+)`");

  @TempDir Path directory;

  private static String readme() throws IOException {
    return Files.readString(Path.of("README.md")).replace("\r\n", "\n");
  }

  private static String block(String language) throws IOException {
    Matcher block =
        Pattern.compile("```" + language + "\n(.*?)```", Pattern.DOTALL).matcher(readme());
    assertThat(block.find()).isTrue();
    return block.group(1);
  }

  @Test
  void theProgramPrintsWhatIsSaid() throws Exception {
    Path source = directory.resolve("Measured.java");
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
                "Measured")
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
        Pattern.compile("<artifactId>sifr-(?:micrometer|parent)</artifactId>\\s*(<version>.*?<)");
    Matcher said = version.matcher(block("xml"));
    Matcher built = version.matcher(Files.readString(Path.of("..", "..", "pom.xml")));
    assertThat(said.find() && built.find()).isTrue();
    assertThat(said.group(1)).isEqualTo(built.group(1));
  }

  /** A name that begins with a dot begins as the first of its row. */
  @Test
  void theTableListsAllMeters() throws IOException {
    String tables = readme().substring(readme().indexOf("\n## Meters\n"));
    String table = tables.substring(0, tables.indexOf("Of `SifrTimers`"));
    Set<String> listed = new TreeSet<>();
    for (String row : table.lines().filter(line -> line.startsWith("| `sifr.")).toList()) {
      String cell = row.substring(1, row.indexOf('|', 1));
      String prefix = cell.contains("sifr.database") ? "sifr.database" : "sifr.store";
      for (MatchResult name : NAME.matcher(cell).results().toList()) {
        listed.add((name.group(1) == null ? prefix : "sifr") + name.group(2));
      }
    }
    SimpleMeterRegistry registry = new SimpleMeterRegistry();
    try (Store store = Store.open(directory.resolve("store"))) {
      SifrMetrics.bind(store, registry);
      assertThat(listed)
          .isEqualTo(
              registry.getMeters().stream()
                  .map(Meter::getId)
                  .map(Meter.Id::getName)
                  .collect(Collectors.toCollection(TreeSet::new)));
    }
  }
}
