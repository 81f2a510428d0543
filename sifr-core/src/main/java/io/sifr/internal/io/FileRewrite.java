package io.sifr.internal.io;

import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.Arrays;

/**
 * Writes a file again over itself, and syncs it: then its content is durable whatever happened to
 * it before. A sync alone would not show that, because the kernel may have dropped pages that it
 * could not write. Needs no space on a file system that overwrites in place. A crash meanwhile
 * leaves each byte as it was before or as it is afterwards.
 */
public final class FileRewrite {
  private static final int PIECE_BYTES = 256 << 10;

  private FileRewrite() {}

  /**
   * Rewrites a file from an offset on.
   *
   * @param file the same file, open to be written
   * @param end what is in the file from there on becomes zeros
   * @param size of the file
   */
  public static void rewrite(
      StoreFileSystem files, Path path, RandomWriteFile file, long from, long end, long size) {
    byte[] piece = new byte[(int) Math.min(size - from, PIECE_BYTES)];
    try (RandomReadFile before = files.openForRead(path)) {
      for (long at = from; at < size; at += piece.length) {
        int length = (int) Math.min(piece.length, size - at);
        int used = (int) Math.max(0, Math.min(length, end - at));
        before.readFully(ByteBuffer.wrap(piece, 0, used), at);
        Arrays.fill(piece, used, length, (byte) 0);
        file.write(piece, 0, length, at);
      }
    }
    file.sync();
  }
}
