package io.sifr.inspect;

/** Is told how far a check has got. Called on the thread that checks. */
@FunctionalInterface
public interface CheckProgress {
  /** Is told nothing. */
  CheckProgress NONE = (doneBytes, totalBytes) -> {};

  /**
   * A file has been read.
   *
   * @param doneBytes bytes read so far
   * @param totalBytes bytes to read in all
   */
  void checked(long doneBytes, long totalBytes);
}
