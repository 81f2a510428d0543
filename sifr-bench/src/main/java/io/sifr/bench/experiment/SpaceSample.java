package io.sifr.bench.experiment;

/**
 * What a store of ours takes on disk at one moment.
 *
 * @param seconds since the load began
 * @param diskBytes bytes of all files in its directory, and of deleted ones that it still holds
 * @param logBytes those of the log, segments that wait to be used again included
 * @param heldBytes those of deleted files
 * @param liveBytes bytes of the SSTs that are part of a forest
 * @param flushedBytes bytes of SSTs that flushes have written so far
 * @param runningMerges merges that run
 */
record SpaceSample(
    double seconds,
    long diskBytes,
    long logBytes,
    long heldBytes,
    long liveBytes,
    long flushedBytes,
    int runningMerges) {

  /** What is there beside the live SSTs. */
  long extraBytes() {
    return diskBytes - liveBytes;
  }

  /**
   * What is there beside the data, counted without asking the store what is alive: where each key
   * is written once, all that was flushed is needed, and nothing else.
   */
  long overDataBytes() {
    return diskBytes - flushedBytes;
  }
}
