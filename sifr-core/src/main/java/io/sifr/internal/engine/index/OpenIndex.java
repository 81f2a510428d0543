package io.sifr.internal.engine.index;

import io.sifr.config.IndexOptions;
import io.sifr.error.IndexExtractorException;
import io.sifr.error.IndexNotBuiltException;
import io.sifr.error.SifrException;
import io.sifr.internal.engine.write.BatchBuffer;
import io.sifr.internal.entry.EntryKind;
import io.sifr.internal.format.IndexEntryKey;
import io.sifr.internal.state.DatabaseHandle;
import io.sifr.internal.util.Bytes;
import io.sifr.internal.util.KeyText;
import io.sifr.spi.IndexExtractor;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * An index of an open store: what it is about, and how far it is built. Its entries are keys of a
 * database of its own. A write adds those of the new value, and reads nothing; those of the value
 * before stay. So an entry is a hint: it counts if what its key has says the same, which is looked
 * at at the same moment. Thread-safe.
 */
public final class OpenIndex {
  /** In place of the sequence number from which on the index has all entries. */
  private static final long NOT_BUILT = Long.MAX_VALUE;

  /** The value of an entry whose value expires; others have an empty one. */
  private static final byte[] EXPIRING = {1};

  private final IndexOptions options;
  private final DatabaseHandle database;
  private final DatabaseHandle entries;
  private final @Nullable IndexExtractor extractor;

  private volatile long builtAt = NOT_BUILT;
  private volatile long indexed;
  private volatile @Nullable SifrException failure;

  /**
   * @param entries the database with its entries
   * @param extractor null: it is not registered
   */
  OpenIndex(
      IndexOptions options,
      DatabaseHandle database,
      DatabaseHandle entries,
      @Nullable IndexExtractor extractor) {
    this.options = options;
    this.database = database;
    this.entries = entries;
    this.extractor = extractor;
  }

  /** How it was declared. */
  public IndexOptions options() {
    return options;
  }

  /** The database that it is of. */
  public DatabaseHandle database() {
    return database;
  }

  /** The database with its entries. */
  public DatabaseHandle entries() {
    return entries;
  }

  /** Whether it has all entries. */
  public boolean isBuilt() {
    return builtAt != NOT_BUILT;
  }

  /** How many entries of the database the build has passed so far. */
  public long indexed() {
    return indexed;
  }

  /** Why it cannot be built; null if nothing is known to be in the way. */
  public @Nullable SifrException failure() {
    return failure;
  }

  /** It has all entries that reads at that sequence number, or a later one, need. */
  void builtAt(long sequence) {
    failure = null;
    builtAt = sequence;
  }

  /** So many entries were passed. */
  void passed(long count) {
    indexed = count;
  }

  /** It cannot be built. */
  void failed(SifrException reason) {
    failure = reason;
  }

  /**
   * Checks that it may be read at a sequence number.
   *
   * @throws IndexNotBuiltException when it lacks entries
   * @throws IndexExtractorException when nobody can say whether entries count
   */
  public void checkReadable(long sequence) {
    var unused = known();
    if (sequence < builtAt) {
      SifrException reason = failure;
      throw new IndexNotBuiltException(
          this
              + (isBuilt()
                  ? " is younger than the snapshot"
                  : reason == null
                      ? " is being built: " + indexed + " entries are indexed"
                      : " cannot be built: " + reason.getMessage()),
          reason);
    }
  }

  /** What a reader is told that has failed because the index was emptied, or for another reason. */
  RuntimeException told(IllegalStateException failure) {
    return entries.isDropped() && !database.isDropped()
        ? new IndexNotBuiltException(this + " was emptied or dropped meanwhile", failure)
        : failure;
  }

  /** Whether its extractor is registered. */
  public boolean isKnown() {
    return extractor != null;
  }

  /**
   * Its extractor.
   *
   * @throws IndexExtractorException when it is not registered
   */
  IndexExtractor known() {
    IndexExtractor known = extractor;
    if (known == null) {
      throw new IndexExtractorException(
          "the index extractor \""
              + options.extractor()
              + "\" of "
              + this
              + " is not registered (Store.Builder.indexExtractor)",
          null);
    }
    return known;
  }

  /** The index keys of an entry. */
  Collection<byte[]> keysOf(byte[] key, byte[] value) {
    IndexExtractor known = known();
    List<byte[]> keys;
    try {
      Collection<byte[]> returned = known.indexKeys(key, value);
      keys = returned == null ? null : new ArrayList<>(returned); // which may be made only now
    } catch (RuntimeException | Error e) {
      throw failed(key, "throws " + e, e);
    }
    if (keys == null) {
      throw failed(key, "returns null", null);
    }
    for (byte[] each : keys) {
      if (each == null) {
        throw failed(key, "returns null among the keys", null);
      }
    }
    return keys;
  }

  /** Adds the entries of the index that find an entry to a batch that puts it. */
  void addEntries(byte[] key, byte[] value, boolean expires, BatchBuffer batch) {
    for (byte[] entry : entriesOf(key, value)) {
      batch.add(entries, EntryKind.PUT, entry, expires ? EXPIRING : Bytes.EMPTY);
    }
  }

  /** The entries of the index that find an entry. */
  public List<byte[]> entriesOf(byte[] key, byte[] value) {
    List<byte[]> found = new ArrayList<>();
    for (byte[] indexKey : keysOf(key, value)) {
      found.add(entry(indexKey, key));
    }
    return found;
  }

  /** The key of an entry of the index. */
  private byte[] entry(byte[] indexKey, byte[] key) {
    try {
      return IndexEntryKey.of(indexKey, key);
    } catch (IllegalArgumentException e) {
      throw failed(key, "says what cannot be indexed: " + e.getMessage(), e);
    }
  }

  /** Whether the index has to find an entry by a key. */
  boolean finds(byte[] indexKey, byte[] key, byte[] value) {
    for (byte[] each : keysOf(key, value)) {
      if (Arrays.equals(each, indexKey)) {
        return true;
      }
    }
    return false;
  }

  private IndexExtractorException failed(byte[] key, String how, @Nullable Throwable cause) {
    return new IndexExtractorException(
        "the index extractor \""
            + options.extractor()
            + "\" of "
            + this
            + " "
            + how
            + ", for the key "
            + KeyText.of(key),
        cause);
  }

  @Override
  public String toString() {
    return entries.toString();
  }
}
