package io.sifr.inspect.salvage;

import io.sifr.inspect.CheckProgress;

/** The progress of a salvage: all files are read, and SSTs a second time. */
final class SalvageMeter {
  private final CheckProgress progress;
  private final long totalBytes;
  private long doneBytes;

  SalvageMeter(CheckProgress progress, long totalBytes) {
    this.progress = progress;
    this.totalBytes = totalBytes;
  }

  void add(long bytes) {
    doneBytes += bytes;
    progress.checked(Math.min(doneBytes, totalBytes), totalBytes);
  }
}
