package io.sifr.importer;

import io.sifr.cli.terminal.Console;
import io.sifr.cli.terminal.ProgressBar;
import java.util.concurrent.CancellationException;

/** Shows how far an import is, and is where it is stopped. */
public final class ImportProgress implements AutoCloseable {
  private final Console console;
  private ProgressBar bar = ProgressBar.hidden();
  private volatile boolean stopped;

  /** Shows it on a console, if that is a terminal. */
  public ImportProgress(Console console) {
    this.console = console;
  }

  /**
   * A part of the work begins.
   *
   * @param entries how many it has, or 0 if that is not known
   */
  synchronized void begin(String part, long entries) {
    bar.close();
    bar = ProgressBar.ofCount(console, part, entries);
  }

  /**
   * Reports how many entries of the part are done.
   *
   * @throws CancellationException when the import has to stop
   */
  synchronized void update(long entries) {
    if (stopped) {
      throw new CancellationException("the import was stopped");
    }
    bar.update(entries);
  }

  /** Makes the import end soon. May be called by any thread. */
  public void stop() {
    stopped = true;
  }

  @Override
  public synchronized void close() {
    bar.close();
    bar = ProgressBar.hidden();
  }
}
