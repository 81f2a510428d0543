package io.sifr.internal.engine.index;

import io.sifr.config.WriteOptions;
import io.sifr.error.SifrException;
import io.sifr.error.StoreFullException;
import io.sifr.internal.engine.read.EntryCursor;
import io.sifr.internal.engine.write.BatchBuffer;
import io.sifr.internal.engine.write.WritePath;
import io.sifr.internal.entry.EntryKind;
import io.sifr.internal.entry.ExpiringKind;
import io.sifr.internal.format.IndexEntryKey;
import io.sifr.internal.state.StoreState;
import io.sifr.internal.util.Bytes;
import io.sifr.internal.view.Snapshots;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Builds an index step by step. A step reads some entries of the database as they are now, and
 * writes their entries in the index together with how far it has come; so after a crash the build
 * goes on from there. What is written meanwhile adds its entries itself. For one thread at a time.
 */
final class IndexBuild {
  private static final Logger LOG = LoggerFactory.getLogger(IndexBuild.class);
  private static final int MOST_ENTRIES = 1000;
  private static final int MOST_BYTES = 1 << 20;

  /** After so long it is tried again if there was no space. */
  private static final long PAUSE_MILLIS = 1000;

  private final StoreState state;
  private final WritePath writes;
  private final IndexReads reads;
  private final UniqueCheck.Parts unique;
  private final IndexWork work;
  private final OpenIndex index;

  IndexBuild(
      StoreState state,
      WritePath writes,
      IndexReads reads,
      UniqueCheck.Parts unique,
      IndexWork work,
      OpenIndex index) {
    this.state = state;
    this.writes = writes;
    this.reads = reads;
    this.unique = unique;
    this.work = work;
    this.index = index;
  }

  /**
   * The progress of a build, as it is stored.
   *
   * @param isDone all is indexed
   * @param entries how many entries of the database were passed
   * @param last the key of the last one; null: none was
   */
  @SuppressWarnings("ArrayRecordComponent") // never compared as a record
  private record Progress(boolean isDone, long entries, byte @Nullable [] last) {
    private static final int HEAD_BYTES = 1 + Long.BYTES;

    static Progress decode(byte @Nullable [] stored) {
      if (stored == null || stored.length < HEAD_BYTES) {
        return new Progress(false, 0, null);
      }
      ByteBuffer in = ByteBuffer.wrap(stored);
      boolean isDone = in.get() == 1;
      long entries = in.getLong();
      return new Progress(isDone, entries, Arrays.copyOfRange(stored, HEAD_BYTES, stored.length));
    }

    byte[] encode() {
      byte[] key = last == null ? Bytes.EMPTY : last;
      return ByteBuffer.allocate(HEAD_BYTES + key.length)
          .put((byte) (isDone ? 1 : 0))
          .putLong(entries)
          .put(key)
          .array();
    }
  }

  /** What is built. */
  OpenIndex index() {
    return index;
  }

  private Progress progress() {
    byte[] stored =
        reads.gets().get(index.entries(), IndexEntryKey.ofState(), Long.MAX_VALUE, null);
    return Progress.decode(stored);
  }

  /** Finds out how far the index is built, when the store is opened. */
  void open() {
    try {
      Progress found = progress();
      index.passed(found.entries);
      if (found.isDone) {
        index.builtAt(0);
      }
    } catch (SifrException e) {
      LOG.warn("{} cannot be read: {}", index, e.getMessage());
      index.failed(e);
    }
  }

  /**
   * Goes on with it.
   *
   * @return whether there is more to be done
   */
  boolean goOn() {
    if (index.isBuilt()
        || index.entries().isDropped()
        || index.failure() != null
        || !index.isKnown()) {
      return false;
    }
    try {
      return step();
    } catch (UniqueCheck.Again e) {
      return true;
    } catch (StoreFullException e) {
      LOG.warn("{} is built when there is space: {}", index, e.getMessage());
      work.pause(PAUSE_MILLIS);
      return true;
    } catch (SifrException e) {
      LOG.warn("{} cannot be built: {}", index, e.getMessage());
      index.failed(e);
      return false;
    } catch (IllegalStateException e) {
      throw e; // the store is closed, or the database dropped
    } catch (RuntimeException | Error e) {
      LOG.error("{} cannot be built", index, e);
      index.failed(new SifrException(index + " cannot be built: " + e, e));
      return false;
    }
  }

  private boolean step() {
    Progress before = progress();
    boolean isUnique = index.options().isUnique();
    // Entries and the keys of others are looked at at one moment, and what is added to the index
    // after it is seen under the write lock.
    try (UniqueCheck check = unique.follow(isUnique ? List.of(index) : List.of());
        Snapshots.Handle now = reads.snapshot()) {
      // What the step does not see, or sees changed, must not come back in a crash.
      StaleEntries.secure(index.database(), writes);
      BatchBuffer batch = new BatchBuffer();
      WrittenKeys written = new WrittenKeys();
      Progress after = read(before, now.sequence(), batch, written);
      batch.add(index.entries(), EntryKind.PUT, IndexEntryKey.ofState(), after.encode());
      if (isUnique) {
        check.look(index, written, now.sequence());
      }
      var unused = writes.write(batch, check, WriteOptions.BUFFERED, null);
      state.counters().indexBuilt.add(after.entries - before.entries);
      index.passed(after.entries);
      if (after.isDone) {
        index.builtAt(state.writes().visible());
        LOG.debug("{} is built: {} entries were indexed", index, after.entries);
      }
      return !after.isDone;
    }
  }

  private Progress read(Progress from, long sequence, BatchBuffer batch, WrittenKeys written) {
    byte[] last = from.last;
    byte[] first = last == null ? null : Bytes.successor(last);
    long entries = from.entries;
    long bytes = 0;
    try (EntryCursor cursor = reads.cursor(index.database(), sequence, first, null)) {
      while (entries - from.entries < MOST_ENTRIES
          && bytes + batch.operations().length() < MOST_BYTES) {
        if (!cursor.next()) {
          return new Progress(true, entries, last);
        }
        last = cursor.key();
        byte[] value = cursor.value();
        boolean expires = cursor.due() != ExpiringKind.NEVER;
        index.addEntries(last, value, expires, batch);
        written.put(last, value);
        entries++;
        bytes += last.length + value.length;
      }
    }
    return new Progress(false, entries, last);
  }
}
