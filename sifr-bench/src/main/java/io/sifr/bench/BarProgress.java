package io.sifr.bench;

import io.sifr.bench.driver.StoreRun;
import io.sifr.bench.workload.Workload;
import io.sifr.cli.terminal.Console;
import io.sifr.cli.terminal.ProgressBar;
import java.util.function.LongConsumer;

/** A progress bar for each workload. */
final class BarProgress implements StoreRun.Progress {
  private final Console console;
  private final String store;
  private ProgressBar bar = ProgressBar.hidden();

  BarProgress(Console console, String store) {
    this.console = console;
    this.store = store;
  }

  @Override
  public LongConsumer begin(Workload workload, long operations) {
    bar = ProgressBar.ofCount(console, store + " " + workload.label(), operations);
    return bar::update;
  }

  @Override
  public void end() {
    bar.close();
  }
}
