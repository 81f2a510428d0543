package io.sifr.cli.terminal;

import java.io.IOException;

/** The reader of standard output has closed it, as {@code head} does when it has enough. */
public final class OutputClosedException extends IOException {
  private static final long serialVersionUID = 1L;

  OutputClosedException(IOException cause) {
    super("the reader of the output has closed it", cause);
  }
}
