package io.sifr.internal.engine.conditions;

import io.sifr.internal.entry.EntryKind;
import io.sifr.internal.entry.Lookup;
import io.sifr.internal.entry.Resolution;
import io.sifr.internal.entry.SeparatedKind;
import io.sifr.internal.entry.Trailer;
import io.sifr.internal.search.ChangeSearch;
import io.sifr.internal.state.DatabaseHandle;
import io.sifr.internal.util.Bytes;
import io.sifr.internal.view.StoreView;
import io.sifr.internal.view.WriteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Detects, under the write lock, whether keys that were read without it have been written since.
 * The check itself happens without the lock, and may read files; all that is later is in memory, in
 * the buffers from the one on that was active then, even if they were flushed in between. So who
 * holds the lock waits for no file, and no check has to be repeated however fast others write. Only
 * files that are ingested meanwhile are no part of any buffer, and large values are in files as
 * soon as they are written: then the check begins again, see {@link Outdated}.
 *
 * <p>The methods that look for later writes are called under the write lock. Not thread-safe.
 */
public final class LaterWrites implements AutoCloseable {
  private final DatabaseHandle database;
  private final StoreView view;

  /** The number that was visible once the view was loaded. */
  private final long visible;

  /** The number of ingests before the view was loaded. */
  private final int ingests;

  private LaterWrites(DatabaseHandle database, StoreView view, long visible, int ingests) {
    this.database = database;
    this.view = view;
    this.visible = visible;
    this.ingests = ingests;
  }

  /**
   * Begins to follow the writes to a database, for a check of it as it is now. The caller is inside
   * a read epoch.
   *
   * @param tracks whether {@link #changedIn} will be called
   * @param visible gives the newest visible sequence number
   */
  public static LaterWrites after(DatabaseHandle database, boolean tracks, LongSupplier visible) {
    database.view().beginFollowing();
    int ingests = database.ingests();
    StoreView view = database.view().get(); // before the number, see ReadPath
    if (tracks) {
      view.active().memtable().trackNewest();
    }
    return new LaterWrites(database, view, visible.getAsLong(), ingests);
  }

  /** What is to be checked. */
  public StoreView view() {
    return view;
  }

  /** The sequence number at which it is to be checked. */
  public long visible() {
    return visible;
  }

  /**
   * What counts as later in a buffer. All of a buffer that became active when the view was loaded
   * already: a write to it may have been visible before the number was read.
   */
  private long since(WriteBuffer buffer) {
    return buffer == view.active() ? visible : 0;
  }

  /** Files were ingested or values put into files after the check: it has to begin again. */
  public static final class Outdated extends RuntimeException {
    private static final long serialVersionUID = 1;

    private Outdated() {
      super("what was written later is in files", null, false, false);
    }
  }

  private void checkNotOutdated() {
    if (database.ingests() != ingests) {
      throw new Outdated();
    }
  }

  /** Whether a key was written or deleted. */
  public boolean changed(byte[] key) {
    checkNotOutdated();
    Lookup probe = new Lookup(key, 0, key.length);
    WriteBuffer buffer = view.active();
    while (buffer != null) {
      if (ChangeSearch.isIn(buffer.memtable(), probe, since(buffer))) {
        return true;
      }
      buffer = buffer.next();
    }
    return false;
  }

  /** A key of a range that was written or deleted; null when there is none. */
  public byte @Nullable [] changedIn(byte @Nullable [] from, byte @Nullable [] to) {
    checkNotOutdated();
    byte[] first = from == null ? Bytes.EMPTY : from;
    byte[] changed = null;
    WriteBuffer buffer = view.active();
    while (buffer != null && changed == null) {
      changed = buffer.memtable().changedIn(first, to, since(buffer));
      buffer = buffer.next();
    }
    return changed;
  }

  /**
   * The value of a key now; null when it has none.
   *
   * @param before its value when it was checked, which is returned if nothing was written
   * @param mayRead whether a value is read from a file if it is there, under the lock
   */
  byte @Nullable [] value(byte[] key, byte @Nullable [] before, boolean mayRead) {
    checkNotOutdated();
    if (view.active().next() == null && view.active().memtable().maxSequence() <= visible) {
      return before;
    }
    Lookup probe = new Lookup(key, 0, key.length);
    Resolution resolution = new Resolution(database.view().get().kinds(), key, 0, key.length);
    boolean isLater = false;
    for (WriteBuffer buffer : newestFirst()) {
      long since = since(buffer);
      long limit = Trailer.MAX_SEQUENCE;
      while (buffer.memtable().maxSequence() > since
          && buffer.memtable().get(key, 0, key.length, limit, probe)
          && probe.sequence() > since) {
        isLater = true;
        if (SeparatedKind.is(probe.trailer()) && !mayRead) {
          throw new Outdated();
        }
        if (!resolution.add(probe.trailer(), probe.copy())) {
          return resolution.value();
        }
        limit = probe.sequence() - 1;
      }
    }
    if (!isLater) {
      return before;
    }
    if (before != null) {
      var unused = resolution.add(Trailer.of(visible, EntryKind.PUT), before);
    }
    return resolution.value();
  }

  private List<WriteBuffer> newestFirst() {
    WriteBuffer buffer = view.active();
    if (buffer.next() == null) {
      return List.of(buffer);
    }
    List<WriteBuffer> buffers = new ArrayList<>();
    while (buffer != null) {
      buffers.add(0, buffer);
      buffer = buffer.next();
    }
    return buffers;
  }

  /** Ends following. */
  @Override
  public void close() {
    database.view().endFollowing();
  }
}
