package io.sifr.internal.backup;

/** Receives the progress of a copy, on the thread that makes it. */
@FunctionalInterface
public interface ByteProgress {
  /** Bytes that are done, and bytes to be done in all. */
  void done(long doneBytes, long totalBytes);
}
