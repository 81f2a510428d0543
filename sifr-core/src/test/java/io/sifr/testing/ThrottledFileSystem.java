package io.sifr.testing;

import io.sifr.internal.io.AppendFile;
import io.sifr.internal.io.StoreFileSystem;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;
import java.util.function.Predicate;

/**
 * A file system that is slow in places: new files there are written no faster than so many bytes a
 * second, all of them together. It is a bucket that a token falls into for each of these bytes, and
 * that an append empties, be there enough or not; the next one waits until what is missing has
 * come.
 */
public final class ThrottledFileSystem extends ForwardingFileSystem {
  /** The time, which a test may move. Thread-safe. */
  public interface Clock {
    /** Nanoseconds since some moment. */
    long nanos();

    /** Returns when it is that late. */
    void awaitUntil(long nanos);
  }

  private final Predicate<Path> slow;
  private final long bytesPerSecond;
  private final Clock clock;

  /** When what was appended so far has its tokens. Guarded by this. */
  private long paidAt;

  /**
   * @param slow which files are slow, by the path under which they are created
   */
  public ThrottledFileSystem(
      StoreFileSystem delegate, Predicate<Path> slow, long bytesPerSecond, Clock clock) {
    super(delegate);
    this.slow = slow;
    this.bytesPerSecond = bytesPerSecond;
    this.clock = clock;
    this.paidAt = clock.nanos();
  }

  @Override
  public AppendFile create(Path file) {
    return throttled(file, super.create(file));
  }

  @Override
  public AppendFile createDirect(Path file) {
    return throttled(file, super.createDirect(file));
  }

  private AppendFile throttled(Path file, AppendFile created) {
    return slow.test(file) ? new Throttled(created) : created;
  }

  private void pay(int bytes) {
    long due;
    synchronized (this) {
      due = Math.max(paidAt, clock.nanos());
      paidAt = due + TimeUnit.SECONDS.toNanos(bytes) / bytesPerSecond;
    }
    clock.awaitUntil(due);
  }

  private final class Throttled extends ForwardingAppendFile {
    Throttled(AppendFile delegate) {
      super(delegate);
    }

    @Override
    public void append(ByteBuffer source) {
      pay(source.remaining());
      super.append(source);
    }

    @Override
    public void append(byte[] source, int offset, int length) {
      pay(length);
      super.append(source, offset, length);
    }
  }
}
