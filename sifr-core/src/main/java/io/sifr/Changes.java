package io.sifr;

import io.sifr.event.Change;
import io.sifr.internal.engine.changes.ChangeReader;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * The changes of a store in their order, from {@link Store#changes}. Close it. Used by one thread
 * at a time; any number of them may read a store.
 *
 * <p>A change is returned once it is durable, so no crash of the store takes it back, and once
 * reads of the store see it. To this end a reader that has come to the end of what is durable syncs
 * the log; a sync that writers wait for serves it as well. Writers do nothing for readers. Of a
 * store that is read only changes end at its moment, and need not be durable, see {@link
 * Store#changes}.
 *
 * <p>No change is passed over: if one is not there any more, or was never logged, which happens
 * with {@link io.sifr.config.Durability#NONE} while the log is not retained, a {@link
 * io.sifr.error.ChangesGoneException} says so. After an exception the same change comes next.
 */
public final class Changes implements AutoCloseable {
  private static final long FIRST_PAUSE_MILLIS = 1;
  private static final long LONGEST_PAUSE_MILLIS = 16;

  private static final Duration LONGEST_TIMEOUT = Duration.ofNanos(Long.MAX_VALUE);

  private final ChangeReader reader;

  Changes(ChangeReader reader) {
    this.reader = reader;
  }

  /**
   * The next change; null when there is none yet, then there may be one later. Takes a read of the
   * log's file each 256 KiB, and at its end a sync if something was written.
   *
   * @throws IllegalStateException when this or the store is closed
   * @throws io.sifr.error.ChangesGoneException when it is not there any more, or was never logged
   * @throws io.sifr.error.CorruptionException when the log is damaged; it names file and offset
   * @throws io.sifr.error.SifrException when the log cannot be read or synced
   */
  public @Nullable Change next() {
    return reader.next();
  }

  /**
   * As {@link #next()}, but waits for a change if there is none yet. It looks for one every 1 to 16
   * milliseconds.
   *
   * @param timeout how long it waits at most
   * @return null when there is none after that time
   * @throws InterruptedException when the thread is interrupted; nothing is lost
   */
  public @Nullable Change next(Duration timeout) throws InterruptedException {
    long start = System.nanoTime();
    long longest =
        Arguments.notNull("timeout", timeout).compareTo(LONGEST_TIMEOUT) < 0
            ? timeout.toNanos()
            : Long.MAX_VALUE;
    long pause = FIRST_PAUSE_MILLIS;
    while (true) {
      Change change = reader.next();
      long left = longest - (System.nanoTime() - start);
      if (change != null || left <= 0) {
        return change;
      }
      Thread.sleep(Math.min(pause, left / 1_000_000 + 1));
      pause = Math.min(2 * pause, LONGEST_PAUSE_MILLIS);
    }
  }

  /** The sequence number of the change that comes next: where to go on later. */
  public long nextSequence() {
    return reader.nextSequence();
  }

  /** Ends reading. It can be called more than once. */
  @Override
  public void close() {
    reader.close();
  }
}
