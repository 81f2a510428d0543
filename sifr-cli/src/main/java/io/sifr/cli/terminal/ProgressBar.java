package io.sifr.cli.terminal;

import java.io.PrintStream;
import java.util.Locale;
import java.util.concurrent.TimeUnit;
import java.util.function.LongFunction;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Help.Ansi.Style;

/**
 * A line on standard error that is redrawn as work progresses. Draws nothing unless standard error
 * is a terminal. Not thread-safe.
 */
public final class ProgressBar implements AutoCloseable {
  /** The total when the amount of work is unknown. */
  public static final long UNKNOWN = 0;

  private static final long REDRAW_NANOS = TimeUnit.MILLISECONDS.toNanos(100);

  /** As wide as the longest label, so that all bars begin in the same column. */
  private static final int LABEL_COLUMNS = 18;

  private static final int BAR_COLUMNS = 24;

  /** Updates between two reads of the clock, which may take longer than the work of one update. */
  private static final int UPDATES_PER_LOOK = 64;

  private final @Nullable PrintStream terminal;
  private final int columns;
  private final boolean colour;
  private final String label;
  private final LongFunction<String> unit;
  private final LongSupplier nanoTime;
  private final long startNanos;
  private long total;
  private long drawnNanos;
  private long done;
  private int updates;

  private ProgressBar(
      TerminalTraits traits,
      @Nullable PrintStream terminal,
      String label,
      long total,
      LongFunction<String> unit,
      LongSupplier nanoTime) {
    this.terminal = terminal;
    this.columns = traits.columns();
    this.colour = traits.colour();
    this.label = label;
    this.total = total;
    this.unit = unit;
    this.nanoTime = nanoTime;
    this.startNanos = nanoTime.getAsLong();
    this.drawnNanos = startNanos - REDRAW_NANOS;
  }

  /**
   * A bar for a count.
   *
   * @param total how many there are, or {@link #UNKNOWN}
   */
  public static ProgressBar ofCount(Console console, String label, long total) {
    return on(console, label, total, Units::count, System::nanoTime);
  }

  /**
   * A bar for bytes.
   *
   * @param total how many there are, or {@link #UNKNOWN}
   */
  public static ProgressBar ofBytes(Console console, String label, long total) {
    return on(console, label, total, Units::bytes, System::nanoTime);
  }

  /** A bar that is never drawn. */
  public static ProgressBar hidden() {
    return new ProgressBar(TerminalTraits.NONE, null, "", UNKNOWN, Units::count, System::nanoTime);
  }

  static ProgressBar on(
      Console console, String label, long total, LongFunction<String> unit, LongSupplier nanoTime) {
    TerminalTraits traits = console.traits();
    return new ProgressBar(
        traits, traits.errIsTerminal() ? console.err() : null, label, total, unit, nanoTime);
  }

  /** Sets how much is done. Cheap enough to be called for every entry. */
  public void update(long newDone) {
    if (terminal == null) {
      return;
    }
    done = newDone;
    if (updates++ % UPDATES_PER_LOOK == 0) {
      long now = nanoTime.getAsLong();
      if (now - drawnNanos >= REDRAW_NANOS) {
        drawnNanos = now;
        draw(terminal, now);
      }
    }
  }

  /** Sets how much is done, and how much there is to do as far as it is known now. */
  public void update(long newDone, long newTotal) {
    total = newTotal;
    update(newDone);
  }

  /** Draws the bar a last time and ends its line. */
  @Override
  public void close() {
    if (terminal != null) {
      draw(terminal, nanoTime.getAsLong());
      terminal.print("\n");
    }
  }

  private void draw(PrintStream target, long now) {
    StringBuilder text = new StringBuilder(columns);
    text.append(String.format(Locale.ROOT, "%-" + LABEL_COLUMNS + "s ", label));
    int barStart = text.length();
    int filled = 0;
    if (total != UNKNOWN) {
      double share = Math.min(1, (double) done / total);
      filled = (int) (share * BAR_COLUMNS);
      text.append("█".repeat(filled)).append("░".repeat(BAR_COLUMNS - filled));
      text.append(String.format(Locale.ROOT, " %3d%% ", (int) (share * 100)));
    }
    text.append(' ').append(unit.apply(done)).append("  ");
    text.append(unit.apply(Math.round(Units.rate(done, now - startNanos)))).append("/s");
    // One column less than there is: a full line would make some terminals scroll.
    text.setLength(Math.min(text.length(), columns - 1));
    if (colour && filled > 0) {
      text.insert(barStart + filled, Style.reset.on()).insert(barStart, Style.fg_green.on());
    }
    target.print("\r" + text + "\u001b[K");
    target.flush();
  }
}
