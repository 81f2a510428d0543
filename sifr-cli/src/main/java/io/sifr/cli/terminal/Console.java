package io.sifr.cli.terminal;

import java.io.BufferedOutputStream;
import java.io.FileDescriptor;
import java.io.FileOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;

/**
 * Standard input, output and error. Results go to standard output, everything else to standard
 * error. Always UTF-8, so that output is the same everywhere. Not thread-safe.
 */
public final class Console {
  private static final int BUFFER_BYTES = 1 << 16;

  private final InputStream in;
  private final OutputStream out;
  private final PrintStream err;
  private final TerminalTraits traits;

  /** A console on streams, which it never closes. */
  public Console(InputStream in, OutputStream out, OutputStream err, TerminalTraits traits) {
    this.in = in;
    this.out = new BufferedOutputStream(new PipeOutput(out), BUFFER_BYTES);
    this.err = new PrintStream(err, true, StandardCharsets.UTF_8);
    this.traits = traits;
  }

  /** The console of the process. */
  public static Console ofProcess() {
    // Not System.out: a PrintStream hides that its reader has closed the pipe.
    return new Console(
        System.in,
        new FileOutputStream(FileDescriptor.out),
        new FileOutputStream(FileDescriptor.err),
        TerminalTraits.of(System.getenv()));
  }

  /** Standard input. */
  public InputStream in() {
    return in;
  }

  /** Standard output, buffered until {@link #flush}. */
  public OutputStream out() {
    return out;
  }

  /** Standard error, not buffered. */
  public PrintStream err() {
    return err;
  }

  /** The properties of the terminal. */
  public TerminalTraits traits() {
    return traits;
  }

  /** Writes a line to standard output. */
  public void println(String line) throws IOException {
    out.write(line.getBytes(StandardCharsets.UTF_8));
    out.write('\n');
  }

  /**
   * Flushes standard output.
   *
   * @throws OutputClosedException when the reader has closed it
   */
  public void flush() throws IOException {
    out.flush();
  }
}
