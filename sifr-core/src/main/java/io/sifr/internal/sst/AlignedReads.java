package io.sifr.internal.sst;

import io.sifr.internal.cache.MemoryBlock;
import io.sifr.internal.io.RandomReadFile;
import io.sifr.internal.io.StoreFileSystem;
import java.nio.ByteBuffer;

/**
 * Direct reads into memory of any address. The platform wants an aligned one, so a read goes into
 * memory a page larger, within which an aligned piece always lies, and is copied from there: that
 * takes far less time than asking the device, and blocks in the cache need no page more.
 */
final class AlignedReads implements RandomReadFile {
  private final RandomReadFile file;

  AlignedReads(RandomReadFile file) {
    this.file = file;
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
