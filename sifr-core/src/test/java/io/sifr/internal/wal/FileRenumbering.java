package io.sifr.internal.wal;

import io.sifr.internal.format.FileHeader;
import io.sifr.internal.format.FileKind;
import java.nio.ByteBuffer;
import java.nio.file.Path;

/**
 * Gives a segment another number, which its records do not notice: only the unique id is in their
 * checksums.
 */
final class FileRenumbering {
  private FileRenumbering() {}

  static void renumber(WalTesting log, long from, long to) {
    byte[] content = log.read(from);
    ByteBuffer buffer = ByteBuffer.wrap(content);
    FileHeader header = FileHeader.decode(Path.of("segment"), buffer, FileKind.WAL, from);
    FileHeader.of(FileKind.WAL, to, header.uniqueId()).encodeTo(buffer, 0);
    log.overwrite(to, content);
  }
}
