package io.sifr.cli.terminal;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Map;
import org.junit.jupiter.api.Test;

class TerminalTraitsTest {

  @Test
  void withoutTheStartScriptThereIsNoTerminal() {
    assertThat(TerminalTraits.of(Map.of("TERM", "xterm")))
        .isEqualTo(new TerminalTraits(false, false, 80, true));
  }

  @Test
  void theStartScriptTellsWhichStreamsAreTerminals() {
    assertThat(TerminalTraits.of(Map.of("TERM", "xterm", "SIFR_TTY", " out", "COLUMNS", "132")))
        .isEqualTo(new TerminalTraits(true, false, 132, true));
    assertThat(TerminalTraits.of(Map.of("TERM", "xterm", "SIFR_TTY", " out err")))
        .isEqualTo(new TerminalTraits(true, true, 80, true));
  }

  @Test
  void noColorTurnsColoursOff() {
    assertThat(TerminalTraits.of(Map.of("TERM", "xterm", "SIFR_TTY", "err", "NO_COLOR", "1")))
        .isEqualTo(new TerminalTraits(false, true, 80, false));
    assertThat(TerminalTraits.of(Map.of("TERM", "xterm", "NO_COLOR", "")).colour()).isTrue();
  }

  @Test
  void aDumbTerminalGetsNeitherBarNorColours() {
    TerminalTraits dumb = TerminalTraits.of(Map.of("TERM", "dumb", "SIFR_TTY", "out err"));

    assertThat(dumb.errIsTerminal()).isFalse();
    assertThat(dumb.colour()).isFalse();
  }

  @Test
  void nonsenseAboutTheWidthIsIgnored() {
    assertThat(TerminalTraits.of(Map.of("COLUMNS", "wide")).columns()).isEqualTo(80);
    assertThat(TerminalTraits.of(Map.of("COLUMNS", "0")).columns()).isEqualTo(40);
  }
}
