package io.sifr.internal.sst;

/**
 * A data block, for those who look at a file rather than use it.
 *
 * @param index place among the blocks of the SST, from 0
 * @param offset where it begins in the file
 * @param pages pages of 4096 bytes it takes
 * @param entries entries in it
 * @param firstKey user key of its first entry
 */
@SuppressWarnings("ArrayRecordComponent") // never compared as a record
public record BlockInfo(int index, long offset, int pages, long entries, byte[] firstKey) {}
