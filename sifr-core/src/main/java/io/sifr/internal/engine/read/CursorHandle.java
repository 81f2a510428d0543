package io.sifr.internal.engine.read;

import static com.google.common.base.Preconditions.checkState;

import io.netty.buffer.ByteBuf;
import io.sifr.internal.entry.EntryLimits;
import io.sifr.internal.entry.VisibleIterator;
import io.sifr.internal.forest.LogicalTree;
import io.sifr.internal.search.RangePlan;
import io.sifr.internal.search.RangeSearch;
import io.sifr.internal.sst.read.OutdatedRunException;
import io.sifr.internal.state.Counters;
import io.sifr.internal.state.DatabaseHandle;
import io.sifr.internal.state.LatencyHistogram;
import io.sifr.internal.util.Bytes;
import io.sifr.internal.view.ReadEpochs;
import io.sifr.internal.view.Snapshots;
import io.sifr.internal.view.StoreView;
import java.lang.ref.Cleaner;
import java.nio.ByteBuffer;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The implementation of a cursor: an iterator over one view. When the iterator reaches an SST that
 * was deleted, or has crossed some borders between SSTs and its view is no longer the newest, it is
 * replaced by one over the newest view, positioned at the same key; the cursor's sequence number is
 * registered as a snapshot, so it sees the same entries there.
 *
 * <p>However fast views change, a cursor makes progress: like a point read, a seek enters a read
 * epoch before it loads its view, so it finds every SST of it.
 *
 * <p>Not thread-safe.
 */
public final class CursorHandle implements EntryCursor {
  private static final Logger LOG = LoggerFactory.getLogger(CursorHandle.class);
  private static final Cleaner CLEANER = Cleaner.create();

  /**
   * Longer values are copied into a buffer without an array through a view, which allocates an
   * object.
   */
  private static final int MAX_SCRATCH = 64 << 10;

  private enum Position {
    BEFORE_FIRST,
    ON_ENTRY,
    AFTER_LAST,
    NEW
  }

  private final DatabaseHandle database;
  private final ReadEpochs epochs;
  private final Counters.Reading.Reads times;
  private final RangePlan plan;
  private final byte @Nullable [] from;
  private final byte @Nullable [] to;
  private boolean losesEntries;
  private final State state;
  private final Cleaner.Cleanable cleanable;
  private Position position = Position.NEW;

  /** Borders between SSTs crossed since the view was last renewed. */
  private int borders;

  /** Scratch array for values that are copied into a buffer without an array. */
  private byte[] scratch = Bytes.EMPTY;

  public CursorHandle(
      DatabaseHandle database,
      Snapshots.Handle snapshot,
      ReadEpochs epochs,
      Counters.Reading.Reads times,
      RangePlan plan,
      byte @Nullable [] from,
      byte @Nullable [] to) {
    this.database = database;
    this.epochs = epochs;
    this.times = times;
    this.plan = plan;
    this.from = from;
    this.to = to;
    this.state = new State(snapshot);
    this.cleanable = CLEANER.register(this, state);
  }

  /**
   * Trees may be dropped although this cursor sees what is in them, else its snapshot keeps that.
   * Called before the first move.
   */
  public void losesEntries() {
    losesEntries = true;
  }

  @Override
  public boolean first() {
    return move(VisibleIterator::seekToFirst, Position.AFTER_LAST);
  }

  @Override
  public boolean last() {
    return move(VisibleIterator::seekToLast, Position.BEFORE_FIRST);
  }

  @Override
  public boolean seek(byte[] target) {
    EntryLimits.checkKey(target);
    return move(iterator -> iterator.seek(target, 0, target.length), Position.AFTER_LAST);
  }

  @Override
  public boolean seekBefore(byte[] target) {
    EntryLimits.checkKey(target);
    return move(iterator -> iterator.seekBefore(target, 0, target.length), Position.BEFORE_FIRST);
  }

  @Override
  public boolean next() {
    VisibleIterator iterator = state.iterator;
    if (position != Position.ON_ENTRY || iterator == null) {
      checkOpen();
      return position != Position.AFTER_LAST && first();
    }
    checkOpen();
    try {
      return arrive(iterator.next(), Position.AFTER_LAST);
    } catch (OutdatedRunException e) {
      byte[] left = keyOf(iterator);
      state.release();
      return move(at -> seekAfter(at, left), Position.AFTER_LAST);
    }
  }

  @Override
  public boolean previous() {
    VisibleIterator iterator = state.iterator;
    if (position != Position.ON_ENTRY || iterator == null) {
      checkOpen();
      return position != Position.BEFORE_FIRST && last();
    }
    checkOpen();
    try {
      return arrive(iterator.previous(), Position.BEFORE_FIRST);
    } catch (OutdatedRunException e) {
      byte[] left = keyOf(iterator);
      state.release();
      return move(at -> at.seekBefore(left, 0, left.length), Position.BEFORE_FIRST);
    }
  }

  private static boolean seekAfter(VisibleIterator iterator, byte[] key) {
    return iterator.seek(key, 0, key.length)
        && (!Arrays.equals(key, keyOf(iterator)) || iterator.next());
  }

  private static byte[] keyOf(VisibleIterator iterator) {
    return Arrays.copyOf(iterator.keyArray(), iterator.keyLength());
  }

  /** A move that does not depend on the iterator's position, so it can be repeated on a new one. */
  private interface Seek {
    boolean on(VisibleIterator iterator);
  }

  private boolean move(Seek seek, Position otherwise) {
    position = Position.NEW; // until it arrives, it may have no position
    while (true) {
      // In each round: the SSTs of a closed store or a dropped database are gone for good.
      checkOpen();
      long start = LatencyHistogram.begin();
      int ticket = epochs.enter();
      try {
        return arrive(seek.on(iteratorOverNewestView()), otherwise);
      } catch (OutdatedRunException e) {
        state.release();
      } finally {
        epochs.exit(ticket);
        countSeek(start);
      }
    }
  }

  /** Counts a seek, if it was drawn. */
  private void countSeek(long start) {
    StoreView view = state.view;
    if (view != null && start != 0) {
      times.ended(start);
      byte[] begin = from == null ? Bytes.EMPTY : from;
      int trees = 0;
      for (LogicalTree tree : view.forest().byPriority()) {
        trees += tree.holdsBetween(begin, to) ? 1 : 0;
      }
      VisibleIterator iterator = state.iterator;
      if (position == Position.ON_ENTRY && iterator != null) {
        database.wastedReads().sought(trees, iterator.keyArray(), iterator.keyLength());
      } else {
        database.wastedReads().sought(trees);
      }
    }
  }

  private VisibleIterator iteratorOverNewestView() {
    StoreView newest = database.view().get();
    VisibleIterator current = state.iterator;
    if (current != null && newest.equals(state.view)) {
      return current;
    }
    state.release();
    borders = 0;
    VisibleIterator opened =
        RangeSearch.open(
            newest,
            state.snapshot.sequence(),
            from,
            to,
            plan,
            database.learnedSpans(),
            () -> isToBeRenewed(newest));
    if (losesEntries) {
      opened.saveAllValues();
    }
    state.iterator = opened;
    state.view = newest;
    return opened;
  }

  /**
   * Called at every border between two SSTs. A move that has not arrived yet counts the border, but
   * does not begin again because of it. A seek in the newest view reads about as much as crossing a
   * border in each tree: done less often than that, it at most doubles the cost of an iteration
   * while the views keep changing.
   */
  private boolean isToBeRenewed(StoreView view) {
    borders++;
    return position == Position.ON_ENTRY
        && borders > view.forest().byPriority().size()
        && !view.equals(database.view().get());
  }

  private boolean arrive(boolean found, Position otherwise) {
    position = found ? Position.ON_ENTRY : otherwise;
    return found;
  }

  private void checkOpen() {
    checkState(!state.closed, "the cursor is closed");
    database.checkReadable();
  }

  private VisibleIterator onEntry() {
    checkOpen();
    VisibleIterator iterator = state.iterator;
    checkState(position == Position.ON_ENTRY && iterator != null, "the cursor stands on no entry");
    return iterator;
  }

  /**
   * Copies the value. After a step backward the iterator may have to go back for it, and then find
   * its view outdated.
   */
  private void copyValue(VisibleIterator iterator, byte[] target, int offset) {
    try {
      iterator.copyValue(target, offset);
    } catch (OutdatedRunException e) {
      reposition(iterator);
      copyValue(onEntry(), target, offset);
    }
  }

  private ByteBuffer viewValue(VisibleIterator iterator) {
    try {
      return iterator.value();
    } catch (OutdatedRunException e) {
      reposition(iterator);
      return viewValue(onEntry());
    }
  }

  /** Moves to the same entry in the newest view. */
  private void reposition(VisibleIterator outdated) {
    byte[] key = keyOf(outdated);
    state.release();
    checkState(
        seek(key) && Arrays.equals(key, keyOf(onEntry())), "the entry of an open cursor is gone");
  }

  @Override
  public boolean isValid() {
    checkOpen();
    return position == Position.ON_ENTRY;
  }

  @Override
  public byte[] key() {
    return keyOf(onEntry());
  }

  @Override
  public byte[] value() {
    VisibleIterator iterator = onEntry();
    byte[] value = new byte[iterator.valueLength()];
    copyValue(iterator, value, 0);
    return value;
  }

  @Override
  public int valueLength() {
    return onEntry().valueLength();
  }

  @Override
  public int copyKey(ByteBuf target) {
    VisibleIterator iterator = onEntry();
    int length = iterator.keyLength();
    if (length <= target.maxWritableBytes()) {
      target.writeBytes(iterator.keyArray(), 0, length);
    }
    return length;
  }

  @Override
  public int copyValue(ByteBuf target) {
    VisibleIterator iterator = onEntry();
    int length = iterator.valueLength();
    if (length > target.maxWritableBytes()) {
      return length;
    }
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
    return length;
  }

  @Override
  public void close() {
    state.closedByUser = true;
    cleanable.clean();
  }

  /**
   * The resources that must be released; separate from the handle, so that the cleaner can release
   * it when the handle is unreachable.
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

    private void release() {
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
      release();
      snapshot.close();
      if (!closedByUser) {
        LOG.warn("a cursor was dropped without being closed");
      }
    }
  }
}
