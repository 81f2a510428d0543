package io.sifr.internal.io;

import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.zip.CRC32C;

/** Copies files within a file system, from one volume of it to another, or to another one. */
public final class FileCopy {
  private static final int BUFFER_BYTES = 1 << 20;

  private final StoreFileSystem source;
  private final StoreFileSystem fileSystem;
  private final Runnable eachStep;

  /** Copies within a file system. */
  public FileCopy(StoreFileSystem fileSystem, Runnable eachStep) {
    this(fileSystem, fileSystem, eachStep);
  }

  /**
   * @param source in which the files are
   * @param fileSystem in which the copies are
   * @param eachStep called before each megabyte; throws to end a copy
   */
  public FileCopy(StoreFileSystem source, StoreFileSystem fileSystem, Runnable eachStep) {
    this.source = source;
    this.fileSystem = fileSystem;
    this.eachStep = eachStep;
  }

  /**
   * Copies the first bytes of a file to a new one, and makes its content durable; its name is not.
   * When this fails, a part of the copy may be left.
   *
   * @param bytes how many; the file has at least as many
   * @param size size of the copy: what is beyond those bytes is zeros
   * @return CRC32C of the copy
   */
  public int copy(Path file, Path target, long bytes, long size) {
    CRC32C crc = new CRC32C();
    byte[] buffer = new byte[(int) Math.max(1, Math.min(BUFFER_BYTES, size))];
    try (RandomReadFile from = source.openForRead(file);
        AppendFile to = fileSystem.create(target)) {
      for (long at = 0; at < size; ) {
        eachStep.run();
        int length = (int) Math.min(buffer.length, size - at);
        int there = (int) Math.max(0, Math.min(length, bytes - at));
        from.readFully(ByteBuffer.wrap(buffer, 0, there), at);
        Arrays.fill(buffer, there, length, (byte) 0);
        crc.update(buffer, 0, length);
        to.append(buffer, 0, length);
        at += length;
      }
      to.sync();
    }
    return (int) crc.getValue();
  }

  /** Reads a copy and returns the CRC32C of its content. */
  public int checksum(Path file, long size) {
    CRC32C crc = new CRC32C();
    byte[] buffer = new byte[(int) Math.max(1, Math.min(BUFFER_BYTES, size))];
    try (RandomReadFile from = fileSystem.openForRead(file)) {
      for (long at = 0; at < size; ) {
        eachStep.run();
        int length = (int) Math.min(buffer.length, size - at);
        from.readFully(ByteBuffer.wrap(buffer, 0, length), at);
        crc.update(buffer, 0, length);
        at += length;
      }
    }
    return (int) crc.getValue();
  }
}
