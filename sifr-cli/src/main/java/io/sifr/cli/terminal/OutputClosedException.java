package io.sifr.cli.terminal;

import java.io.IOException;

/** Whoever reads our standard output has gone away, as {@code head} does when it has enough. */
public final class OutputClosedException extends IOException {
  private static final long serialVersionUID = 1L;

  OutputClosedException(IOException cause) {
    super("the reader of the output has gone away", cause);
  }
}
