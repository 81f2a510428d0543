package io.sifr.model;

import java.util.IdentityHashMap;
import java.util.NavigableMap;
import org.jspecify.annotations.Nullable;

/** Which values of a model are there for some time only, and what their keys have afterwards. */
final class Lifetimes {
  /** Values are told apart by identity, since equal bytes may be due at different times. */
  private final IdentityHashMap<byte[], Life> lives = new IdentityHashMap<>();

  /**
   * Until when a value is there.
   *
   * @param due the time from which on it is not
   * @param then the value that its key has from then on; null: none
   */
  @SuppressWarnings("ArrayRecordComponent") // never compared as a record
  private record Life(long due, byte @Nullable [] then) {}

  /** Notes that a value is there only until some time. */
  void end(byte[] value, long due) {
    lives.put(value, new Life(due, null));
  }

  /** What becomes of a value, or of none, when an operand is merged into it. */
  interface Merge {
    byte[] of(byte @Nullable [] existing);
  }

  /** Merges into a value, which, if it is there for some time only, leaves the operand behind. */
  byte[] merged(byte @Nullable [] existing, Merge merge) {
    byte[] result = merge.of(existing).clone();
    Life life = existing == null ? null : lives.get(existing);
    if (life != null) {
      lives.put(result, new Life(life.due, merge.of(life.then)));
    }
    return result;
  }

  /** Has what is due at a time disappear from a map. */
  void expire(long now, NavigableMap<byte[], byte[]> map) {
    map.entrySet()
        .removeIf(
            entry -> {
              Life life = lives.get(entry.getValue());
              if (life == null || life.due > now) {
                return false;
              }
              if (life.then == null) {
                return true;
              }
              entry.setValue(life.then);
              return false;
            });
  }
}
