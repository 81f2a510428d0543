package io.sifr.internal.io;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.sifr.error.StoreIoException;
import io.sifr.internal.io.Descriptors.Uninterrupted;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.ByteBuffer;
import java.nio.channels.ClosedByInterruptException;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Appends past the page cache: what is appended is collected in aligned memory off the heap, and
 * written from there in pieces of {@value #PIECE_BYTES} bytes, each by one call that returns when
 * the device has it. It is the aligned storing of SSTs of SifrDB (TPDS 2020, section 5.2) as far as
 * a file system allows it: the files keep their names and sizes.
 *
 * <p>Only whole pages can be written in this way. What is left when the file is synced or closed is
 * written through the stream, and again with what follows it, if anything does.
 *
 * <p>A direct write that fails for any reason is repeated through the stream, and so is all that
 * follows. A file system may refuse one although it has let the file be opened, and says no more
 * than "invalid argument"; if the disk is full or broken, the stream or the sync says so. After an
 * interrupt, which closes a channel, it is only what was being written.
 */
final class DiskDirectAppendFile extends DiskStream implements AppendFile {
  private static final Logger LOG = LoggerFactory.getLogger(DiskDirectAppendFile.class);
  private static final Descriptors DESCRIPTORS = Descriptors.OF_THIS_PROCESS;

  /** Large enough that the device's answer to each takes little of the time. */
  static final int PIECE_BYTES = 1 << 20;

  private static final int ALIGNMENT = StoreFileSystem.DIRECT_ALIGNMENT;

  private final Uninterrupted.Operation<FileChannel> opener;
  private final ByteBuf memory;

  /** What follows {@link #written}, up to its position. */
  private final ByteBuffer piece;

  /** Bytes in the file, but for a part of a page that was synced: a multiple of the alignment. */
  private long written;

  /** For direct writes; null before the first, and when they are not possible. */
  private @Nullable FileChannel channel;

  /** What is in the file after the last sync. */
  private long end;

  private boolean isPossible = true;
  private boolean hasFailed;
  private boolean closed;

  /**
   * @param opener opens the file for direct writes; called again when an interrupt has closed the
   *     channel
   */
  DiskDirectAppendFile(
      Path file, RandomAccessFile stream, Uninterrupted.Operation<FileChannel> opener) {
    super(file, stream);
    this.opener = opener;
    this.memory = Unpooled.directBuffer(PIECE_BYTES + ALIGNMENT);
    this.piece =
        memory.nioBuffer(0, memory.capacity()).alignedSlice(ALIGNMENT).limit(PIECE_BYTES).slice();
  }

  @Override
  public void append(byte[] source, int offset, int length) {
    append(ByteBuffer.wrap(source, offset, length));
  }

  @Override
  public void append(ByteBuffer source) {
    requireOpen("write");
    while (source.hasRemaining()) {
      int length = Math.min(source.remaining(), piece.remaining());
      piece.put(source.slice(source.position(), length));
      source.position(source.position() + length);
      if (!piece.hasRemaining()) {
        write(PIECE_BYTES);
      }
    }
  }

  @Override
  public long position() {
    return written + piece.position();
  }

  @Override
  public void sync() {
    requireOpen("sync");
    writeAll();
    super.sync();
  }

  /** The memory of a closed one may be somebody else's. */
  private void requireOpen(String operation) {
    if (closed) {
      throw new StoreIoException(file, operation, new IOException("the file is closed"));
    }
  }

  private void writeAll() {
    write(piece.position() / ALIGNMENT * ALIGNMENT);
    writeToStream(piece.duplicate().flip());
    end = position();
  }

  /** Writes so many bytes of the piece, whole pages, and removes them from it. */
  private void write(int bytes) {
    piece.flip();
    ByteBuffer pages = piece.slice(0, bytes);
    if (!writeDirectly(pages)) {
      writeToStream(pages);
    }
    written += bytes;
    piece.position(bytes).compact();
  }

  /** Returns false when it was not possible; some of it may be written then. */
  private boolean writeDirectly(ByteBuffer pages) {
    if (!isPossible || !pages.hasRemaining()) {
      return false;
    }
    boolean interrupted = Thread.interrupted();
    try {
      FileChannel open = openChannel();
      ByteBuffer left = pages.duplicate();
      while (left.hasRemaining()) {
        open.write(left, written + left.position());
      }
      return true;
    } catch (ClosedByInterruptException e) {
      interrupted = true;
      Thread.interrupted();
      return false; // once: it could be interrupted again and again
    } catch (IOException | UnsupportedOperationException e) {
      LOG.debug("{} is written through the page cache: {}", file, e.toString());
      isPossible = false;
      return false;
    } finally {
      if (interrupted) {
        Thread.currentThread().interrupt();
      }
    }
  }

  private FileChannel openChannel() throws IOException {
    FileChannel open = channel;
    if (open == null || !open.isOpen()) {
      open = DESCRIPTORS.call(opener);
      channel = open;
    }
    return open;
  }

  private void writeToStream(ByteBuffer bytes) {
    if (!bytes.hasRemaining()) {
      return;
    }
    byte[] copy = new byte[bytes.remaining()];
    bytes.get(copy);
    try {
      stream.seek(written);
      stream.write(copy);
    } catch (IOException e) {
      hasFailed = true;
      throw IoErrors.translateWrite(file, "write", e);
    }
  }

  @Override
  public void close() {
    if (closed) {
      return;
    }
    closed = true;
    try {
      if (!hasFailed && end < position()) {
        writeAll();
      }
    } finally {
      memory.release();
      closeFiles();
    }
  }

  private void closeFiles() {
    try (FileChannel open = channel) {
      super.close();
    } catch (IOException e) {
      throw IoErrors.translate(file, "close", e);
    }
  }
}
