package io.sifr.internal.engine.index;

import static com.google.common.base.Preconditions.checkState;

import io.sifr.internal.engine.read.EntryCursor;
import io.sifr.internal.format.IndexEntryKey;
import io.sifr.internal.util.Bytes;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/**
 * A cursor over the entries of a database in the order of an index. It passes over the index's own
 * entries that do not count any more. Not thread-safe.
 */
public final class IndexCursorHandle implements AutoCloseable {
  /** Gives the cursor the entries that the index names. */
  public interface Source {
    /** The value of a key of the database at the same moment; null when it has none. */
    byte @Nullable [] value(byte[] key);

    /** An entry of the index does not count. */
    void isStale(byte[] entry);

    /** There is nothing more to be read. */
    void close();
  }

  private final OpenIndex index;
  private final EntryCursor entries;
  private final Source source;
  private byte[] indexKey = Bytes.EMPTY;
  private byte[] key = Bytes.EMPTY;
  private byte @Nullable [] value;

  /**
   * @param entries a cursor over those of the index, closed with this one
   */
  public IndexCursorHandle(OpenIndex index, EntryCursor entries, Source source) {
    this.index = index;
    this.entries = entries;
    this.source = source;
  }

  /** Where a cursor over index keys begins; null: there is no bound. */
  public static byte[] from(byte @Nullable [] from) {
    return from == null ? IndexEntryKey.first() : IndexEntryKey.firstOf(from);
  }

  /** Where it ends. */
  public static byte @Nullable [] to(byte @Nullable [] to) {
    return to == null ? null : IndexEntryKey.firstOf(to);
  }

  /** Moves to the first entry. */
  public boolean first() {
    return forward(() -> entries.first());
  }

  /** Moves to the last entry. */
  public boolean last() {
    return backward(() -> entries.last());
  }

  /** Moves to the first entry with that index key, or a larger one. */
  public boolean seek(byte[] target) {
    return forward(() -> entries.seek(IndexEntryKey.firstOf(target)));
  }

  /** Moves to the last entry with a smaller index key. */
  public boolean seekBefore(byte[] target) {
    return backward(() -> entries.seekBefore(IndexEntryKey.firstOf(target)));
  }

  /** Moves to the next entry. */
  public boolean next() {
    return forward(() -> entries.next());
  }

  /** Moves to the previous entry. */
  public boolean previous() {
    return backward(() -> entries.previous());
  }

  private boolean forward(BooleanSupplier first) {
    return move(first, entries::next);
  }

  private boolean backward(BooleanSupplier first) {
    return move(first, entries::previous);
  }

  /** Moves to an entry that counts. */
  private boolean move(BooleanSupplier first, BooleanSupplier next) {
    value = null;
    try {
      boolean isFound = first.getAsBoolean();
      while (isFound && !counts()) {
        isFound = next.getAsBoolean();
      }
      return isFound;
    } catch (IllegalStateException e) {
      throw index.told(e);
    }
  }

  private boolean counts() {
    byte[] entry = entries.key();
    byte[] foundIndexKey = IndexEntryKey.indexKeyOf(entry);
    byte[] foundKey = IndexEntryKey.keyOf(entry);
    if (foundIndexKey == null || foundKey == null) {
      return false; // the state of the index
    }
    byte[] found = source.value(foundKey);
    if (found == null || !index.finds(foundIndexKey, foundKey, found)) {
      source.isStale(entry);
      return false;
    }
    indexKey = foundIndexKey;
    key = foundKey;
    value = found;
    return true;
  }

  /** Whether it stands on an entry. */
  public boolean isValid() {
    try {
      return entries.isValid() && value != null;
    } catch (IllegalStateException e) {
      throw index.told(e);
    }
  }

  private byte[] onEntry() {
    byte[] found = isValid() ? value : null;
    checkState(found != null, "the cursor stands on no entry");
    return found;
  }

  /** A copy of the index key. */
  public byte[] indexKey() {
    var unused = onEntry();
    return indexKey.clone();
  }

  /** A copy of the key of the entry. */
  public byte[] key() {
    var unused = onEntry();
    return key.clone();
  }

  /** A copy of its value. */
  public byte[] value() {
    return onEntry().clone();
  }

  @Override
  public void close() {
    entries.close();
    source.close();
  }
}
