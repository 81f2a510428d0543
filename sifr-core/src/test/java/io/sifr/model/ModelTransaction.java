package io.sifr.model;

import static org.assertj.core.api.Assertions.assertThat;

import io.sifr.Database;
import io.sifr.KeyRange;
import io.sifr.Transaction;
import java.util.Map;
import java.util.NavigableMap;
import java.util.function.Supplier;

/** A transaction, what it should see, and what it has read and written so far. */
final class ModelTransaction {
  private final Transaction transaction;
  private final Map<String, NavigableMap<byte[], byte[]>> seen;
  private final Draws draws;
  private final Supplier<String> describe;
  private final Touched written = new Touched();
  private final Touched read = new Touched();

  /**
   * @param seen what the databases hold, a copy
   * @param describe for the message of a failure
   */
  ModelTransaction(
      Transaction transaction,
      Map<String, NavigableMap<byte[], byte[]>> seen,
      Draws draws,
      Supplier<String> describe) {
    this.transaction = transaction;
    this.seen = seen;
    this.draws = draws;
    this.describe = describe;
  }

  /** What it has written. */
  Touched written() {
    return written;
  }

  /** What it has read, without keys that a cursor has passed. */
  Touched read() {
    return read;
  }

  /** What it sees of a database; empty if that was created later. */
  NavigableMap<byte[], byte[]> content(String database) {
    return seen.getOrDefault(database, SortedMaps.empty());
  }

  /** Reads or writes something, and compares what it sees. */
  void step(Database database) {
    String name = database.name();
    NavigableMap<byte[], byte[]> map = content(name);
    byte[] key = draws.key();
    switch (draws.below(8)) {
      case 0, 1 -> {
        byte[] value = draws.value();
        transaction.put(database, key, value);
        map.put(key, value);
        written.touch(name, key);
      }
      case 2 -> {
        transaction.delete(database, key);
        map.remove(key);
        written.touch(name, key);
      }
      case 3 -> {
        KeyRange range = draws.narrowRange();
        transaction.deleteRange(database, range);
        map.keySet().removeIf(range::contains);
        written.touch(name, range);
      }
      case 4, 5 -> {
        assertThat(transaction.get(database, key)).as(describe).isEqualTo(map.get(key));
        assertThat(transaction.contains(database, key))
            .as(describe)
            .isEqualTo(map.containsKey(key));
        read.touch(name, key);
      }
      default -> {
        KeyRange range = draws.range();
        ModelCursor cursor =
            new ModelCursor(
                name,
                transaction.cursor(database.byteBufs(), range),
                range,
                true,
                SortedMaps.empty(),
                describe);
        for (int i = draws.below(12); i > 0; i--) {
          cursor.expect(SortedMaps.part(map, range));
          if (draws.below(8) == 0) {
            cursor.refresh(SortedMaps.empty()); // refused
          }
          cursor.move(draws);
          if (cursor.at() != null) {
            read.touch(name, cursor.at());
          }
          byte[] other = draws.key();
          if (draws.below(3) == 0) {
            byte[] value = draws.value();
            transaction.put(database, other, value);
            map.put(other, value);
            written.touch(name, other);
          } else if (draws.below(3) == 0 && cursor.at() != null) {
            transaction.delete(database, cursor.at());
            map.remove(cursor.at());
            written.touch(name, cursor.at());
          }
        }
        cursor.close();
      }
    }
  }
}
