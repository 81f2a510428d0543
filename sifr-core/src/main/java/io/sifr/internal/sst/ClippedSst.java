package io.sifr.internal.sst;

import io.sifr.internal.entry.EntryIterator;

/**
 * The entries of an SST between two keys, both included.
 *
 * @param sst the SST
 * @param smallestKey first key of the slice; need not be one that the SST holds
 * @param largestKey last key of the slice; need not be one that the SST holds
 */
@SuppressWarnings("ArrayRecordComponent") // never compared as a record
public record ClippedSst(Sst sst, byte[] smallestKey, byte[] largestKey) implements SstSlice {
  @Override
  public EntryIterator iterator() {
    return new ClippedIterator(sst.reader().iterator(), smallestKey, largestKey);
  }
}
