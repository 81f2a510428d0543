package io.sifr;

import com.google.errorprone.annotations.CanIgnoreReturnValue;
import io.sifr.internal.engine.StoreEngine;
import io.sifr.internal.engine.load.BulkLoad;
import io.sifr.internal.engine.load.LoadSettings;
import io.sifr.internal.state.DatabaseHandle;
import java.nio.file.Path;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Loads many entries into a database, in any order: faster than puts, and without writing any of
 * them more than twice.
 *
 * <pre>{@code
 * try (BulkLoader loader = database.bulkLoader().open()) {
 *   loader.put(key, value); // any number of times
 *   loader.finish();
 * }
 * }</pre>
 *
 * <p>Entries are sorted in memory. What does not fit there is written as sorted runs; {@link
 * #finish} merges these and what is in memory into SSTs, and adds them to the database as {@link
 * Store#ingest} does: all at once, with the place in the order of writes of the ingest. Of several
 * entries of a key the last one counts. Until then nothing is visible or durable, and a loader that
 * is closed, or a process that ends, leaves nothing in the database.
 *
 * <p>Space: while the runs are merged, they and the SSTs need as much as the data twice; if all
 * fits into memory, once. The log is not written. The database can be read and written meanwhile,
 * and other loaders may work beside it. To be closed before the store. For one thread at a time.
 */
public final class BulkLoader implements AutoCloseable {
  private static final int ENTRIES_TOLD = 1 << 14;

  private final BulkLoad load;
  private final @Nullable Consumer<Progress> listener;
  private long written;

  private BulkLoader(BulkLoad load, @Nullable Consumer<Progress> listener) {
    this.load = load;
    this.listener = listener;
  }

  /**
   * The progress of a load.
   *
   * @param added entries that were added
   * @param written entries that {@link #finish} has written so far
   */
  public record Progress(long added, long written) {}

  /**
   * Sets the value of a key.
   *
   * @param key 0 to 65536 bytes
   * @param value 0 to 536870912 bytes
   * @throws IllegalArgumentException when key or value are null or too long; the load can go on
   * @throws IllegalStateException when the load was finished or closed, or has failed, or the store
   *     was closed
   * @throws io.sifr.error.SifrException when a run cannot be written; the load can only be closed
   *     then
   */
  public void put(byte[] key, byte[] value) {
    load.put(key, value);
    added();
  }

  /**
   * Removes a key, whether the load has set it before, or the database has it.
   *
   * @param key as for {@link #put}
   */
  public void delete(byte[] key) {
    load.delete(key);
    added();
  }

  private void added() {
    if (load.entries() % ENTRIES_TOLD == 0) {
      tell();
    }
  }

  private void tell() {
    if (listener != null) {
      listener.accept(new Progress(load.entries(), written));
    }
  }

  /**
   * Adds everything to the database, durably. Nothing can be added afterwards.
   *
   * @return the number of entries that the database got, those of deleted keys included
   * @throws io.sifr.error.SifrException when something cannot be written; nothing is in the
   *     database then, and the load can only be closed
   */
  @CanIgnoreReturnValue
  public long finish() {
    return load.finish(
        entries -> {
          written += entries;
          tell();
        });
  }

  /** Ends the load, and deletes what it has written unless it was finished. */
  @Override
  public void close() {
    load.close();
  }

  /** Settings of a load. Not thread-safe. */
  public static final class Builder {
    private static final long LEAST_MEMORY = 1 << 16;
    private static final long MOST_BY_DEFAULT = 256 << 20;
    private static final int HEAP_SHARE = 8;
    private static final int MOST_THREADS = 256;

    private final StoreEngine engine;
    private final DatabaseHandle database;
    private long memoryBytes =
        Math.min(MOST_BY_DEFAULT, Runtime.getRuntime().maxMemory() / HEAP_SHARE);
    private int threads = Math.max(1, Runtime.getRuntime().availableProcessors());
    private @Nullable Path temporaryDirectory;
    private @Nullable Consumer<Progress> progress;

    Builder(StoreEngine engine, DatabaseHandle database) {
      this.engine = engine;
      this.database = database;
    }

    /**
     * Sets how much of the heap entries may take, beside the memory of the store: the more, the
     * fewer runs. Default: an eighth of the largest heap, at most 256 MiB.
     *
     * @param bytes at least 64 KiB
     */
    @CanIgnoreReturnValue
    public Builder memoryBytes(long bytes) {
      if (bytes < LEAST_MEMORY) {
        throw new IllegalArgumentException(
            "memoryBytes is " + bytes + "; allowed: " + LEAST_MEMORY + " and above");
      }
      memoryBytes = bytes;
      return this;
    }

    /**
     * Sets how many threads write runs and merge, beside the one that adds; default: as many as
     * there are processors.
     *
     * @param count 1 to 256
     */
    @CanIgnoreReturnValue
    public Builder threads(int count) {
      if (count < 1 || count > MOST_THREADS) {
        throw new IllegalArgumentException(
            "threads is " + count + "; allowed: 1 to " + MOST_THREADS);
      }
      threads = count;
      return this;
    }

    /**
     * Sets where sorted runs are written, in a directory that is deleted at the end; a crash leaves
     * it. Default: in the directory of the store, where the next opening deletes what a crash has
     * left.
     */
    @CanIgnoreReturnValue
    public Builder temporaryDirectory(Path directory) {
      temporaryDirectory = Arguments.path("directory", directory);
      return this;
    }

    /**
     * Sets the listener to the progress, notified after some ten thousand entries each time. It is
     * called by the thread that adds, and during {@link BulkLoader#finish} by threads of the load,
     * one after the other; it should be quick.
     */
    @CanIgnoreReturnValue
    public Builder progress(Consumer<Progress> listener) {
      progress = Arguments.notNull("listener", listener);
      return this;
    }

    /**
     * Begins to load.
     *
     * @throws IllegalStateException when the store is closed or the database dropped
     */
    public BulkLoader open() {
      return new BulkLoader(
          engine.load(database, new LoadSettings(memoryBytes, threads, temporaryDirectory)),
          progress);
    }
  }
}
