package io.sifr.internal.transaction;

import com.google.common.collect.Range;
import io.netty.buffer.ByteBuf;
import io.sifr.internal.engine.read.EntryCursor;
import io.sifr.internal.entry.EntryLimits;
import io.sifr.internal.entry.ExpiringKind;
import io.sifr.internal.transaction.WriteSet.Write;
import io.sifr.internal.util.Bytes;
import io.sifr.internal.util.Key;
import java.util.Arrays;
import java.util.Map;
import java.util.NavigableMap;
import org.jspecify.annotations.Nullable;

/**
 * A cursor over a snapshot with the writes of a transaction on top. It finds its way by its key
 * alone, so the transaction may write between two moves; a move sees all that was written before
 * it. Not thread-safe.
 */
final class TransactionCursor implements EntryCursor {
  private enum Position {
    BEFORE_FIRST,
    ON_ENTRY,
    AFTER_LAST,
    NEW
  }

  /** Receives what a cursor reads. */
  interface Reads {
    /** All keys from one to another were read; null for no bound. */
    void range(byte @Nullable [] from, byte @Nullable [] to);
  }

  private final EntryCursor stored;
  private final WriteSet written;
  private final NavigableMap<byte[], Write> own;
  private final byte @Nullable [] from;
  private final byte @Nullable [] to;
  private final Reads reads;
  private final Runnable checkOpen;

  private Position position = Position.NEW;
  private byte[] at = Bytes.EMPTY;

  /**
   * The value if the transaction wrote it; null: the stored entry is that at which the cursor is.
   */
  private byte @Nullable [] ownValue;

  /** True if the stored cursor is at or after the cursor's key, and not at or before it. */
  private boolean isAhead;

  /**
   * @param stored over the same range of the snapshot; closed with this one
   * @param from the first key of the range; null: the first of all
   * @param to the key after its last one; null: there is none
   * @param reads notified after each move
   * @param checkOpen throws when the transaction has ended
   */
  TransactionCursor(
      EntryCursor stored,
      WriteSet written,
      byte @Nullable [] from,
      byte @Nullable [] to,
      Reads reads,
      Runnable checkOpen) {
    this.stored = stored;
    this.written = written;
    this.own = written.between(from, to);
    this.from = from;
    this.to = to;
    this.reads = reads;
    this.checkOpen = checkOpen;
  }

  @Override
  public boolean first() {
    checkOpen.run();
    return arriveForward(from, stored.first(), own.firstEntry());
  }

  @Override
  public boolean last() {
    checkOpen.run();
    return arriveBackward(to, stored.last(), own.lastEntry());
  }

  @Override
  public boolean seek(byte[] target) {
    checkOpen.run();
    EntryLimits.checkKey(target);
    byte[] key = target.clone();
    byte[] begin = from != null && Arrays.compareUnsigned(key, from) < 0 ? from : key;
    return arriveForward(begin, stored.seek(key), own.ceilingEntry(key));
  }

  @Override
  public boolean seekBefore(byte[] target) {
    checkOpen.run();
    EntryLimits.checkKey(target);
    byte[] key = target.clone();
    byte[] end = to != null && Arrays.compareUnsigned(key, to) > 0 ? to : key;
    return arriveBackward(end, stored.seekBefore(key), own.lowerEntry(key));
  }

  @Override
  public boolean next() {
    checkOpen.run();
    if (position != Position.ON_ENTRY) {
      return position != Position.AFTER_LAST && first();
    }
    boolean live = isAhead ? stored.isValid() : stored.seek(at);
    if (live && Arrays.equals(stored.key(), at)) {
      live = stored.next();
    }
    return arriveForward(at, live, own.higherEntry(at));
  }

  @Override
  public boolean previous() {
    checkOpen.run();
    if (position != Position.ON_ENTRY) {
      return position != Position.BEFORE_FIRST && last();
    }
    boolean live = isAhead ? stored.seekBefore(at) : stored.isValid();
    if (live && Arrays.equals(stored.key(), at)) {
      live = stored.previous();
    }
    return arriveBackward(at, live, own.lowerEntry(at));
  }

  /**
   * Moves from the first stored entry and the first own one to the first of both that counts.
   *
   * @param begin where the move began
   */
  private boolean arriveForward(
      byte @Nullable [] begin, boolean storedLive, Map.@Nullable Entry<byte[], Write> firstOwn) {
    isAhead = true;
    boolean live = storedLive;
    Map.Entry<byte[], Write> mine = firstOwn;
    while (live || mine != null) {
      byte[] key = live ? stored.key() : null;
      Range<Key> gone = key == null ? null : written.deletedAround(key);
      if (gone != null) {
        live = gone.hasUpperBound() && stored.seek(gone.upperEndpoint().bytes());
        continue;
      }
      int order = mine == null ? -1 : key == null ? 1 : Arrays.compareUnsigned(key, mine.getKey());
      if (key != null && order < 0) {
        return arrive(key, null, begin, Bytes.successor(key));
      }
      if (mine == null) {
        break;
      }
      byte[] value = mine.getValue().value();
      if (value != null) {
        return arrive(mine.getKey(), value, begin, Bytes.successor(mine.getKey()));
      }
      if (order == 0) {
        live = stored.next();
      }
      mine = own.higherEntry(mine.getKey());
    }
    position = Position.AFTER_LAST;
    reads.range(begin, to);
    return false;
  }

  /** The same backwards, for what lies before the end of the move. */
  private boolean arriveBackward(
      byte @Nullable [] end, boolean storedLive, Map.@Nullable Entry<byte[], Write> lastOwn) {
    isAhead = false;
    boolean live = storedLive;
    Map.Entry<byte[], Write> mine = lastOwn;
    while (live || mine != null) {
      byte[] key = live ? stored.key() : null;
      Range<Key> gone = key == null ? null : written.deletedAround(key);
      if (gone != null) {
        live = stored.seekBefore(gone.lowerEndpoint().bytes());
        continue;
      }
      int order = mine == null ? 1 : key == null ? -1 : Arrays.compareUnsigned(key, mine.getKey());
      if (key != null && order > 0) {
        return arrive(key, null, key, end);
      }
      if (mine == null) {
        break;
      }
      byte[] value = mine.getValue().value();
      if (value != null) {
        return arrive(mine.getKey(), value, mine.getKey(), end);
      }
      if (order == 0) {
        live = stored.previous();
      }
      mine = own.lowerEntry(mine.getKey());
    }
    position = Position.BEFORE_FIRST;
    reads.range(from, end);
    return false;
  }

  private boolean arrive(
      byte[] key, byte @Nullable [] value, byte @Nullable [] readFrom, byte @Nullable [] readTo) {
    position = Position.ON_ENTRY;
    at = key;
    ownValue = value;
    reads.range(readFrom, readTo);
    return true;
  }

  private void checkOnEntry() {
    checkOpen.run();
    if (position != Position.ON_ENTRY) {
      throw new IllegalStateException("the cursor stands on no entry");
    }
  }

  @Override
  public boolean isValid() {
    checkOpen.run();
    return position == Position.ON_ENTRY;
  }

  @Override
  public byte[] key() {
    checkOnEntry();
    return at.clone();
  }

  @Override
  public byte[] value() {
    checkOnEntry();
    byte[] value = ownValue;
    return value == null ? stored.value() : value.clone();
  }

  @Override
  public int valueLength() {
    checkOnEntry();
    byte[] value = ownValue;
    return value == null ? stored.valueLength() : value.length;
  }

  /** {@inheritDoc} That of an own value counts from the commit on. */
  @Override
  public long due() {
    checkOnEntry();
    return ownValue == null ? stored.due() : ExpiringKind.NEVER;
  }

  @Override
  public int copyKey(ByteBuf target) {
    checkOnEntry();
    return append(at, target);
  }

  @Override
  public int copyValue(ByteBuf target) {
    checkOnEntry();
    byte[] value = ownValue;
    return value == null ? stored.copyValue(target) : append(value, target);
  }

  private static int append(byte[] bytes, ByteBuf target) {
    if (bytes.length <= target.maxWritableBytes()) {
      target.writeBytes(bytes);
    }
    return bytes.length;
  }

  @Override
  public void refresh() {
    checkOpen.run();
    throw new IllegalStateException(
        "the cursor reads at the snapshot of its transaction, which stays as it is");
  }

  @Override
  public void close() {
    stored.close();
  }
}
