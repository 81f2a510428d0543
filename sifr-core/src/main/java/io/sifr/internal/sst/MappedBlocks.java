package io.sifr.internal.sst;

import io.sifr.internal.io.MappedRegion;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Path;
import java.util.Arrays;

/**
 * Blocks in one mapping of the whole file: the page cache is the cache, and reading costs no call.
 * A block is checked when it is first shown.
 */
final class MappedBlocks extends Blocks {
  private final MappedRegion region;
  private final ByteBuffer buffer;

  // Written without a lock: what a thread does not see yet it checks once more.
  private final boolean[] checked;

  MappedBlocks(Path file, MappedRegion region, long uniqueId, FenceIndex index) {
    super(file, uniqueId, index);
    this.region = region;
    this.buffer = region.buffer().duplicate().order(ByteOrder.LITTLE_ENDIAN);
    this.checked = new boolean[index.blocks()];
  }

  @Override
  void show(int block, BlockView view) {
    if (!checked[block]) {
      check(block, buffer, index().offset(block));
      checked[block] = true;
    }
    view.set(block, buffer, index().offset(block), index().offset(block + 1), null);
  }

  /** Nobody tells whether the page is there; where it matters nobody reads through mappings. */
  @Override
  boolean isInMemory(int block) {
    return true;
  }

  /** The whole file. */
  ByteBuffer fileBuffer() {
    return region.buffer();
  }

  /** Has blocks checked again when they are next shown. */
  void forgetChecks() {
    Arrays.fill(checked, false);
  }

  @Override
  public void close() {
    region.close();
  }
}
