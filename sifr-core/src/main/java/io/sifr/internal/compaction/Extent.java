package io.sifr.internal.compaction;

/** The part of an SST's metadata that decides whether it is moved or merged. */
public interface Extent {

  /** The smallest user key in the SST; not to be changed by the reader. */
  byte[] smallestKey();

  /** The largest user key in the SST, never below the smallest; not to be changed by the reader. */
  byte[] largestKey();

  /** The size of the SST's file, at least 0. */
  long bytes();
}
