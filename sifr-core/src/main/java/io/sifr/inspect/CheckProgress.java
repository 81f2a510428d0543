package io.sifr.inspect;

/** Is told how far a check or a salvage has got. Called on the thread that does it. */
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
