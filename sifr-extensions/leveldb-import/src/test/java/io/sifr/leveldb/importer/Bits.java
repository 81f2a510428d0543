package io.sifr.leveldb.importer;

import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.file.Path;

/** Damages files. */
final class Bits {
  private Bits() {}

  static void flip(Path file, long at, int bit) throws IOException {
    try (RandomAccessFile bytes = new RandomAccessFile(file.toFile(), "rw")) {
      bytes.seek(at);
      int old = bytes.read();
      bytes.seek(at);
      bytes.write(old ^ (1 << bit));
    }
  }
}
