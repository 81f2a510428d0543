package io.sifr.internal.engine.changes;

import io.sifr.internal.entry.SeparatedKind;
import io.sifr.internal.forest.Catalog;
import io.sifr.internal.io.StoreFileSystem;
import io.sifr.internal.state.Lifecycle;
import io.sifr.internal.state.Setup;
import io.sifr.internal.state.StoreState;
import io.sifr.internal.wal.WalFormat.SyncedMark;
import io.sifr.internal.wal.WalSegmentReader;
import java.util.List;

/** The parts of an open store that a {@link ChangeReader} reads. Thread-safe. */
public class ChangeLog {
  private final StoreFileSystem fileSystem;
  private final Setup setup;
  private final StoreState state;
  private final Lifecycle lifecycle;

  public ChangeLog(Setup setup, StoreState state) {
    this.setup = setup;
    this.fileSystem = setup.fileSystem();
    this.state = state;
    this.lifecycle = state.lifecycle();
  }

  /** The same parts, some of which have others in their places. */
  protected ChangeLog(ChangeLog other) {
    this(other.setup, other.state);
  }

  /**
   * Throws when the store is closed.
   *
   * @throws IllegalStateException when it is
   */
  void checkOpen() {
    lifecycle.checkOpen();
  }

  /** The catalog as it is now: what is retained, and the names of the databases. */
  protected Catalog catalog() {
    return state.catalog().catalog();
  }

  /** The last sequence number that readers of the store see. */
  long visible() {
    return state.writes().visible();
  }

  /**
   * The segments that a recovery would need, oldest first. Who looks for a segment looks here
   * first, and then in the catalog: it is retained before it is released.
   */
  List<Long> needed() {
    return state.log().neededSegments();
  }

  /** The position in the log before which everything is durable. */
  SyncedMark synced() {
    return state.log().synced();
  }

  /**
   * Makes durable what was logged and is not durable yet.
   *
   * @return whether there was something
   */
  boolean syncRest() {
    return state.log().syncRest();
  }

  /** The kind of puts whose values are in value files. */
  SeparatedKind separated() {
    return setup.extensions().kinds().separated();
  }

  /**
   * Opens a segment.
   *
   * @throws io.sifr.error.SifrException when it cannot be read; it may have been released
   */
  protected WalSegmentReader open(long number) {
    return WalSegmentReader.open(fileSystem, setup.directory(), number);
  }

  @Override
  public String toString() {
    return setup.directory().toString();
  }
}
