package io.sifr.internal.io;

import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.file.Path;

/**
 * A file written through {@link RandomAccessFile}, which ignores interrupts and handles short
 * writes itself; a channel would be closed by the first interrupt.
 */
abstract class DiskStream {
  final Path file;
  final RandomAccessFile stream;

  DiskStream(Path file, RandomAccessFile stream) {
    this.file = file;
    this.stream = stream;
  }

  /** Makes everything written before the call durable. */
  public final void sync() {
    try {
      stream.getFD().sync();
    } catch (IOException e) {
      throw IoErrors.translate(file, "sync", e);
    }
  }

  /** Closes the file without syncing it. */
  public final void close() {
    try {
      stream.close();
    } catch (IOException e) {
      throw IoErrors.translate(file, "close", e);
    }
  }
}
