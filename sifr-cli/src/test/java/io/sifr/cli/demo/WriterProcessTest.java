package io.sifr.cli.demo;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sifr.cli.terminal.Cleanup;
import io.sifr.cli.terminal.Console;
import io.sifr.cli.terminal.TerminalTraits;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;

@EnabledOnOs({OS.LINUX, OS.MAC})
class WriterProcessTest {

  private static WriterProcess shell(String script) {
    Console console =
        new Console(
            InputStream.nullInputStream(),
            OutputStream.nullOutputStream(),
            OutputStream.nullOutputStream(),
            TerminalTraits.NONE);
    return new WriterProcess(console, new Cleanup(), List.of("/bin/sh", "-c", script));
  }

  private static String number(int n) {
    return "printf '\\000\\000\\000\\000\\000\\000\\000\\00" + n + "'; ";
  }

  @Test
  void whatWasAcknowledgedBeforeTheEndCounts() throws IOException {
    // It would wait for ever if it were not killed.
    WriterProcess process = shell(number(5) + number(6) + "exec cat");

    assertThat(process.runAndKill(5, 2)).isEqualTo(2);
  }

  @Test
  void aProcessThatEndsByItselfIsAFailure() {
    assertThatThrownBy(() -> shell(number(0) + "exit 1").runAndKill(0, 2))
        .isInstanceOf(IOException.class)
        .hasMessageContaining("ended by itself");
  }

  @Test
  void acknowledgementsOutOfOrderAreAFailure() {
    assertThatThrownBy(() -> shell(number(0) + number(2) + "exec cat").runAndKill(0, 5))
        .isInstanceOf(IOException.class)
        .hasMessageContaining("out of order");
  }
}
