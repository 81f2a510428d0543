package io.sifr.internal.sst.format;

import com.google.errorprone.annotations.CanIgnoreReturnValue;
import io.sifr.error.CorruptionException;
import io.sifr.internal.cache.CacheArea;
import io.sifr.internal.cache.CacheUse;
import io.sifr.internal.crypt.FileCipher;
import io.sifr.internal.filter.FilterShape;
import io.sifr.internal.format.Checksums;
import java.nio.ByteBuffer;
import java.util.Arrays;

/**
 * A page of an SST's filter: some of its blocks, and a checksum. Any block of a filter is read with
 * one page. Thread-safe.
 *
 * <pre>
 *    0         blocks, up to {@value #BLOCKS}, each of eight u64; sealed if the file is encrypted
 *              zeros
 * 4092    u32  CRC32C of bytes 0-4091, bound to the file and to the page's offset
 * </pre>
 */
public final class FilterPage extends CacheArea.Item {
  /** Number of blocks in each page but the last. */
  static final int BLOCKS = 63;

  /** Size of a block. */
  public static final int BLOCK_BYTES = FilterShape.BLOCK_WORDS * Long.BYTES;

  private static final int CRC_AT = SstFormat.PAGE_BYTES - Integer.BYTES;

  private static final String WHAT = "page of the filter";

  /** Heap of the objects themselves, about. */
  private static final int OWN_BYTES = 64;

  private final long[] words;

  // The shape's. It is kept here since a search that needs the page has no use for the shape else.
  private final int probes;

  private FilterPage(FilterShape shape, long[] words) {
    this.probes = shape.probes();
    this.words = words;
  }

  /** Number of pages of a filter. */
  public static int count(FilterShape shape) {
    return (shape.blocks() + BLOCKS - 1) / BLOCKS;
  }

  /** Number of the page that a block is in. */
  public static int of(int block) {
    return block / BLOCKS;
  }

  private static int blocks(FilterShape shape, int number) {
    return Math.min(BLOCKS, shape.blocks() - number * BLOCKS);
  }

  /**
   * Encodes all pages of a filter.
   *
   * @param words its blocks
   * @param encoder of the file
   * @param offset where in the file the filter begins
   */
  public static byte[] encode(
      FilterShape shape, long[] words, StoredBlock.Encoder encoder, long offset) {
    int pages = count(shape);
    ByteBuffer encoded = ByteBuffer.allocate(pages * SstFormat.PAGE_BYTES);
    for (int i = 0; i < pages; i++) {
      int start = i * SstFormat.PAGE_BYTES;
      int first = i * BLOCKS * FilterShape.BLOCK_WORDS;
      int count = blocks(shape, i) * FilterShape.BLOCK_WORDS;
      encoded.position(start).asLongBuffer().put(words, first, count);
      FileCipher cipher = encoder.cipher();
      if (cipher != null) {
        cipher.seal(FileCipher.at(offset + start), encoded.array(), start, BLOCKS * BLOCK_BYTES);
      }
      int crc = Checksums.crc32c(encoded, start, CRC_AT);
      encoder.encodeChecksumTo(encoded, start + SstFormat.PAGE_BYTES, crc, offset + start);
    }
    return encoded.array();
  }

  /**
   * Reads a page.
   *
   * @param filterOffset where in the file the filter begins
   * @param number its number in the filter
   * @throws CorruptionException when it is damaged
   */
  public static FilterPage read(
      StoredBlock.Decoder decoder,
      long filterOffset,
      FilterShape shape,
      int number,
      PageSource source) {
    ByteBuffer page = checked(decoder, filterOffset, number, source);
    int blocks = blocks(shape, number);
    long[] words = new long[blocks * FilterShape.BLOCK_WORDS];
    page.asLongBuffer().get(words);
    return new FilterPage(shape, words);
  }

  /**
   * Reads a page to see whether it is sound.
   *
   * @param filterOffset where in the file the filter begins
   * @param number its number in the filter
   * @return its content, from position 0 on
   * @throws CorruptionException when it is damaged
   */
  @CanIgnoreReturnValue
  public static ByteBuffer checked(
      StoredBlock.Decoder decoder, long filterOffset, int number, PageSource source) {
    long offset = filterOffset + (long) number * SstFormat.PAGE_BYTES;
    ByteBuffer page = source.read(offset, offset + SstFormat.PAGE_BYTES);
    int expected = page.getInt(CRC_AT);
    int actual = Checksums.bind(Checksums.crc32c(page, 0, CRC_AT), decoder.uniqueId(), offset);
    if (expected != actual) {
      throw CorruptionException.checksum(decoder.file(), offset, WHAT, expected, actual);
    }
    FileCipher cipher = decoder.cipher();
    if (cipher == null) {
      return page;
    }
    ByteBuffer content = ByteBuffer.allocate(BLOCKS * BLOCK_BYTES);
    ByteBuffer sealed = page.slice(0, BLOCKS * BLOCK_BYTES + FileCipher.OVERHEAD);
    cipher.open(WHAT, offset, FileCipher.at(offset), sealed, content);
    return content.flip();
  }

  /** A page that rules out no key, in place of one that cannot be read. */
  public static FilterPage ofAnything(FilterShape shape) {
    long[] words = new long[BLOCKS * FilterShape.BLOCK_WORDS];
    Arrays.fill(words, -1L);
    return new FilterPage(shape, words);
  }

  /** Copies its blocks to where they are among those of all pages, of which it has that number. */
  public void copyTo(long[] all, int number) {
    int from = number * BLOCKS * FilterShape.BLOCK_WORDS;
    System.arraycopy(words, 0, all, from, Math.min(words.length, all.length - from));
  }

  /** Where in its page a block begins. */
  public static int offsetInPage(int block) {
    return block % BLOCKS * BLOCK_BYTES;
  }

  /** Returns false only when the key with that hash is certainly not in the SST. */
  public boolean mayHold(long hash, int block) {
    return FilterShape.mayHold(probes, hash, words, block % BLOCKS * FilterShape.BLOCK_WORDS);
  }

  /** The size of any page, so that it is known before one is read. */
  public static int mostBytes() {
    return OWN_BYTES + BLOCKS * BLOCK_BYTES;
  }

  @Override
  public int bytes() {
    return OWN_BYTES + words.length * Long.BYTES;
  }

  @Override
  public CacheUse use() {
    return CacheUse.FILTERS;
  }

  @Override
  protected void dropped() {}
}
