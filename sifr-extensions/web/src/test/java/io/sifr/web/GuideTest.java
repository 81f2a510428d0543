package io.sifr.web;

import static org.assertj.core.api.Assertions.assertThat;

import io.sifr.support.ShownProgram;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The program in the guide, which needs this module and is not run with the others. */
@Tag("process")
class GuideTest {
  @TempDir private Path directory;

  @Test
  void theProgramPrintsWhatIsSaid() throws IOException, InterruptedException {
    Path guide = Path.of("..", "..", "src-docs", "guide", "window.md");
    List<ShownProgram> programs =
        ShownProgram.of(Files.readString(guide).replace("\r\n", "\n"), "java sifr-web");
    assertThat(programs).hasSize(1);
    programs.get(0).assertPrintsItsText(directory, Map.of());
  }
}
