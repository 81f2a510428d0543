package io.sifr.internal.engine;

import io.netty.buffer.ByteBuf;
import io.sifr.internal.entry.VisibleIterator;
import io.sifr.internal.search.RangePlan;
import io.sifr.internal.search.RangeSearch;
import io.sifr.internal.sst.OutdatedRunException;
import io.sifr.internal.state.DatabaseHandle;
import io.sifr.internal.util.Bytes;
import io.sifr.internal.util.ReadEpochs;
import io.sifr.internal.view.Snapshots;
import io.sifr.internal.view.StoreView;
import java.lang.ref.Cleaner;
import java.nio.ByteBuffer;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * What is behind a cursor: an iterator over one view. When the iterator comes to an SST that is
 * gone, or has come over some borders between SSTs and its view is not the newest any more, it is
 * made anew over the newest view and led back to the key it stood on; the cursor's sequence number
 * is registered as a snapshot, so it sees the same entries there.
 *
 * <p>However fast views change, a cursor gets on: a seek is in a read epoch from before it loads
 * its view, as a point read is, so that it finds every SST of it.
 *
 * <p>Not thread-safe.
 */
public final class CursorHandle implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(CursorHandle.class);
  private static final Cleaner CLEANER = Cleaner.create();

  /** Longer values go into a buffer without an array by a view, which is an object each. */
  private static final int MAX_SCRATCH = 64 << 10;

  private enum Place {
    BEFORE_FIRST,
    ON_ENTRY,
    BEHIND_LAST,
    NEW
  }

  private final DatabaseHandle database;
  private final ReadEpochs epochs;
  private final RangePlan plan;
  private final byte @Nullable [] from;
  private final byte @Nullable [] to;
  private final State state;
  private final Cleaner.Cleanable cleanable;
  private Place place = Place.NEW;

  /** Between SSTs, come over since the last seek in a newer view. */
  private int borders;

  /** Room for values on their way into a buffer without an array. */
  private byte[] scratch = Bytes.EMPTY;

  CursorHandle(
      DatabaseHandle database,
      Snapshots.Handle snapshot,
      ReadEpochs epochs,
      RangePlan plan,
      byte @Nullable [] from,
      byte @Nullable [] to) {
    this.database = database;
    this.epochs = epochs;
    this.plan = plan;
    this.from = from;
    this.to = to;
    this.state = new State(snapshot);
    this.cleanable = CLEANER.register(this, state);
  }

  /** Moves to the first entry of the range. */
  public boolean first() {
    return move(VisibleIterator::seekToFirst, Place.BEHIND_LAST);
  }

  /** Moves to the last entry of the range. */
  public boolean last() {
    return move(VisibleIterator::seekToLast, Place.BEFORE_FIRST);
  }

  /** Moves to the first entry at or behind the key. */
  public boolean seek(byte[] target) {
    BatchBuffer.checkKey(target);
    return move(iterator -> iterator.seek(target, 0, target.length), Place.BEHIND_LAST);
  }

  /** Moves to the last entry before the key. */
  public boolean seekBefore(byte[] target) {
    BatchBuffer.checkKey(target);
    return move(iterator -> iterator.seekBefore(target, 0, target.length), Place.BEFORE_FIRST);
  }

  /** Moves to the next entry. */
  public boolean next() {
    VisibleIterator iterator = state.iterator;
    if (place != Place.ON_ENTRY || iterator == null) {
      checkOpen();
      return place != Place.BEHIND_LAST && first();
    }
    checkOpen();
    try {
      return arrive(iterator.next(), Place.BEHIND_LAST);
    } catch (OutdatedRunException e) {
      byte[] left = keyOf(iterator);
      state.letGo();
      return move(at -> seekBehind(at, left), Place.BEHIND_LAST);
    }
  }

  /** Moves to the entry before. */
  public boolean previous() {
    VisibleIterator iterator = state.iterator;
    if (place != Place.ON_ENTRY || iterator == null) {
      checkOpen();
      return place != Place.BEFORE_FIRST && last();
    }
    checkOpen();
    try {
      return arrive(iterator.previous(), Place.BEFORE_FIRST);
    } catch (OutdatedRunException e) {
      byte[] left = keyOf(iterator);
      state.letGo();
      return move(at -> at.seekBefore(left, 0, left.length), Place.BEFORE_FIRST);
    }
  }

  private static boolean seekBehind(VisibleIterator iterator, byte[] key) {
    return iterator.seek(key, 0, key.length)
        && (!Arrays.equals(key, keyOf(iterator)) || iterator.next());
  }

  private static byte[] keyOf(VisibleIterator iterator) {
    return Arrays.copyOf(iterator.keyArray(), iterator.keyLength());
  }

  /**
   * A move that does not depend on where the iterator stands, so it can be made again on a new one.
   */
  private interface Seek {
    boolean on(VisibleIterator iterator);
  }

  private boolean move(Seek seek, Place otherwise) {
    place = Place.NEW; // until it arrives, it may stand nowhere
    while (true) {
      // Each time: the SSTs of a closed store or a dropped database stay gone for good.
      checkOpen();
      int ticket = epochs.enter();
      try {
        return arrive(seek.on(iteratorOverNewestView()), otherwise);
      } catch (OutdatedRunException e) {
        state.letGo();
      } finally {
        epochs.exit(ticket);
      }
    }
  }

  private VisibleIterator iteratorOverNewestView() {
    StoreView newest = database.view().get();
    VisibleIterator current = state.iterator;
    if (current != null && newest.equals(state.view)) {
      return current;
    }
    state.letGo();
    borders = 0;
    VisibleIterator opened =
        RangeSearch.open(
            newest, state.snapshot.sequence(), from, to, plan, () -> isToBeRenewed(newest));
    state.iterator = opened;
    state.view = newest;
    return opened;
  }

  /**
   * Asked at every border between two SSTs, also by a move that has not arrived, and does not begin
   * again for it. A seek in the newest view reads about as much as coming over a border in each
   * tree does: done less often than that, it at most doubles what a walk costs while the views
   * change all the time.
   */
  private boolean isToBeRenewed(StoreView view) {
    borders++;
    return place == Place.ON_ENTRY
        && borders > view.forest().byPriority().size()
        && !view.equals(database.view().get());
  }

  private boolean arrive(boolean found, Place otherwise) {
    place = found ? Place.ON_ENTRY : otherwise;
    return found;
  }

  private void checkOpen() {
    if (state.closed) {
      throw new IllegalStateException("the cursor is closed");
    }
    database.checkReadable();
  }

  private VisibleIterator onEntry() {
    checkOpen();
    VisibleIterator iterator = state.iterator;
    if (place != Place.ON_ENTRY || iterator == null) {
      throw new IllegalStateException("the cursor stands on no entry");
    }
    return iterator;
  }

  /**
   * Copies the value. Behind a step backward the iterator may have to go back for it, and then find
   * its view outdated.
   */
  private void copyValue(VisibleIterator iterator, byte[] target, int offset) {
    try {
      iterator.copyValue(target, offset);
    } catch (OutdatedRunException e) {
      goBackTo(iterator);
      copyValue(onEntry(), target, offset);
    }
  }

  private ByteBuffer viewValue(VisibleIterator iterator) {
    try {
      return iterator.value();
    } catch (OutdatedRunException e) {
      goBackTo(iterator);
      return viewValue(onEntry());
    }
  }

  /** Stands on the same entry again, in the newest view. */
  private void goBackTo(VisibleIterator outdated) {
    byte[] key = keyOf(outdated);
    state.letGo();
    if (!seek(key)) {
      throw new IllegalStateException("the entry of an open cursor is gone");
    }
  }

  /** Whether the cursor stands on an entry. */
  public boolean isValid() {
    checkOpen();
    return place == Place.ON_ENTRY;
  }

  /** A copy of the key. */
  public byte[] key() {
    return keyOf(onEntry());
  }

  /** A copy of the value. */
  public byte[] value() {
    VisibleIterator iterator = onEntry();
    byte[] value = new byte[iterator.valueLength()];
    copyValue(iterator, value, 0);
    return value;
  }

  /** Bytes of the value. */
  public int valueLength() {
    return onEntry().valueLength();
  }

  /** Appends the key to a buffer. */
  public void copyKey(ByteBuf target) {
    VisibleIterator iterator = onEntry();
    target.writeBytes(iterator.keyArray(), 0, iterator.keyLength());
  }

  /** Appends the value to a buffer. */
  public void copyValue(ByteBuf target) {
    VisibleIterator iterator = onEntry();
    int length = iterator.valueLength();
    target.ensureWritable(length);
    if (target.hasArray()) {
      int end = target.writerIndex();
      copyValue(iterator, target.array(), target.arrayOffset() + end);
      target.writerIndex(end + length);
    } else if (length <= MAX_SCRATCH) {
      if (scratch.length < length) {
        scratch = new byte[Math.max(length, Math.min(MAX_SCRATCH, 2 * scratch.length))];
      }
      copyValue(iterator, scratch, 0);
      target.writeBytes(scratch, 0, length);
    } else {
      target.writeBytes(viewValue(iterator));
    }
  }

  @Override
  public void close() {
    state.closedByUser = true;
    cleanable.clean();
  }

  /**
   * What must be given back; apart from the handle, so that the cleaner can give it back when the
   * handle is gone.
   */
  private static final class State implements Runnable {
    private final Snapshots.Handle snapshot;
    private @Nullable VisibleIterator iterator;
    private @Nullable StoreView view;
    private volatile boolean closed;
    private volatile boolean closedByUser;

    private State(Snapshots.Handle snapshot) {
      this.snapshot = snapshot;
    }

    private void letGo() {
      VisibleIterator current = iterator;
      iterator = null;
      view = null;
      if (current != null) {
        current.close();
      }
    }

    @Override
    public void run() {
      closed = true;
      letGo();
      snapshot.close();
      if (!closedByUser) {
        LOG.warn("a cursor was dropped without being closed");
      }
    }
  }
}
