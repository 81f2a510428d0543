package io.sifr.internal.io;

import io.sifr.error.CorruptionException;
import io.sifr.error.FileNotOpenedException;
import io.sifr.error.UnreadableException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.ClosedByInterruptException;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.OpenOption;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.HashSet;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Positional reads through a channel, the only class of the platform through which many threads can
 * read at once. An interrupted reader closes the channel for all of them, and so does a file that
 * closes its descriptor; a thread that notices reopens the file and repeats its read.
 */
final class DiskRandomReadFile implements RandomReadFile, Descriptors.Holder {
  private static final Logger LOG = LoggerFactory.getLogger(DiskRandomReadFile.class);
  private static final Descriptors DESCRIPTORS = Descriptors.OF_THIS_PROCESS;

  /**
   * A read into the heap goes through native memory that the platform keeps for each thread; this
   * bounds that memory.
   */
  private static final int CHUNK_BYTES = 1 << 20;

  private final Path file;
  private final Set<OpenOption> options;

  /** As it was seen last: a file that is written to grows. */
  private volatile long size;

  // Identifies the file, so that another one of the same name is never read instead; null where the
  // platform has no such key.
  private final @Nullable Object identity;
  // Replaced under this object's monitor when it was closed and the file is read on.
  private volatile FileChannel channel;
  private volatile boolean keepsItsName;
  private volatile boolean wasUsed;
  private volatile boolean closed;

  private DiskRandomReadFile(Path file, Set<OpenOption> options, FileChannel channel)
      throws IOException {
    this.file = file;
    this.options = options;
    this.channel = channel;
    this.size = channel.size();
    this.identity = identity(file);
  }

  /**
   * Opens a file.
   *
   * @param more options in addition to those of every read
   */
  static DiskRandomReadFile open(Path file, OpenOption... more) throws IOException {
    Set<OpenOption> options = new HashSet<>(List.of(more));
    options.add(StandardOpenOption.READ);
    options.add(LinkOption.NOFOLLOW_LINKS);
    return DESCRIPTORS.call(
        () -> {
          FileChannel channel = FileChannel.open(file, options);
          try {
            return new DiskRandomReadFile(file, options, channel);
          } catch (IOException e) {
            channel.close();
            throw e;
          }
        });
  }

  @Override
  public synchronized void keepsItsName() {
    keepsItsName = true;
    wasUsed = true;
    DESCRIPTORS.opened(this);
  }

  @Override
  public boolean wasUsed() {
    boolean used = wasUsed;
    wasUsed = false;
    return used;
  }

  /** A failure is ignored: the file was only read. */
  @Override
  public void giveUp() {
    try {
      channel.close();
    } catch (IOException e) {
      LOG.debug("{} cannot be closed: {}", file, e.getMessage());
    }
  }

  @Override
  public long size() {
    return size;
  }

  @Override
  public void readFully(ByteBuffer target, long position) {
    if (position < 0) {
      throw new IllegalArgumentException("position is " + position + "; it cannot be negative");
    }
    if (target.remaining() > size - position) {
      lookAgain();
      if (target.remaining() > size - position) {
        throw tooShort(position, target.remaining());
      }
    }
    if (keepsItsName && !wasUsed) {
      wasUsed = true;
    }
    boolean interrupted = Thread.interrupted();
    int limit = target.limit();
    try {
      long at = position;
      while (target.position() < limit) {
        target.limit(target.position() + Math.min(CHUNK_BYTES, limit - target.position()));
        FileChannel current = channel;
        try {
          int count = current.read(target, at);
          if (count < 0) {
            throw tooShort(at, limit - target.position());
          }
          at += count;
        } catch (ClosedByInterruptException e) {
          interrupted = true;
          Thread.interrupted();
          replace(current);
        } catch (ClosedChannelException e) {
          replace(current); // given up, or closed by another reader's interrupt
        }
      }
    } catch (IOException e) {
      throw new UnreadableException(file, position, e);
    } finally {
      target.limit(limit);
      if (interrupted) {
        Thread.currentThread().interrupt();
      }
    }
  }

  /**
   * {@inheritDoc}
   *
   * <p>Linux takes a read for sequential if it begins in the page where the previous one from the
   * same open file has ended, or in the next, and then reads several times as much as requested:
   * for a scan of 124 KiB, 500 to 600 KiB. The platform offers no {@code posix_fadvise}. But if a
   * byte of an earlier page is read in between, the read looks like a random one. That page was
   * read just now, so this takes less than a microsecond.
   */
  @Override
  public void readNext(ByteBuffer target, long position) {
    long earlier = position - BYTES_BEFORE_NEXT; // not in the page before, and not in the same
    if (earlier >= 0 && target.hasRemaining()) {
      readFully(target.duplicate().limit(target.position() + 1), earlier);
    }
    readFully(target, position);
  }

  /** Somebody may have appended to the file since its size was seen last. */
  private void lookAgain() {
    try {
      size = Math.max(size, Files.size(file));
    } catch (IOException e) {
      LOG.debug("the size of {} is not known: {}", file, e.getMessage());
    }
  }

  private CorruptionException tooShort(long position, int wanted) {
    return new CorruptionException(
        file,
        position,
        "the file ends within the " + wanted + " bytes wanted here; it had " + size);
  }

  /** Opens the file again if nobody has. */
  private synchronized void replace(FileChannel broken) throws IOException {
    if (closed) {
      throw new IllegalStateException(file + " is closed");
    }
    if (channel != broken) {
      return;
    }
    FileChannel opened;
    try {
      opened = DESCRIPTORS.call(() -> FileChannel.open(file, options));
    } catch (IOException e) {
      throw new FileNotOpenedException(file, "open", e);
    }
    if (!Objects.equals(identity, identity(file))) {
      opened.close();
      throw new IOException("the file was replaced by another one of its name");
    }
    channel = opened;
    if (keepsItsName) {
      DESCRIPTORS.opened(this);
    }
  }

  private static @Nullable Object identity(Path file) throws IOException {
    return Files.readAttributes(file, BasicFileAttributes.class, LinkOption.NOFOLLOW_LINKS)
        .fileKey();
  }

  @Override
  public synchronized void close() {
    closed = true;
    if (keepsItsName) {
      DESCRIPTORS.closed(this);
    }
    try {
      channel.close();
    } catch (IOException e) {
      throw IoErrors.translate(file, "close", e);
    }
  }
}
