package io.sifr.internal.sst;

/**
 * Something wrong in what an SST has beside its blocks.
 *
 * @param offset where in the file
 * @param what what is wrong
 */
public record SstFault(long offset, String what) {}
