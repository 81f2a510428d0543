package io.sifr.internal.view;

import io.sifr.internal.entry.range.DeadSpans;
import io.sifr.internal.memtable.Memtable;
import io.sifr.internal.value.HeldValueFiles;
import io.sifr.internal.value.ValueFiles;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/**
 * A memtable, the first log segment from which it can be rebuilt, the buffers of other databases
 * with which it has to be flushed, and what cursors have found to be deleted when it was full. All
 * this is set by the writer, under the write lock, and read by the flusher once the buffer is
 * immutable.
 */
public final class WriteBuffer {
  /** The buffer has no entry in the log. */
  public static final long NO_SEGMENT = Long.MAX_VALUE;

  private final Memtable memtable;
  private volatile long firstSegment = NO_SEGMENT;
  private volatile boolean holdsUnlogged;
  private volatile Set<WriteBuffer> companions = Set.of();
  private volatile DeadSpans deadSpans = DeadSpans.NONE;

  /** The value files that entries refer to; null when none does. */
  private volatile @Nullable HeldValueFiles valueFiles;

  private final AtomicLong valueBytes = new AtomicLong();

  /** See {@link #next}. Guarded by the write lock. */
  private @Nullable WriteBuffer next;

  /** Creates a buffer with an empty memtable. */
  public WriteBuffer(Memtable memtable) {
    this.memtable = memtable;
  }

  /** The entries. */
  public Memtable memtable() {
    return memtable;
  }

  /** The log segment that holds the oldest logged entry, or {@link #NO_SEGMENT}. */
  public long firstSegment() {
    return firstSegment;
  }

  /**
   * Records that an entry of the buffer is in that segment, or, with {@link #NO_SEGMENT}, in none.
   * Only the first segment is kept, as later ones have larger numbers.
   */
  public void loggedIn(long segment) {
    if (segment == NO_SEGMENT) {
      if (!holdsUnlogged) {
        holdsUnlogged = true;
      }
    } else if (firstSegment == NO_SEGMENT) {
      firstSegment = segment;
    }
  }

  /**
   * Holds a value file, because an entry is about to refer to it. Somebody else holds it during the
   * call.
   *
   * @param bytes of the value
   */
  public void refersTo(long file, long bytes, ValueFiles files) {
    HeldValueFiles held = valueFiles;
    if (held == null) {
      held = new HeldValueFiles(files);
      valueFiles = held;
    }
    held.add(file);
    valueBytes.addAndGet(bytes);
  }

  /**
   * The value files that entries refer to, held until the buffer is flushed; null: there are none.
   */
  public @Nullable HeldValueFiles valueFiles() {
    return valueFiles;
  }

  /** Bytes of the values that entries refer to. */
  public long valueBytes() {
    return valueBytes.get();
  }

  /** Whether some entry is only in the buffer, so that only a flush can preserve it. */
  public boolean holdsUnlogged() {
    return holdsUnlogged;
  }

  /**
   * Has buffers of several databases flushed in one step, because an unlogged batch is about to be
   * in all of them: what is flushed of it must be all of it. So are those with which one of them
   * had to be flushed before. All are active; they become immutable together.
   */
  public static void flushTogether(List<WriteBuffer> buffers) {
    if (buffers.get(0).companions.containsAll(buffers)) {
      return;
    }
    Set<WriteBuffer> all = new HashSet<>(buffers);
    buffers.forEach(buffer -> all.addAll(buffer.companions));
    Set<WriteBuffer> companions = Set.copyOf(all);
    companions.forEach(buffer -> buffer.companions = companions);
  }

  /** The buffers that are flushed in one step, this one among them; none if it is alone. */
  public Set<WriteBuffer> companions() {
    return companions;
  }

  /**
   * Nothing is written to it any more.
   *
   * @param found what cursors have found to be deleted by all writes so far
   */
  public void full(DeadSpans found) {
    deadSpans = found;
  }

  /** Spans that were deleted when nothing was written to it any more. */
  public DeadSpans deadSpans() {
    return deadSpans;
  }

  /**
   * The buffer that replaced it, if somebody {@linkplain StoreView.Holder#beginFollowing followed}
   * the database's writes then; null otherwise, and as long as it is the active one. Called under
   * the write lock.
   */
  public @Nullable WriteBuffer next() {
    return next;
  }

  /** Sets {@link #next}. */
  void replacedBy(WriteBuffer fresh) {
    next = fresh;
  }
}
