package io.sifr.bench.experiment;

/**
 * The disk space of a Sifr store at one moment.
 *
 * @param seconds since the load began
 * @param diskBytes bytes of all files in its directory, and of deleted files that it still has open
 * @param logBytes those of the log, including segments kept for recycling
 * @param heldBytes those of deleted files
 * @param liveBytes bytes of the SSTs that are part of a forest
 * @param flushedBytes bytes of SSTs that flushes have written so far
 * @param runningMerges number of running compactions
 */
record SpaceSample(
    double seconds,
    long diskBytes,
    long logBytes,
    long heldBytes,
    long liveBytes,
    long flushedBytes,
    long runningMerges) {

  /** Bytes in addition to the live SSTs. */
  long extraBytes() {
    return diskBytes - liveBytes;
  }

  /**
   * Bytes in addition to the data, independently of what the store says is live: when each key is
   * written once, exactly the flushed bytes are needed.
   */
  long overDataBytes() {
    return diskBytes - flushedBytes;
  }
}
