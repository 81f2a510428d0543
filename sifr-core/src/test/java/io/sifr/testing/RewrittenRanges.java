package io.sifr.testing;

import io.sifr.internal.io.RandomWriteFile;
import io.sifr.internal.io.StoreFileSystem;
import java.nio.file.Path;
import java.util.BitSet;
import java.util.HashMap;
import java.util.Map;

/** Notes which bytes of files that exist are written, and whether a sync has followed. */
public final class RewrittenRanges extends ForwardingFileSystem {
  private final Map<Path, BitSet> written = new HashMap<>();
  private final Map<Path, BitSet> synced = new HashMap<>();

  public RewrittenRanges(StoreFileSystem delegate) {
    super(delegate);
  }

  /** Whether all bytes from one offset to another were written, and synced after that. */
  public boolean holds(Path file, int from, int to) {
    return synced.getOrDefault(file, new BitSet()).nextClearBit(from) >= to;
  }

  @Override
  public RandomWriteFile openForWrite(Path file, long size) {
    BitSet bytes = written.computeIfAbsent(file, key -> new BitSet());
    return new ForwardingRandomWriteFile(super.openForWrite(file, size)) {
      @Override
      public void write(byte[] source, int offset, int length, long position) {
        super.write(source, offset, length, position);
        bytes.set((int) position, (int) position + length);
      }

      @Override
      public void sync() {
        super.sync();
        synced.computeIfAbsent(file, key -> new BitSet()).or(bytes);
      }
    };
  }
}
