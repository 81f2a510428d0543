package io.sifr.cli;

/** What a load does about a line that is not an entry. */
enum OnError {
  /** Ends there; the entries of the lines before are loaded. */
  STOP,
  /** Skips the line and reports it. */
  SKIP
}
