package io.sifr.internal.engine;

import io.netty.buffer.ByteBuf;
import io.sifr.internal.entry.VisibleIterator;
import io.sifr.internal.search.RangeSearch;
import io.sifr.internal.sst.OutdatedRunException;
import io.sifr.internal.view.Snapshots;
import io.sifr.internal.view.StoreView;
import java.lang.ref.Cleaner;
import java.util.Arrays;
import java.util.function.BooleanSupplier;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * What is behind a cursor: an iterator over one view, and the key it stands on. When the iterator
 * finds its view outdated at the border of an SST, it is made anew over the newest view and led
 * back to that key; the cursor's sequence number is registered as a snapshot, so it sees the same
 * entries there.
 *
 * <p>Not thread-safe.
 */
public final class CursorHandle implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(CursorHandle.class);
  private static final Cleaner CLEANER = Cleaner.create();

  private enum Place {
    BEFORE_FIRST,
    ON_ENTRY,
    BEHIND_LAST,
    NEW
  }

  private final DatabaseHandle database;
  private final BooleanSupplier isStoreClosed;
  private final byte @Nullable [] from;
  private final byte @Nullable [] to;
  private final State state;
  private final Cleaner.Cleanable cleanable;
  private Place place = Place.NEW;
  private byte[] key = new byte[64];
  private int keyLength;

  CursorHandle(
      DatabaseHandle database,
      Snapshots.Handle snapshot,
      BooleanSupplier isStoreClosed,
      byte @Nullable [] from,
      byte @Nullable [] to) {
    this.database = database;
    this.isStoreClosed = isStoreClosed;
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
      return arrive(iterator, iterator.next(), Place.BEHIND_LAST);
    } catch (OutdatedRunException e) {
      state.letGo();
      return move(this::seekBehindKey, Place.BEHIND_LAST);
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
      return arrive(iterator, iterator.previous(), Place.BEFORE_FIRST);
    } catch (OutdatedRunException e) {
      state.letGo();
      return move(at -> at.seekBefore(key, 0, keyLength), Place.BEFORE_FIRST);
    }
  }

  private boolean seekBehindKey(VisibleIterator iterator) {
    boolean found = iterator.seek(key, 0, keyLength);
    boolean same =
        found
            && Arrays.equals(
                key,
                0,
                keyLength,
                iterator.keyArray(),
                iterator.keyOffset(),
                iterator.keyOffset() + iterator.keyLength());
    return same ? iterator.next() : found;
  }

  /**
   * A move that does not depend on where the iterator stands, so it can be made again on a new one.
   */
  private interface Seek {
    boolean on(VisibleIterator iterator);
  }

  private boolean move(Seek seek, Place otherwise) {
    while (true) {
      // Each time: the newest view of a closed store or a dropped database stays outdated for good.
      checkOpen();
      VisibleIterator iterator = iteratorOverNewestView();
      try {
        return arrive(iterator, seek.on(iterator), otherwise);
      } catch (OutdatedRunException e) {
        state.letGo();
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
    VisibleIterator opened =
        RangeSearch.open(
            newest,
            state.snapshot.sequence(),
            from,
            to,
            () -> !newest.equals(database.view().get()));
    state.iterator = opened;
    state.view = newest;
    return opened;
  }

  private boolean arrive(VisibleIterator iterator, boolean found, Place otherwise) {
    if (!found) {
      place = otherwise;
      return false;
    }
    place = Place.ON_ENTRY;
    int length = iterator.keyLength();
    if (length > key.length) {
      key = new byte[Math.max(length, 2 * key.length)];
    }
    System.arraycopy(iterator.keyArray(), iterator.keyOffset(), key, 0, length);
    keyLength = length;
    return true;
  }

  private void checkOpen() {
    if (state.closed) {
      throw new IllegalStateException("the cursor is closed");
    }
    if (isStoreClosed.getAsBoolean()) {
      throw StoreEngine.closed();
    }
    database.checkNotDropped();
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
   * Reads the value. Behind a step backward the iterator may have to go back for it, and then find
   * its view outdated.
   */
  private <T> T ofValue(Function<VisibleIterator, T> read) {
    while (true) {
      VisibleIterator iterator = onEntry();
      try {
        return read.apply(iterator);
      } catch (OutdatedRunException e) {
        state.letGo();
        boolean found = seek(Arrays.copyOf(key, keyLength));
        if (!found) {
          throw new IllegalStateException("the entry of an open cursor is gone");
        }
      }
    }
  }

  /** Whether the cursor stands on an entry. */
  public boolean isValid() {
    checkOpen();
    return place == Place.ON_ENTRY;
  }

  /** A copy of the key. */
  public byte[] key() {
    onEntry();
    return Arrays.copyOf(key, keyLength);
  }

  /** A copy of the value. */
  public byte[] value() {
    return ofValue(
        iterator -> {
          byte[] value = new byte[iterator.valueLength()];
          iterator.copyValue(value, 0);
          return value;
        });
  }

  /** Bytes of the value. */
  public int valueLength() {
    return onEntry().valueLength();
  }

  /** Appends the key to a buffer. */
  public void copyKey(ByteBuf target) {
    onEntry();
    target.writeBytes(key, 0, keyLength);
  }

  /** Appends the value to a buffer. */
  public void copyValue(ByteBuf target) {
    target.writeBytes(ofValue(VisibleIterator::value));
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
