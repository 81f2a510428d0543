package io.sifr.cli.terminal;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayOutputStream;
import java.io.InputStream;
import java.io.OutputStream;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

class ProgressBarTest {
  private static final long MILLISECOND = 1_000_000;

  private final ByteArrayOutputStream err = new ByteArrayOutputStream();
  private final AtomicLong clock = new AtomicLong();

  private ProgressBar bar(TerminalTraits traits, long total) {
    Console console =
        new Console(InputStream.nullInputStream(), OutputStream.nullOutputStream(), err, traits);
    return ProgressBar.on(console, "load", total, Units::count, clock::get);
  }

  @Test
  void nothingIsDrawnWithoutATerminal() {
    try (ProgressBar bar = bar(new TerminalTraits(true, false, 80, true), 10)) {
      bar.update(5);
    }

    assertThat(err.size()).isZero();
  }

  @Test
  void theBarShowsShareCountAndRate() {
    try (ProgressBar bar = bar(new TerminalTraits(false, true, 80, false), 200)) {
      clock.addAndGet(500 * MILLISECOND);
      bar.update(50);
    }

    assertThat(lastDrawn())
        .isEqualTo("load               " + "█".repeat(6) + "░".repeat(18) + "  25%  50  100/s");
    assertThat(err.toString(UTF_8)).endsWith("\n");
  }

  @Test
  void withoutATotalThereIsOnlyCountAndRate() {
    try (ProgressBar bar = bar(new TerminalTraits(false, true, 80, false), ProgressBar.UNKNOWN)) {
      clock.addAndGet(1000 * MILLISECOND);
      bar.update(1234);
    }

    assertThat(lastDrawn()).isEqualTo("load                1,234  1,234/s");
  }

  @Test
  void coloursAreUsedOnlyWhereTheyAreWanted() {
    try (ProgressBar bar = bar(new TerminalTraits(false, true, 80, true), 2)) {
      bar.update(1);
    }
    assertThat(err.toString(UTF_8)).contains("\u001b[32m" + "█".repeat(12) + "\u001b[0m");
    err.reset();

    try (ProgressBar bar = bar(new TerminalTraits(false, true, 80, false), 2)) {
      bar.update(1);
    }
    assertThat(err.toString(UTF_8).replace("\u001b[K", "")).doesNotContain("\u001b");
  }

  @Test
  void theLineIsNeverWiderThanTheTerminal() {
    try (ProgressBar bar = bar(new TerminalTraits(false, true, 40, false), 200)) {
      bar.update(50);
    }

    assertThat(lastDrawn()).hasSize(39);
  }

  @Test
  void itIsDrawnAgainOnlyAfterSomeTime() {
    try (ProgressBar bar = bar(new TerminalTraits(false, true, 80, false), 1_000_000)) {
      for (int i = 1; i <= 1000; i++) {
        clock.addAndGet(MILLISECOND);
        bar.update(i);
      }
    }

    assertThat(err.toString(UTF_8).split("\r", -1).length - 1).isBetween(5, 11);
  }

  private String lastDrawn() {
    String text = err.toString(UTF_8);
    return text.substring(text.lastIndexOf('\r') + 1, text.lastIndexOf("\u001b[K"));
  }
}
