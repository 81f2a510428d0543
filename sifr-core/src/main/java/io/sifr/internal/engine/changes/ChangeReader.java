package io.sifr.internal.engine.changes;

import static com.google.common.base.Preconditions.checkState;

import io.sifr.error.ChangesGoneException;
import io.sifr.error.CorruptionException;
import io.sifr.error.SifrException;
import io.sifr.event.Change;
import io.sifr.internal.forest.LogEvent;
import io.sifr.internal.forest.LogHistory;
import io.sifr.internal.wal.WalFormat.SyncedMark;
import io.sifr.internal.wal.WalSegmentReader;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Reads the changes of an open store from a sequence number on: records of the log, and between
 * them the events of the manifest. Each sequence number has to belong to one of the two. If one
 * does not, the change was not logged, and the reader says so instead of passing over it.
 *
 * <p>Nothing is read that is not durable, or that readers of the store do not see yet. When the
 * reader has come to the end of what is durable, it has the log synced; writers are not concerned
 * with it at all.
 *
 * <p>It holds no segment: one that is deleted while it is read is noticed because what is read is
 * no record of it any more, and because neither the log nor the manifest names it; it leaves these
 * before its file is changed.
 *
 * <p>Used by one thread.
 */
public final class ChangeReader implements AutoCloseable {
  private static final int NONE = -1;

  private final ChangeLog log;
  private final ChangeDecoder decoder;

  /** The sequence number of the change that comes next. */
  private long next;

  /** The segment that is read; null before the first and between two. */
  private @Nullable WalSegmentReader segment;

  /** Up to where the segment has been read at most. */
  private int limit;

  /** True if the reader of the segment is at a record whose change was not returned yet. */
  private boolean isAtRecord;

  /** The last segment that was read to its end, or {@link #NONE}. */
  private long finished = NONE;

  private boolean closed;

  /**
   * A reader that begins with the change to which a sequence number belongs.
   *
   * @throws IllegalArgumentException when the number is not positive, or larger than the next one
   *     of the store
   * @throws ChangesGoneException when that change is not there any more
   */
  public ChangeReader(ChangeLog log, long from) {
    this.log = log;
    this.decoder = new ChangeDecoder(log::catalog, log.separated());
    this.next = from;
    log.checkOpen();
    long last = log.visible();
    if (from < 1 || from > last + 1) {
      throw new IllegalArgumentException(
          "the sequence number is "
              + from
              + "; allowed: 1 to "
              + (last + 1)
              + ", which the next change will have");
    }
    checkNotGone();
  }

  /** The sequence number of the next change. */
  public long nextSequence() {
    return next;
  }

  /**
   * The next change; null when there is none yet.
   *
   * @throws IllegalStateException when this or the store is closed
   * @throws ChangesGoneException when it is not there any more, or was not logged
   * @throws CorruptionException when the log is damaged
   * @throws SifrException when the log cannot be read or synced
   */
  public @Nullable Change next() {
    checkState(!closed, "the reader of changes is closed");
    log.checkOpen();
    while (true) {
      boolean isRecord = isAtRecord || readRecord();
      // After the record: what happened before it is in the catalog by now.
      List<LogEvent> events = eventsAtNext();
      if (!events.isEmpty()) {
        if (events.get(0).sequence() > log.visible()) {
          return null;
        }
        next = events.get(0).next();
        Change change = decoder.event(events);
        if (change != null) {
          return change;
        }
      } else if (!isRecord) {
        if (!log.syncRest()) {
          return null;
        }
      } else {
        WalSegmentReader record = current();
        long end = record.firstSequence() + record.operationCount();
        if (record.firstSequence() > next) {
          throw gone();
        }
        if (end > log.visible() + 1) {
          return null;
        }
        boolean isNew = end > next;
        Change change = isNew ? decoded(record) : null;
        isAtRecord = false;
        if (isNew) {
          next = end;
        }
        if (change != null) {
          return change;
        }
      }
    }
  }

  private @Nullable Change decoded(WalSegmentReader record) {
    try {
      return decoder.write(record);
    } catch (ChangeDecoder.ValueGoneException e) {
      throw gone(record.firstSequence() + record.operationCount());
    }
  }

  private WalSegmentReader current() {
    WalSegmentReader open = segment;
    checkState(open != null, "no segment is read");
    return open;
  }

  private List<LogEvent> eventsAtNext() {
    LogHistory history = log.catalog().history();
    return history == null ? List.of() : history.eventsAt(next);
  }

  /** Moves to the next record. Returns whether there is one that is durable. */
  private boolean readRecord() {
    while (segment != null || openNext()) {
      WalSegmentReader open = current();
      try {
        int readable = readable(open);
        if (readable == NONE) {
          leave(open);
        } else if (readable <= open.endOffset()) {
          if (isNeeded(open.number())) {
            return false; // more will follow
          }
          finish(open);
        } else if (moveTo(open, readable)) {
          return true;
        }
      } catch (ChangesGoneException e) {
        throw e;
      } catch (SifrException e) {
        throwUnlessReleased(open.number(), e);
        leave(open);
      }
    }
    return false;
  }

  /** Moves to the next record of a segment, or over its seal. Returns whether it is a record. */
  private boolean moveTo(WalSegmentReader open, int readable) {
    if (readable > limit) {
      open.refresh();
      limit = readable;
    }
    if (!open.next()) {
      throw new CorruptionException(
          open.path(),
          open.endOffset(),
          "no whole record begins here, but there were records up to " + readable);
    }
    if (open.isSeal()) {
      finish(open);
      return false;
    }
    isAtRecord = true;
    return true;
  }

  private void finish(WalSegmentReader open) {
    finished = open.number();
    segment = null;
    open.close();
  }

  /** Goes on after a segment that was released: it may have been read to its end. */
  private void leave(WalSegmentReader released) {
    checkNotGone();
    finish(released);
  }

  private boolean isNeeded(long number) {
    return log.needed().contains(number);
  }

  /**
   * The offset up to which a segment may be read, {@link #NONE} if it is gone. Everything in a
   * segment before the synced one is durable, its seal included.
   */
  private int readable(WalSegmentReader open) {
    if (isNeeded(open.number())) {
      SyncedMark synced = log.synced();
      if (synced.segment() == open.number()) {
        return synced.offset();
      }
      return synced.segment() > open.number() ? open.size() : 0;
    }
    LogHistory history = log.catalog().history();
    return history == null
        ? NONE
        : history.segment(open.number()).map(LogHistory.Segment::end).orElse(NONE);
  }

  /**
   * Opens the next segment that there is. Returns whether there is one. That it is the next one is
   * known by the sequence numbers of its records.
   */
  private boolean openNext() {
    while (true) {
      List<Long> needed = log.needed();
      LogHistory history = log.catalog().history();
      long number = finished == NONE ? first(needed, history) : after(finished, needed, history);
      if (number == NONE) {
        return false;
      }
      try {
        segment = log.open(number);
        limit = 0;
        return true;
      } catch (SifrException e) {
        throwUnlessReleased(number, e);
        checkNotGone();
      }
    }
  }

  private static long after(long number, List<Long> needed, @Nullable LogHistory history) {
    long firstNeeded =
        needed.stream().filter(each -> each > number).findFirst().orElse((long) NONE);
    return history == null
        ? firstNeeded
        : history.segmentAfter(number).map(LogHistory.Segment::number).orElse(firstNeeded);
  }

  /** The segment with the change that comes next, or {@link #NONE} if there is no segment. */
  private long first(List<Long> needed, @Nullable LogHistory history) {
    if (history != null && history.segmentOf(next).isPresent()) {
      return history.segmentOf(next).get().number();
    }
    for (int i = needed.size() - 1; i > 0; i--) {
      long first = firstSequenceOf(needed.get(i));
      if (first != NONE && first <= next) {
        return needed.get(i);
      }
    }
    return needed.isEmpty() ? NONE : needed.get(0);
  }

  /**
   * The sequence number of the first record of a segment; {@link #NONE} when it has none, or was
   * released.
   */
  private long firstSequenceOf(long number) {
    try (WalSegmentReader peek = log.open(number)) {
      return peek.next() && !peek.isSeal() ? peek.firstSequence() : NONE;
    } catch (SifrException e) {
      throwUnlessReleased(number, e);
      return NONE;
    }
  }

  /**
   * The first sequence number from which all changes are there: of a log that is not retained that
   * of its first record.
   */
  public static long oldest(ChangeLog log) {
    LogHistory history = log.catalog().history();
    if (history != null) {
      return history.firstSequence();
    }
    List<Long> needed = log.needed();
    long after = log.visible() + 1;
    if (needed.isEmpty()) {
      return after;
    }
    try (WalSegmentReader peek = log.open(needed.get(0))) {
      return peek.next() && !peek.isSeal() ? Math.min(after, peek.firstSequence()) : after;
    } catch (SifrException e) {
      if (log.needed().contains(needed.get(0))) {
        throw e;
      }
      return oldest(log); // it was released meanwhile
    }
  }

  private long oldest() {
    return oldest(log);
  }

  /** That a segment cannot be read is no failure if it was released. */
  private void throwUnlessReleased(long number, SifrException e) {
    log.checkOpen();
    if (isNeeded(number) || log.catalog().isRetained(number)) {
      throw e;
    }
  }

  private void checkNotGone() {
    if (next < oldest()) {
      throw gone();
    }
  }

  private ChangesGoneException gone() {
    WalSegmentReader open = segment;
    long oldest = oldest();
    if (open != null && isAtRecord) {
      oldest = Math.max(oldest, open.firstSequence()); // those before it were never logged
    }
    return gone(oldest);
  }

  private ChangesGoneException gone(long oldest) {
    return new ChangesGoneException(
        next,
        oldest,
        "the change with sequence number "
            + next
            + " of "
            + log
            + " is not in the log any more, or was never logged; changes are there from sequence"
            + " number "
            + oldest
            + " on");
  }

  @Override
  public void close() {
    closed = true;
    WalSegmentReader open = segment;
    segment = null;
    if (open != null) {
      open.close();
    }
  }
}
