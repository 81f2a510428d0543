package io.sifr.internal.sst;

/**
 * A fault in an SST outside its blocks.
 *
 * @param offset offset in the file
 * @param what description of the fault
 */
public record SstFault(long offset, String what) {}
