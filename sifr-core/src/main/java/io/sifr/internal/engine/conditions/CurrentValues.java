package io.sifr.internal.engine.conditions;

import io.sifr.config.SearchScheme;
import io.sifr.internal.entry.Lookup;
import io.sifr.internal.search.PointSearch;
import io.sifr.internal.state.DatabaseHandle;
import io.sifr.internal.view.ReadEpochs;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Reads what a conditional write depends on, each at a moment from which on the writes to its
 * database are followed. Thread-safe.
 */
public final class CurrentValues {
  private final ReadEpochs epochs;
  private final PointSearch search;
  private final LongSupplier visible;
  private final SearchScheme scheme;

  /**
   * @param visible gives the newest visible sequence number
   * @param scheme how values are searched
   */
  public CurrentValues(
      ReadEpochs epochs, PointSearch search, LongSupplier visible, SearchScheme scheme) {
    this.epochs = epochs;
    this.search = search;
    this.visible = visible;
    this.scheme = scheme;
  }

  /** Enters a read epoch; returns its ticket. */
  int enter() {
    return epochs.enter();
  }

  /** Leaves it. */
  void exit(int ticket) {
    epochs.exit(ticket);
  }

  /** Begins to follow a database; inside an epoch. */
  LaterWrites follow(DatabaseHandle database, boolean tracks) {
    database.checkReadable();
    return LaterWrites.after(database, tracks, visible);
  }

  /** The value of a key at the moment from which on writes are followed; inside an epoch. */
  byte @Nullable [] at(LaterWrites later, byte[] key, int ticket) {
    Lookup lookup = new Lookup(key, 0, key.length);
    try {
      lookup.lookFor(later.visible());
      return search.find(scheme, later.view(), lookup, ticket) && !lookup.isTombstone()
          ? lookup.copy()
          : null;
    } finally {
      lookup.release();
    }
  }
}
