package io.sifr.internal.wal;

import io.sifr.internal.format.FileHeader;
import io.sifr.internal.format.FileKind;
import io.sifr.internal.io.RandomReadFile;
import io.sifr.internal.io.RandomWriteFile;
import io.sifr.internal.io.StoreFileSystem;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;

/**
 * Makes a log whose end was found by replay one that ends there for certain, without needing space:
 * then it can be kept, and appended to like one that was closed in order.
 *
 * <p>What was replayed is written again over itself, because the kernel may have dropped pages of
 * it that it could not write, and a sync alone would not tell. What follows the end is overwritten
 * with zeros, because it may contain whole records, which would seem to follow new ones. Then the
 * marks of the segments say that all of it is durable, as after any sync, so that damage to it is
 * not taken for an earlier end. A crash meanwhile changes nothing of what a replay finds.
 */
public final class WalRewrite {
  private static final int PIECE_BYTES = 256 << 10;

  private WalRewrite() {}

  /**
   * Rewrites segments. Later ones are to be deleted when the end of the log is recorded.
   *
   * @param ends where their records end, in the order of the log; the last one is its end
   */
  public static void upToEnd(StoreFileSystem files, Path directory, List<SegmentEnd> ends) {
    for (SegmentEnd segment : ends) {
      boolean isLast = segment.equals(ends.get(ends.size() - 1));
      long end = isLast ? segment.offset() : segment.bytes();
      rewrite(files, FileKind.WAL.path(directory, segment.segment()), end, segment);
    }
  }

  private static void rewrite(StoreFileSystem files, Path path, long end, SegmentEnd segment) {
    int bytes = segment.bytes();
    byte[] piece = new byte[Math.min(bytes, PIECE_BYTES)];
    long uniqueId = 0;
    try (RandomReadFile before = files.openForRead(path);
        RandomWriteFile after = files.openForWrite(path, bytes)) {
      for (long at = 0; at < bytes; at += piece.length) {
        int length = (int) Math.min(piece.length, bytes - at);
        int used = (int) Math.max(0, Math.min(length, end - at));
        before.readFully(ByteBuffer.wrap(piece, 0, used), at);
        if (at == 0) {
          uniqueId = FileHeader.uniqueId(ByteBuffer.wrap(piece));
        }
        Arrays.fill(piece, used, length, (byte) 0);
        after.write(piece, 0, length, at);
      }
      after.sync();
      byte[] mark = SegmentMark.encode(segment.offset(), uniqueId, bytes);
      after.write(mark, 0, mark.length, SegmentMark.offset(bytes));
    }
  }
}
