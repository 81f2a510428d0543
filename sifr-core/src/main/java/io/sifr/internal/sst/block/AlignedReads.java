package io.sifr.internal.sst.block;

import io.sifr.internal.cache.MemoryBlock;
import io.sifr.internal.io.RandomReadFile;
import io.sifr.internal.io.StoreFileSystem;
import java.nio.ByteBuffer;

/**
 * Direct reads into memory at any address. The platform requires an aligned address, so a read goes
 * to an aligned range of a buffer that is one page larger, and is copied from there. The copy takes
 * far less time than the read itself, and blocks in the cache need no extra page.
 */
final class AlignedReads implements RandomReadFile {
  private final RandomReadFile file;

  AlignedReads(RandomReadFile file) {
    this.file = file;
  }

  @Override
  public void keepsItsName() {
    file.keepsItsName();
  }

  @Override
  public long size() {
    return file.size();
  }

  @Override
  public void readFully(ByteBuffer target, long position) {
    MemoryBlock memory =
        MemoryBlock.allocate(target.remaining() + StoreFileSystem.DIRECT_ALIGNMENT);
    try {
      ByteBuffer aligned =
          memory.buffer().alignedSlice(StoreFileSystem.DIRECT_ALIGNMENT).limit(target.remaining());
      file.readFully(aligned, position);
      target.put(aligned.flip());
    } finally {
      memory.release();
    }
  }

  @Override
  public void close() {
    file.close();
  }
}
