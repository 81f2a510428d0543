package io.sifr.internal.engine.write;

import io.sifr.error.StallTimeoutException;
import io.sifr.event.StoreListener;
import io.sifr.internal.state.Counters;
import io.sifr.internal.state.DatabaseHandle;
import jdk.jfr.Category;
import jdk.jfr.Event;
import jdk.jfr.Label;
import jdk.jfr.Name;

/** Counts the pauses of writers, and reports them. Thread-safe. */
final class Stalls {
  /** Shows in a flight recording that a writer was held back; committed at the end of the pause. */
  @Name("io.sifr.Stall")
  @Label("Stall")
  @Category("Sifr")
  static final class JfrEvent extends Event {
    @Label("Database")
    String database = "";

    @Label("Nanoseconds held back")
    long nanos;
  }

  private final Counters counters;
  private final StoreListener listener;

  Stalls(Counters counters, StoreListener listener) {
    this.counters = counters;
    this.listener = listener;
  }

  /** A pause has ended. The caller holds no lock: the listener may take its time. */
  void ended(DatabaseHandle database, long nanos) {
    counters.stalls.increment();
    counters.stallNanos.add(nanos);
    JfrEvent event = new JfrEvent();
    if (event.isEnabled()) {
      event.database = database.toString();
      event.nanos = nanos;
      event.commit();
    }
    listener.stalled(new StoreListener.StallEvent(database.toString(), nanos));
  }

  /**
   * What refuses a write that may not be held back for so long.
   *
   * @param awaited what it would have had to wait for, of the database
   */
  StallTimeoutException refused(StallLimit limit, DatabaseHandle database, String awaited) {
    counters.refused.increment();
    return limit.exceeded(database, awaited);
  }
}
