package io.sifr.inspect;

/** Receives the progress of a check or a salvage. Called on the thread that runs it. */
@FunctionalInterface
public interface CheckProgress {
  /** Ignores the progress. */
  CheckProgress NONE = (doneBytes, totalBytes) -> {};

  /**
   * A file has been read.
   *
   * @param doneBytes bytes read so far
   * @param totalBytes bytes to read in all
   */
  void checked(long doneBytes, long totalBytes);
}
