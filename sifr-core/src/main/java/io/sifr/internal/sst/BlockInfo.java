package io.sifr.internal.sst;

/**
 * A data block, for those who look at a file rather than use it.
 *
 * @param index place among the blocks of the SST, from 0
 * @param offset where it begins in the file
 * @param bytes bytes it takes there, up to the end of a page of 4096 bytes
 * @param rawBytes bytes of its raw form; fewer than it takes when it is stored as it is
 * @param entries entries in it
 * @param firstKey user key of its first entry
 */
@SuppressWarnings("ArrayRecordComponent") // never compared as a record
public record BlockInfo(
    int index, long offset, int bytes, int rawBytes, long entries, byte[] firstKey) {
  /** Pages it lies in; the file's header lies in the first of all. */
  public int pages() {
    return SstFormat.pages(bytes);
  }
}
