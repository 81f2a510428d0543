package io.sifr.kafka.streams;

import io.sifr.Database;
import io.sifr.WriteBatch;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/** Takes writes that happen together or not at all. */
interface Writes {
  /**
   * Takes one.
   *
   * @param value null deletes the key
   * @param expireAfter how long the value is there, by the clock of the store; null for ever
   */
  void put(Database database, byte[] key, byte @Nullable [] value, @Nullable Duration expireAfter);

  /** Takes one whose value does not expire. */
  default void put(Database database, byte[] key, byte @Nullable [] value) {
    put(database, key, value, null);
  }

  /** Adds to a batch. */
  static Writes into(WriteBatch batch) {
    return (database, key, value, expireAfter) -> {
      if (value == null) {
        batch.delete(database, key);
      } else {
        batch.put(database, key, value, expireAfter);
      }
    };
  }
}
