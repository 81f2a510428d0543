package io.sifr.internal.sst.format;

/**
 * Describes a data block, for inspection.
 *
 * @param index index of the block in the SST, from 0
 * @param offset offset in the file
 * @param bytes bytes it takes in the file, up to the end of a page of 4096 bytes
 * @param codec name of the codec it is encoded with
 * @param payloadBytes bytes of what the codec has made of its raw form
 * @param rawBytes bytes of its raw form; fewer than {@code bytes} when it is stored as it is
 * @param entries entries in it
 * @param firstKey user key of its first entry
 */
@SuppressWarnings("ArrayRecordComponent") // never compared as a record
public record BlockInfo(
    int index,
    long offset,
    int bytes,
    String codec,
    int payloadBytes,
    int rawBytes,
    long entries,
    byte[] firstKey) {
  /** Pages it occupies; the first page of the file also holds the header. */
  public int pages() {
    return SstFormat.pages(bytes);
  }
}
