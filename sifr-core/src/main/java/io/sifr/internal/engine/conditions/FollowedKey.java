package io.sifr.internal.engine.conditions;

import io.sifr.internal.state.DatabaseHandle;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/** A key and its value, from a first read up to the moment of a write. For one thread. */
final class FollowedKey implements AutoCloseable {
  private final byte[] key;
  private final LaterWrites later;
  private final boolean mayRead;
  private byte @Nullable [] value;

  private FollowedKey(byte[] key, LaterWrites later, boolean mayRead) {
    this.key = key;
    this.later = later;
    this.mayRead = mayRead;
  }

  /**
   * Reads the value and begins to follow it.
   *
   * @param mayRead as {@link LaterWrites#value}
   */
  static FollowedKey begin(
      CurrentValues values, DatabaseHandle database, byte[] key, boolean mayRead) {
    int ticket = values.enter();
    try {
      FollowedKey followed = new FollowedKey(key, values.follow(database, false), mayRead);
      try {
        followed.value = values.at(followed.later, key, ticket);
        return followed;
      } catch (RuntimeException | Error e) {
        followed.close();
        throw e;
      }
    } finally {
      values.exit(ticket);
    }
  }

  /** The value as far as it is known; null for none. */
  byte @Nullable [] value() {
    return value;
  }

  /** The value at this moment; called under the write lock. */
  byte @Nullable [] now() {
    value = later.value(key, value, mayRead);
    return value;
  }

  /** Whether the value is that of the first read at this moment; called under the write lock. */
  boolean hasStill(byte @Nullable [] first) {
    byte[] before = value;
    return now() == before || Arrays.equals(value, first);
  }

  @Override
  public void close() {
    later.close();
  }
}
