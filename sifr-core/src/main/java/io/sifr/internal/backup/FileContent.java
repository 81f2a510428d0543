package io.sifr.internal.backup;

import io.sifr.internal.io.StoreFileSystem;
import io.sifr.spi.BackupStorage.Content;
import java.io.InputStream;
import java.nio.file.Path;
import java.util.zip.CRC32C;
import java.util.zip.CheckedInputStream;
import org.jspecify.annotations.Nullable;

/** The first bytes of a file, as what is to be put; its checksum is known when it was read. */
final class FileContent implements Content {
  private final StoreFileSystem fileSystem;
  private final Path file;
  private final long bytes;
  private final Runnable eachStep;
  private final CRC32C crc = new CRC32C();
  private @Nullable FileStream last;

  /**
   * @param bytes how many; the file has at least as many
   * @param eachStep called before each piece; throws to end a copy
   */
  FileContent(StoreFileSystem fileSystem, Path file, long bytes, Runnable eachStep) {
    this.fileSystem = fileSystem;
    this.file = file;
    this.bytes = bytes;
    this.eachStep = eachStep;
  }

  @Override
  public long bytes() {
    return bytes;
  }

  /** CRC32C of what was read last, which was all of it. */
  int checksum() {
    long read = last == null ? 0 : last.position();
    if (last == null || read != bytes) {
      throw new IllegalStateException(
          "the storage has read " + read + " bytes of " + file + ", not " + bytes);
    }
    return (int) crc.getValue();
  }

  @Override
  public InputStream open() {
    FileStream stream = new FileStream(fileSystem, file, bytes, eachStep);
    last = stream;
    crc.reset();
    return new CheckedInputStream(stream, crc);
  }
}
