package io.sifr.cli.demo;

import io.sifr.cli.terminal.Cleanup;
import io.sifr.cli.terminal.Console;
import io.sifr.cli.terminal.ProgressBar;
import java.io.BufferedInputStream;
import java.io.DataInputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.util.List;
import java.util.concurrent.TimeUnit;

/**
 * A separate process that puts entries into a store forever, and writes the number of each to its
 * standard output when the put has returned. It exists to be killed.
 */
final class WriterProcess {
  private static final long SECONDS_TO_DIE = 30;

  private final Console console;
  private final Cleanup cleanup;
  private final List<String> command;

  /**
   * @param command command line of the process
   */
  WriterProcess(Console console, Cleanup cleanup, List<String> command) {
    this.console = console;
    this.cleanup = cleanup;
    this.command = command;
  }

  /**
   * Starts the process and kills it without warning (SIGKILL) once it has acknowledged enough.
   *
   * @param first number of its first entry
   * @param enough acknowledged entries before it is killed
   * @return the number of entries it had acknowledged when it died
   */
  long runAndKill(long first, long enough) throws IOException {
    Process process =
        new ProcessBuilder(command).redirectError(ProcessBuilder.Redirect.INHERIT).start();
    Runnable kill = () -> kill(process);
    cleanup.add(kill);
    try {
      long acknowledged = readUntilKilled(process, first, enough);
      awaitEnd(process);
      return acknowledged;
    } finally {
      kill.run();
      cleanup.remove(kill);
    }
  }

  private long readUntilKilled(Process process, long first, long enough) throws IOException {
    long acknowledged = 0;
    boolean killed = false;
    try (InputStream out = process.getInputStream();
        DataInputStream numbers = new DataInputStream(new BufferedInputStream(out));
        ProgressBar bar = ProgressBar.ofCount(console, "writer process", enough)) {
      while (true) {
        long number = numbers.readLong();
        if (number != first + acknowledged) {
          throw new IOException("the writer process acknowledged " + number + " out of order");
        }
        acknowledged++;
        bar.update(Math.min(acknowledged, enough));
        if (acknowledged == enough) {
          kill(process);
          killed = true;
        }
      }
    } catch (EOFException e) {
      // Numbers still in the pipe when it died count too: they were acknowledged.
      if (!killed) {
        throw new IOException("the writer process ended by itself", e);
      }
      return acknowledged;
    }
  }

  /** Through its handle, because {@link Process#destroyForcibly} also discards its output. */
  private static void kill(Process process) {
    boolean unused = process.toHandle().destroyForcibly();
  }

  private static void awaitEnd(Process process) throws IOException {
    try {
      if (!process.waitFor(SECONDS_TO_DIE, TimeUnit.SECONDS)) {
        throw new IOException("the writer process does not die");
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IOException("interrupted while the writer process ended", e);
    }
  }
}
