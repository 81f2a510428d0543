package io.sifr.leveldb.importer.source;

import io.sifr.importer.SourceException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;

/** An open file of the source, read by position, up to the size that it has when it is opened. */
public final class SourceFile implements AutoCloseable {
  private final Path path;
  private final FileChannel channel;
  private final long size;

  private SourceFile(Path path, FileChannel channel, long size) {
    this.path = path;
    this.channel = channel;
    this.size = size;
  }

  /** Opens a file as it is now. */
  public static SourceFile open(Path path) throws IOException {
    FileChannel channel = openChannel(path);
    try {
      return new SourceFile(path, channel, channel.size());
    } catch (IOException e) {
      channel.close();
      throw e;
    }
  }

  private static FileChannel openChannel(Path path) throws IOException {
    try {
      return FileChannel.open(path, StandardOpenOption.READ);
    } catch (NoSuchFileException e) {
      throw new SourceException(path + " is not there", e);
    }
  }

  /** Where it is. */
  public Path path() {
    return path;
  }

  /** How many bytes it had when it was opened. */
  public long size() {
    return size;
  }

  /** Reads bytes that must be there: {@code from + bytes} is at most {@link #size}. */
  public byte[] read(long from, int bytes) throws IOException {
    if (from < 0 || bytes < 0 || from > size - bytes) {
      throw new IllegalArgumentException(bytes + " bytes at " + from + " of " + size);
    }
    ByteBuffer buffer = ByteBuffer.allocate(bytes);
    while (buffer.hasRemaining()) {
      if (channel.read(buffer, from + buffer.position()) < 0) {
        throw new SourceException(path + " became shorter while it was read");
      }
    }
    return buffer.array();
  }

  /** Of this file: an exception that names it. */
  public SourceException damaged(long offset, String what) {
    return SourceException.damaged(path, offset, what);
  }

  @Override
  public void close() throws IOException {
    channel.close();
  }
}
