package io.sifr.internal.sst;

/**
 * Where the parts of a file after its blocks are, for inspection.
 *
 * @param blocks number of data blocks; they extend from the header to the index
 * @param indexOffset where the index begins
 * @param indexBytes bytes of the index, parts and top
 * @param propertiesOffset where the properties begin
 * @param propertiesBytes bytes of the properties
 * @param databaseId number of the database it was written for; 0 for none
 * @param restartInterval largest number of entries from one restart point to the next
 * @param footerOffset where the footer begins
 * @param footerBytes bytes of the footer
 */
public record SstLayout(
    int blocks,
    long indexOffset,
    long indexBytes,
    long propertiesOffset,
    long propertiesBytes,
    int databaseId,
    int restartInterval,
    long footerOffset,
    long footerBytes) {
  /** The layout of an SST. */
  public static SstLayout of(SstReader reader) {
    SstTail tail = reader.tail();
    Footer footer = tail.footer();
    return new SstLayout(
        footer.blocks(),
        footer.blocksEnd(),
        footer.propertiesOffset() - (long) footer.blocksEnd(),
        footer.propertiesOffset(),
        footer.propertiesBytes(),
        tail.properties().databaseId(),
        tail.properties().restartInterval(),
        footer.fileBytes() - Footer.BYTES,
        Footer.BYTES);
  }
}
