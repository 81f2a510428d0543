package io.sifr.internal.sst.format;

import io.sifr.internal.cache.CacheArea;
import io.sifr.internal.cache.CacheUse;
import io.sifr.internal.cache.CachedTable;
import java.util.Arrays;

/**
 * A part of an SST's index in memory: the fences and offsets of successive blocks, and what is
 * known of these blocks. A block is located through its part alone, so the part is used at least as
 * often as any of its blocks, and its blocks are evicted with it. In the part, blocks are numbered
 * from 0.
 *
 * <p>Thread-safe.
 */
public final class IndexPart extends CacheArea.Item {
  // What is known of a block in a mapping.
  public static final byte UNCHECKED = 0;
  public static final byte PLAIN = 1;
  public static final byte ENCODED = 2;

  /** Heap of the objects themselves, about. */
  private static final int OWN_BYTES = 256;

  /** Heap for each block beside its fence: offset, state, place in the table. */
  private static final int BYTES_PER_BLOCK = Integer.BYTES + 1 + Integer.BYTES;

  private final int number;
  private final int firstBlock;

  /** Offset of block i in the file; the last element is the end of the last block. */
  private final int[] offsets;

  private final FenceArray fences;

  /** Blocks in the store's own memory. */
  private final CachedTable.Blocks blocks;

  // Written without a lock: a thread that does not see the new state just checks again.
  private final byte[] known;

  /**
   * @param number number of the part
   * @param firstBlock number of its first block in the SST
   * @param offsets offsets of the blocks, and the end of the last one
   * @param fences those of all blocks but the first
   * @param blocks for those of its blocks that the cache keeps
   */
  IndexPart(
      int number, int firstBlock, int[] offsets, FenceArray fences, CachedTable.Blocks blocks) {
    this.number = number;
    this.firstBlock = firstBlock;
    this.offsets = offsets;
    this.fences = fences;
    this.blocks = blocks;
    this.known = new byte[offsets.length - 1];
  }

  /** Number of the part in the SST. */
  public int number() {
    return number;
  }

  /** Number of its first block in the SST. */
  public int firstBlock() {
    return firstBlock;
  }

  /** Number of its blocks. */
  public int blocks() {
    return offsets.length - 1;
  }

  /** Offset of a block in the file. */
  public int offset(int block) {
    return offsets[block];
  }

  /** Offset of a block's end in the file. */
  public int end(int block) {
    return offsets[block + 1];
  }

  /** Size of a block in the file. */
  public int bytes(int block) {
    return end(block) - offset(block);
  }

  /** Offset of a block's first page, which may also hold the file's header. */
  public int pageStart(int block) {
    return SstFormat.pageStart(offsets[block]);
  }

  /** Number of pages a block occupies. */
  public int pages(int block) {
    return (end(block) - pageStart(block)) / SstFormat.PAGE_BYTES;
  }

  /**
   * The block with the newest version of the key that a reader at {@code sequence} may see, if
   * there is one, and if this part is that of the key.
   */
  public int find(byte[] key, int offset, int length, long sequence) {
    return fences.find(key, offset, length, sequence);
  }

  /** The fences of all blocks but the first, which has its fence in the top. */
  public FenceArray fences() {
    return fences;
  }

  /** The blocks that are in the store's own memory. */
  public CachedTable.Blocks table() {
    return blocks;
  }

  /** What is known of a block in a mapping. */
  public byte known(int block) {
    return known[block];
  }

  /** Records what was found out about a block. */
  public void know(int block, byte state) {
    known[block] = state;
  }

  /** Has each block of a mapping checked again when it is used next. */
  public void distrust() {
    Arrays.fill(known, UNCHECKED);
  }

  /** Keeps none of its blocks from now on. For a part that is not kept itself. */
  public void keepNothing() {
    blocks.close();
  }

  @Override
  public int bytes() {
    return OWN_BYTES + blocks() * BYTES_PER_BLOCK + fences.bytes();
  }

  @Override
  public CacheUse use() {
    return CacheUse.INDEXES;
  }

  @Override
  protected void dropped() {
    blocks.close();
  }
}
