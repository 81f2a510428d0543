package io.sifr;

import static com.google.common.base.Preconditions.checkArgument;

import com.google.errorprone.annotations.CanIgnoreReturnValue;
import io.sifr.error.IndexNotBuiltException;
import io.sifr.error.SifrException;
import io.sifr.internal.engine.index.IndexCursorHandle;
import io.sifr.internal.engine.index.Indexes;
import io.sifr.internal.engine.index.OpenIndex;
import io.sifr.internal.format.IndexEntryKey;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * An index of a {@link Database}: finds its entries by keys that an {@link
 * io.sifr.spi.IndexExtractor} says of them. A database declares it ({@link
 * io.sifr.config.DatabaseOptions.Builder#index}), and from then on the store keeps it: every write
 * of an entry, of whatever kind, and its part of the index happen together or not at all.
 *
 * <pre>{@code
 * Index byCity = Index.of(users, "byCity");
 * for (Entry user : byCity.get("Bern".getBytes(UTF_8))) {
 *   use(user.key(), user.value());
 * }
 * }</pre>
 *
 * <p>A write adds to the index what the new value says, and reads nothing; what the old value said
 * stays. So a read looks at each entry that the index names, and passes over those that say
 * something else by now; these are deleted from the index in the background, and by {@link #clean}.
 * A lookup costs about as much as a cursor and a get for each entry.
 *
 * <p>What the database holds when the index is declared, or gets by an {@linkplain Store#ingest
 * ingest} or a {@linkplain BulkLoader bulk load}, is indexed in the background. Until that is done
 * reads throw {@link IndexNotBuiltException}; {@link #awaitBuilt} waits for it.
 *
 * <p>Needs no closing. Safe for any number of threads.
 */
public final class Index {
  private final Database database;
  private final String name;

  private Index(Database database, String name) {
    this.database = database;
    this.name = name;
  }

  /**
   * The index of a database with that name.
   *
   * @throws IllegalArgumentException when there is none; the message lists those there are
   * @throws IllegalStateException when the store is closed or the database dropped
   */
  public static Index of(Database database, String name) {
    Index index =
        new Index(Arguments.notNull("database", database), Arguments.notNull("name", name));
    var unused = index.open();
    return index;
  }

  /**
   * The progress of the build of an index.
   *
   * @param isBuilt whether it can be read
   * @param indexed how many entries of the database were passed so far; of an index that has always
   *     been there, 0
   * @param failure why it cannot be built; null unless it was tried in vain. It is tried again when
   *     the store is opened, and by {@link Index#rebuild}
   */
  public record Progress(boolean isBuilt, long indexed, @Nullable SifrException failure) {}

  private Indexes all() {
    database.engine().checkOpen();
    database.handle().checkNotDropped();
    Indexes all = database.engine().indexes();
    if (all == null) {
      throw none(List.of());
    }
    return all;
  }

  private OpenIndex open() {
    List<OpenIndex> indexes = all().of(database.handle());
    for (OpenIndex index : indexes) {
      if (index.options().name().equals(name)) {
        return index;
      }
    }
    throw none(indexes);
  }

  private IllegalArgumentException none(List<OpenIndex> indexes) {
    return new IllegalArgumentException(
        "there is no index \""
            + name
            + "\" of "
            + database.name()
            + "; there are "
            + indexes.stream()
                .map(index -> index.options().name())
                .collect(Collectors.joining(", ", "[", "]")));
  }

  /** Its name. */
  public String name() {
    return name;
  }

  /** The database whose entries it finds. */
  public Database database() {
    return database;
  }

  /** The entries with an index key, as they are now. */
  public List<Entry> get(byte[] indexKey) {
    return get(indexKey, ReadOptions.DEFAULT);
  }

  /**
   * The entries with an index key, in the order of their keys; a unique index has at most one.
   *
   * @param indexKey 0 to 16384 bytes
   */
  public List<Entry> get(byte[] indexKey, ReadOptions options) {
    byte[] key = Arguments.notNull("indexKey", indexKey);
    checkArgument(
        key.length <= IndexEntryKey.MAX_INDEX_KEY_BYTES,
        "indexKey has %s bytes; allowed: 0 to %s",
        key.length,
        IndexEntryKey.MAX_INDEX_KEY_BYTES);
    List<Entry> found = new ArrayList<>();
    try (IndexCursor cursor = cursor(KeyRange.between(key, true, key, true), options)) {
      while (cursor.next()) {
        found.add(new Entry(cursor.key(), cursor.value()));
      }
    }
    return found;
  }

  /** A cursor over the entries with index keys of a range, as they are now. */
  public IndexCursor cursor(KeyRange range) {
    return cursor(range, ReadOptions.DEFAULT);
  }

  /**
   * A cursor over the entries with index keys of a range, with options.
   *
   * @throws IndexNotBuiltException when the index is not built, or younger than the snapshot
   */
  public IndexCursor cursor(KeyRange range, ReadOptions options) {
    KeyRange bounds = Arguments.notNull("range", range);
    long sequence = Arguments.notNull("options", options).sequence(database.engine());
    return new IndexCursor(all().cursor(open(), sequence, bounds.from(), bounds.to()));
  }

  /**
   * A cursor over the entries with index keys of a range, as a transaction sees them, its own
   * writes included. With {@link io.sifr.config.Isolation#SERIALIZABLE} the commit fails if anybody
   * has written an entry meanwhile that it has read, or would have read.
   *
   * @throws IndexNotBuiltException when the index is not built, or younger than the transaction
   */
  public IndexCursor cursor(Transaction transaction, KeyRange range) {
    KeyRange bounds = Arguments.notNull("range", range);
    IndexCursorHandle cursor =
        Arguments.notNull("transaction", transaction)
            .handle()
            .cursor(open(), bounds.from(), bounds.to());
    return new IndexCursor(cursor);
  }

  /** How far it is built. */
  public Progress progress() {
    OpenIndex index = open();
    return new Progress(index.isBuilt(), index.indexed(), index.failure());
  }

  /**
   * Waits until it is built.
   *
   * @param time for how long at most
   * @return whether it is built
   * @throws IndexNotBuiltException when it cannot be, with the reason as its cause: a {@link
   *     io.sifr.error.DuplicateIndexKeyException}, for example
   * @throws InterruptedException when the thread is interrupted
   */
  public boolean awaitBuilt(Duration time) throws InterruptedException {
    return all().awaitBuilt(open(), nanos(Arguments.notNull("time", time)));
  }

  /** At most some 292 years. */
  private static long nanos(Duration time) {
    return TimeUnit.NANOSECONDS.convert(time);
  }

  /**
   * Empties it, at once and durably, and builds it again in the background. For an index that could
   * not be built for a reason that is gone, whose files are damaged, or whose extractor was wrong.
   */
  public void rebuild() {
    all().rebuild(open());
  }

  /**
   * Deletes what does not count any more: reads all that the index has, and each entry that it
   * names. Reads do so in the background with what they meet, so this is only for parts that nobody
   * reads.
   *
   * @return how many of its entries were deleted
   */
  @CanIgnoreReturnValue
  public long clean() {
    return all().clean(open());
  }

  @Override
  public String toString() {
    return "Index[" + name + " of " + database.name() + "]";
  }
}
