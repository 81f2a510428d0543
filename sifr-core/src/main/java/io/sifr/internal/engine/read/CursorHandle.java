package io.sifr.internal.engine.read;

import static com.google.common.base.Preconditions.checkState;

import io.netty.buffer.ByteBuf;
import io.sifr.internal.entry.EntryLimits;
import io.sifr.internal.entry.OutdatedException;
import io.sifr.internal.entry.VisibleIterator;
import io.sifr.internal.forest.LogicalTree;
import io.sifr.internal.search.RangePlan;
import io.sifr.internal.search.RangeSearch;
import io.sifr.internal.state.Counters;
import io.sifr.internal.state.DatabaseHandle;
import io.sifr.internal.state.LatencyHistogram;
import io.sifr.internal.util.Bytes;
import io.sifr.internal.value.HeldValueFiles;
import io.sifr.internal.view.ReadEpochs;
import io.sifr.internal.view.Snapshots;
import io.sifr.internal.view.StoreView;
import io.sifr.internal.view.WriteBuffer;
import java.lang.ref.Reference;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The implementation of a cursor: an iterator over one view. When the iterator reaches an SST that
 * was deleted, or has crossed some borders between SSTs and its view is no longer the newest, it is
 * replaced by one over the newest view, positioned at the same key; the cursor's sequence number is
 * registered as a snapshot, so it sees the same entries there. A refresh drops the iterator and
 * registers the newest number; the next move opens another iterator.
 *
 * <p>However fast views change, a cursor makes progress: like a point read, a seek enters a read
 * epoch before it loads its view, so it finds every SST of it.
 *
 * <p>One that nobody can reach is closed by another thread. So each method keeps it reachable until
 * it has ended, even if its caller has no further use for it.
 *
 * <p>Not thread-safe.
 */
public final class CursorHandle implements EntryCursor {
  private static final Logger LOG = LoggerFactory.getLogger(CursorHandle.class);

  /**
   * Longer values are copied into a buffer without an array through a view, which allocates an
   * object.
   */
  private static final int MAX_SCRATCH = 64 << 10;

  /**
   * The parts of a store that all its cursors use.
   *
   * @param snapshots with which the sequence number of a cursor is registered until it is closed
   * @param epochs for the duration of a seek
   * @param times measures seeks
   * @param losesEntries trees may be dropped although a cursor sees what is in them, else its
   *     snapshot keeps that
   */
  public record Environment(
      Snapshots snapshots, ReadEpochs epochs, Counters.Reading.Reads times, boolean losesEntries) {}

  private enum Position {
    BEFORE_FIRST,
    ON_ENTRY,
    AFTER_LAST,
    NEW
  }

  private final DatabaseHandle database;
  private final Environment environment;
  private final RangePlan plan;
  private final byte @Nullable [] from;
  private final byte @Nullable [] to;
  private final boolean isAtSnapshot;
  private final State state;

  /** Scratch array for values that are copied into a buffer without an array. */
  private byte[] scratch = Bytes.EMPTY;

  /**
   * A cursor before its first move.
   *
   * @param sequence a number that is registered with the snapshots; {@link ReadPath#NOW}: the
   *     newest one
   */
  public CursorHandle(
      DatabaseHandle database,
      Environment environment,
      long sequence,
      RangePlan plan,
      byte @Nullable [] from,
      byte @Nullable [] to) {
    this.database = database;
    this.environment = environment;
    this.plan = plan;
    this.from = from;
    this.to = to;
    this.isAtSnapshot = sequence != ReadPath.NOW;
    this.state = new State(environment.snapshots(), this, database);
    if (isAtSnapshot) {
      state.acquireAt(sequence);
    } else {
      state.acquire();
    }
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
    if (state.position != Position.ON_ENTRY || iterator == null) {
      checkOpen();
      return state.position != Position.AFTER_LAST && first();
    }
    checkOpen();
    try {
      return arrive(iterator.next(), Position.AFTER_LAST);
    } catch (OutdatedException e) {
      byte[] left = keyOf(iterator);
      state.release();
      return move(at -> seekAfter(at, left), Position.AFTER_LAST);
    } finally {
      Reference.reachabilityFence(this);
    }
  }

  @Override
  public boolean previous() {
    VisibleIterator iterator = state.iterator;
    if (state.position != Position.ON_ENTRY || iterator == null) {
      checkOpen();
      return state.position != Position.BEFORE_FIRST && last();
    }
    checkOpen();
    try {
      return arrive(iterator.previous(), Position.BEFORE_FIRST);
    } catch (OutdatedException e) {
      byte[] left = keyOf(iterator);
      state.release();
      return move(at -> at.seekBefore(left, 0, left.length), Position.BEFORE_FIRST);
    } finally {
      Reference.reachabilityFence(this);
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
    state.position = Position.NEW; // until it arrives, it may have no position
    while (true) {
      // In each round: the SSTs of a closed store or a dropped database are gone for good.
      checkOpen();
      long start = LatencyHistogram.begin();
      int ticket = environment.epochs().enter();
      try {
        return arrive(seek.on(iteratorOverNewestView()), otherwise);
      } catch (OutdatedException e) {
        state.release();
      } finally {
        environment.epochs().exit(ticket);
        countSeek(start);
        Reference.reachabilityFence(this);
      }
    }
  }

  /** Counts a seek, if it was drawn. */
  private void countSeek(long start) {
    StoreView view = state.view;
    if (view != null && start != 0) {
      environment.times().ended(start);
      byte[] begin = from == null ? Bytes.EMPTY : from;
      int trees = 0;
      for (LogicalTree tree : view.forest().byPriority()) {
        trees += tree.holdsBetween(begin, to) ? 1 : 0;
      }
      VisibleIterator iterator = state.iterator;
      if (state.position == Position.ON_ENTRY && iterator != null) {
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
    state.borders = 0;
    State its = state; // the iterator must not refer to this cursor, or it is never unreachable
    VisibleIterator opened =
        RangeSearch.open(
            newest,
            state.sequence(),
            from,
            to,
            plan,
            database.learnedSpans(),
            () -> its.isToBeRenewed(newest));
    boolean isFiltered = newest.forest().options().compactionFilter() != null;
    if (environment.losesEntries() || isFiltered) {
      opened.saveAllValues();
    }
    state.iterator = opened;
    state.view = newest;
    state.hold(newest);
    return opened;
  }

  private boolean arrive(boolean found, Position otherwise) {
    state.position = found ? Position.ON_ENTRY : otherwise;
    return found;
  }

  private void checkOpen() {
    checkState(!state.closed, "the cursor is closed");
    database.checkReadable();
  }

  private VisibleIterator onEntry() {
    checkOpen();
    VisibleIterator iterator = state.iterator;
    checkState(
        state.position == Position.ON_ENTRY && iterator != null, "the cursor stands on no entry");
    return iterator;
  }

  /**
   * Copies the value. After a step backward the iterator may have to go back for it, and then find
   * its view outdated.
   */
  private void copyValue(VisibleIterator iterator, byte[] target, int offset) {
    try {
      iterator.copyValue(target, offset);
    } catch (OutdatedException e) {
      reposition(iterator);
      copyValue(onEntry(), target, offset);
    }
  }

  private ByteBuffer viewValue(VisibleIterator iterator) {
    try {
      return iterator.value();
    } catch (OutdatedException e) {
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
    return state.position == Position.ON_ENTRY;
  }

  @Override
  public byte[] key() {
    try {
      return keyOf(onEntry());
    } finally {
      Reference.reachabilityFence(this);
    }
  }

  @Override
  public byte[] value() {
    try {
      VisibleIterator iterator = onEntry();
      byte[] value = new byte[iterator.valueLength()];
      copyValue(iterator, value, 0);
      return value;
    } finally {
      Reference.reachabilityFence(this);
    }
  }

  @Override
  public int valueLength() {
    try {
      return onEntry().valueLength();
    } finally {
      Reference.reachabilityFence(this);
    }
  }

  @Override
  public long due() {
    try {
      return onEntry().due();
    } finally {
      Reference.reachabilityFence(this);
    }
  }

  @Override
  public int copyKey(ByteBuf target) {
    try {
      VisibleIterator iterator = onEntry();
      int length = iterator.keyLength();
      if (length <= target.maxWritableBytes()) {
        target.writeBytes(iterator.keyArray(), 0, length);
      }
      return length;
    } finally {
      Reference.reachabilityFence(this);
    }
  }

  @Override
  public int copyValue(ByteBuf target) {
    try {
      return append(onEntry(), target);
    } finally {
      Reference.reachabilityFence(this);
    }
  }

  private int append(VisibleIterator iterator, ByteBuf target) {
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
  public void refresh() {
    checkOpen();
    checkState(!isAtSnapshot, "the cursor reads at a snapshot, which stays as it is");
    try {
      state.refresh();
    } finally {
      Reference.reachabilityFence(this);
    }
  }

  @Override
  public void close() {
    state.close();
  }

  /**
   * All that must be released, and that it refers to; separate from the handle, so that it can be
   * released when the handle is unreachable.
   */
  private static final class State extends Snapshots.Registration {
    private final DatabaseHandle database;
    private @Nullable VisibleIterator iterator;
    private @Nullable StoreView view;
    private final List<HeldValueFiles> held = new ArrayList<>();
    private Position position = Position.NEW;
    private volatile boolean closed;

    /** Borders between SSTs crossed since the view was last renewed. */
    private int borders;

    private State(Snapshots snapshots, CursorHandle cursor, DatabaseHandle database) {
      super(snapshots, cursor);
      this.database = database;
    }

    /**
     * Called at every border between two SSTs. A move that has not arrived yet counts the border,
     * but does not begin again because of it. A seek in the newest view reads about as much as
     * crossing a border in each tree: done less often than that, it at most doubles the cost of an
     * iteration while the views keep changing.
     */
    private boolean isToBeRenewed(StoreView current) {
      borders++;
      return position == Position.ON_ENTRY
          && borders > current.forest().byPriority().size()
          && !current.equals(database.view().get());
    }

    /** Keeps the values of entries in memory, as the SSTs where the iterator stands keep theirs. */
    private void hold(StoreView newest) {
      hold(newest.active());
      newest.immutables().forEach(this::hold);
    }

    private void hold(WriteBuffer buffer) {
      HeldValueFiles values = buffer.valueFiles();
      if (values != null) {
        held.add(values.copy());
      }
    }

    /** The view is released first: what it needs may go as soon as the number changes. */
    private void refresh() {
      position = Position.NEW;
      release();
      renew();
    }

    private void release() {
      VisibleIterator current = iterator;
      iterator = null;
      view = null;
      held.forEach(HeldValueFiles::close);
      held.clear();
      if (current != null) {
        current.close();
      }
    }

    @Override
    protected void release(boolean isLost) {
      closed = true;
      release();
      if (isLost) {
        LOG.warn("a cursor was dropped without being closed");
      }
    }
  }
}
