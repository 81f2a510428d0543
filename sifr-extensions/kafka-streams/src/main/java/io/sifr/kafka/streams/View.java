package io.sifr.kafka.streams;

import io.sifr.Database;
import io.sifr.kafka.streams.TransactionBuffer.Write;
import java.util.Collections;
import org.apache.kafka.streams.query.Position;
import org.jspecify.annotations.Nullable;

/**
 * The entries of a state store that a read sees: all that was written to it, or without the writes
 * of a transaction that is not committed yet. Safe for any thread.
 */
final class View {
  private final LocalState state;

  /** The buffer that is read beside the store, null for none. */
  private final @Nullable TransactionBuffer buffer;

  View(LocalState state, @Nullable TransactionBuffer buffer) {
    this.state = state;
    this.buffer = buffer;
  }

  /** The value of a key, null if there is none. */
  byte @Nullable [] get(Database database, byte[] key) {
    Write write = buffer == null ? null : buffer.find(database, key);
    return write == null ? database.get(key) : write.value();
  }

  /** A cursor over a range. */
  MergedCursor cursor(Database database, KeySpan span) {
    // In this order: what is committed in between is found twice, and not never.
    var written =
        buffer == null
            ? Collections.<byte[], Write>emptyNavigableMap()
            : buffer.copy(database, span);
    return new MergedCursor(database.cursor(span.range()), written);
  }

  /** About how many entries a database has; what was overwritten may count twice. */
  long estimatedSize(Database database) {
    return database.estimate(KeySpan.all().range()).entries()
        + (buffer == null ? 0 : buffer.size(database));
  }

  /** The largest time that was seen. */
  long streamTime() {
    return isCommitted() ? state.streamTime().committed() : state.streamTime().observed();
  }

  /** How far the store has got in each topic. */
  Position position() {
    return isCommitted() ? state.committedPosition() : state.position();
  }

  private boolean isCommitted() {
    return buffer == null && state.isTransactional();
  }
}
