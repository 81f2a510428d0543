package io.sifr.internal.sst.format;

/**
 * Describes a data block, for inspection.
 *
 * @param index index of the block in the SST, from 0
 * @param offset offset in the file
 * @param bytes bytes it takes in the file, up to the end of a page of 4096 bytes
 * @param entries entries in it
 * @param firstKey user key of its first entry
 */
@SuppressWarnings("ArrayRecordComponent") // never compared as a record
public record BlockInfo(
    int index, long offset, int bytes, Encoding encoding, long entries, byte[] firstKey) {
  /**
   * The way in which a block is encoded.
   *
   * @param codec name of the codec
   * @param payloadBytes bytes of what the codec has made of the raw form
   * @param rawBytes bytes of the raw form; fewer than those in the file when it is stored as it is
   */
  public record Encoding(String codec, int payloadBytes, int rawBytes) {}

  /** Pages it occupies; the first page of the file also holds the header. */
  public int pages() {
    return SstFormat.pages(bytes);
  }
}
