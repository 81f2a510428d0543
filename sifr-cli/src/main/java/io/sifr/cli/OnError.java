package io.sifr.cli;

/** The reaction of a load to a line that is not an entry. */
enum OnError {
  /** Ends there; the entries of the lines before are loaded. */
  STOP,
  /** Skips the line and reports it. */
  SKIP
}
