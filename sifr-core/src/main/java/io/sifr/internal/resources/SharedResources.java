package io.sifr.internal.resources;

import io.sifr.config.StoreOptions;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;

/**
 * The resources that stores of one process share: memory, threads, open files, disk space for log
 * segments. It ends when it is closed and the last of the stores has left it, in any order.
 * Thread-safe.
 */
public final class SharedResources implements AutoCloseable {
  /** Log segments that are kept for reuse, if they have the size of the options. */
  private static final int SEGMENTS = 4;

  private final SharedMemory memory;
  private final SharedThreads threads;
  private final SharedOpenFiles openFiles;
  private final SegmentAllowance segments;

  // Both guarded by this.
  private final Set<StoreResources> stores = new LinkedHashSet<>();
  private boolean closed;

  /** As much of everything as the options say. */
  public SharedResources(StoreOptions options) {
    this.memory = SharedMemory.of(options);
    this.threads = new SharedThreads(options);
    this.openFiles = SharedOpenFiles.of(options);
    this.segments = new SegmentAllowance((long) SEGMENTS * options.logSegmentBytes());
  }

  /**
   * Throws when it is closed.
   *
   * @throws IllegalStateException when it is closed
   */
  public synchronized void checkOpen() {
    if (closed) {
      throw new IllegalStateException("the resources for this store are closed");
    }
  }

  /**
   * Takes in a store, until its part is closed.
   *
   * @param directory the store's directory
   * @throws IllegalStateException when this is closed
   */
  public synchronized StoreResources join(Path directory) {
    checkOpen();
    StoreResources store =
        new StoreResources(directory, memory.join(), threads, openFiles, segments, this::left);
    stores.add(store);
    return store;
  }

  private void left(StoreResources store) {
    synchronized (this) {
      stores.remove(store);
    }
    endIfUnused();
  }

  /** The stores that take part, those first that joined first. */
  public synchronized List<StoreResources> stores() {
    return new ArrayList<>(stores);
  }

  /** What the stores share of memory. */
  public SharedMemory memory() {
    return memory;
  }

  /** Which log segments they keep for reuse. */
  public SegmentAllowance segments() {
    return segments;
  }

  /** Takes in no more stores. */
  @Override
  public void close() {
    synchronized (this) {
      closed = true;
    }
    endIfUnused();
  }

  private void endIfUnused() {
    boolean isUnused;
    synchronized (this) {
      isUnused = closed && stores.isEmpty();
    }
    if (isUnused) {
      threads.close();
    }
  }
}
