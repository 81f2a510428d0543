package io.sifr.internal.resources;

import java.nio.file.Path;
import java.util.function.Consumer;

/**
 * One store's part in {@link SharedResources}. Closed when the store is, as the last thing of it.
 * Thread-safe.
 */
public final class StoreResources implements AutoCloseable {
  private final Path directory;
  private final StoreMemory memory;
  private final SharedThreads threads;
  private final SharedOpenFiles openFiles;
  private final SegmentAllowance segments;
  private final Consumer<StoreResources> leave;

  StoreResources(
      Path directory,
      StoreMemory memory,
      SharedThreads threads,
      SharedOpenFiles openFiles,
      SegmentAllowance segments,
      Consumer<StoreResources> leave) {
    this.directory = directory;
    this.memory = memory;
    this.threads = threads;
    this.openFiles = openFiles;
    this.segments = segments;
    this.leave = leave;
  }

  /** The store's directory. */
  public Path directory() {
    return directory;
  }

  /** Its part in the memory. */
  public StoreMemory memory() {
    return memory;
  }

  /** The threads, of all stores. */
  public SharedThreads threads() {
    return threads;
  }

  /** The open SSTs, of all stores. */
  public SharedOpenFiles openFiles() {
    return openFiles;
  }

  /** Which log segments may be kept for reuse, by all stores. */
  public SegmentAllowance segments() {
    return segments;
  }

  /** Leaves everything to the other stores. The memory is closed with the SSTs. */
  @Override
  public void close() {
    leave.accept(this);
  }
}
