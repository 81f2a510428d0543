package io.sifr.internal.sst.inspect;

import io.sifr.internal.filter.FilterShape;
import io.sifr.internal.sst.format.Footer;
import io.sifr.internal.sst.read.SstReader;
import io.sifr.internal.sst.read.SstTail;

/**
 * Where the parts of a file after its blocks are, for inspection.
 *
 * @param blocks number of data blocks; they extend from the header to the filter
 * @param filterOffset where the blocks end and the filter begins
 * @param filterBytes bytes of the filter, in whole pages; 0 when there is none
 * @param filterBlocks number of the filter's blocks
 * @param filterBitsPerKey bits per key of the filter
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
    long filterOffset,
    long filterBytes,
    int filterBlocks,
    int filterBitsPerKey,
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
    FilterShape filter = footer.filter();
    return new SstLayout(
        footer.blocks(),
        footer.blocksEnd(),
        (long) footer.partsOffset() - footer.blocksEnd(),
        filter == null ? 0 : filter.blocks(),
        filter == null ? 0 : filter.bitsPerKey(),
        footer.partsOffset(),
        footer.propertiesOffset() - (long) footer.partsOffset(),
        footer.propertiesOffset(),
        footer.propertiesBytes(),
        tail.properties().databaseId(),
        tail.properties().restartInterval(),
        footer.fileBytes() - Footer.BYTES,
        Footer.BYTES);
  }
}
