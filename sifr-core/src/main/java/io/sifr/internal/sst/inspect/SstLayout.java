package io.sifr.internal.sst.inspect;

import io.sifr.internal.filter.FilterShape;
import io.sifr.internal.sst.format.Footer;
import io.sifr.internal.sst.format.SstProperties;
import io.sifr.internal.sst.read.SstReader;
import org.jspecify.annotations.Nullable;

/**
 * The layout of a file after its blocks, for inspection.
 *
 * @param blocks number of data blocks; they extend from the header to the filter
 * @param shape shape of the filter; null when there is none
 * @param filter the filter, in whole pages
 * @param index the index, parts and top
 * @param properties the properties
 * @param footer the footer
 * @param origin how the SST was written
 */
public record SstLayout(
    int blocks,
    @Nullable FilterShape shape,
    Section filter,
    Section index,
    Section properties,
    Section footer,
    SstProperties.Origin origin) {
  /**
   * A section of a file.
   *
   * @param offset where it begins
   * @param bytes its size
   */
  public record Section(long offset, long bytes) {
    private static Section between(long from, long to) {
      return new Section(from, to - from);
    }

    /** Where it ends. */
    public long end() {
      return offset + bytes;
    }
  }

  public static SstLayout of(SstReader reader) {
    Footer footer = reader.tail().footer();
    return new SstLayout(
        footer.blocks(),
        footer.filter(),
        Section.between(footer.blocksEnd(), footer.partsOffset()),
        Section.between(footer.partsOffset(), footer.propertiesOffset()),
        new Section(footer.propertiesOffset(), footer.propertiesBytes()),
        new Section(footer.fileBytes() - Footer.BYTES, Footer.BYTES),
        reader.tail().properties().origin());
  }
}
