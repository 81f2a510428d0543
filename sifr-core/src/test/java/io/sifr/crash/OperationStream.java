package io.sifr.crash;

import io.sifr.Database;
import io.sifr.Store;
import io.sifr.WriteBatch;
import io.sifr.config.Durability;
import io.sifr.config.WriteOptions;
import java.nio.ByteBuffer;
import java.util.Map;
import java.util.TreeMap;

/**
 * An endless stream of operations, each a function of its number alone, so that the state after the
 * first k of them can be computed by anybody. Operations come in groups of eight; a group is one
 * batch over two databases, or eight single writes.
 */
final class OperationStream {
  static final String SECOND_DATABASE = "second";
  static final int GROUP = 8;
  private static final int SLOTS = 100_000;

  private OperationStream() {}

  private static long mix(long number) {
    long z = number + 0x9E3779B97F4A7C15L;
    z = (z ^ z >>> 30) * 0xBF58476D1CE4E5B9L;
    z = (z ^ z >>> 27) * 0x94D049BB133111EBL;
    return z ^ z >>> 31;
  }

  static boolean isBatch(long operation) {
    return mix(operation / GROUP) % 3 == 0;
  }

  static boolean isDelete(long operation) {
    return operation % 5 == 4;
  }

  static int slot(long operation) {
    return (int) Long.remainderUnsigned(mix(operation), SLOTS);
  }

  static boolean inSecond(int slot) {
    return slot % 2 == 1;
  }

  static byte[] key(int slot) {
    return String.format("user%019d", slot).getBytes(java.nio.charset.StandardCharsets.US_ASCII);
  }

  static byte[] value(long operation) {
    byte[] value = new byte[Long.BYTES + (int) Long.remainderUnsigned(mix(~operation), 200)];
    for (int i = 0; i < value.length; i++) {
      value[i] = (byte) (operation + i);
    }
    ByteBuffer.wrap(value).putLong(0, operation);
    return value;
  }

  /** The number of the operation that wrote the value; an AssertionError if none did. */
  static long operationOf(byte[] value) {
    long operation = ByteBuffer.wrap(value).getLong(0);
    if (!java.util.Arrays.equals(value, value(operation))) {
      throw new AssertionError("a value is not what operation " + operation + " wrote");
    }
    return operation;
  }

  /** Runs the group that begins with {@code first}. */
  static void run(Store store, long first, Durability durability, Runnable acknowledged) {
    Database one = store.database();
    Database two = store.database(SECOND_DATABASE);
    if (isBatch(first)) {
      WriteBatch batch = new WriteBatch();
      for (long i = first; i < first + GROUP; i++) {
        Database database = inSecond(slot(i)) ? two : one;
        if (isDelete(i)) {
          batch.delete(database, key(slot(i)));
        } else {
          batch.put(database, key(slot(i)), value(i));
        }
      }
      store.write(batch, WriteOptions.of(durability));
      for (int i = 0; i < GROUP; i++) {
        acknowledged.run();
      }
    } else {
      for (long i = first; i < first + GROUP; i++) {
        Database database = inSecond(slot(i)) ? two : one;
        if (isDelete(i)) {
          database.delete(key(slot(i)), WriteOptions.of(durability));
        } else {
          database.put(key(slot(i)), value(i), WriteOptions.of(durability));
        }
        acknowledged.run();
      }
    }
  }

  /** Slot → operation whose value it holds, after the first {@code count} operations. */
  static Map<Integer, Long> stateAfter(long count) {
    Map<Integer, Long> state = new TreeMap<>();
    for (long i = 0; i < count; i++) {
      if (isDelete(i)) {
        state.remove(slot(i));
      } else {
        state.put(slot(i), i);
      }
    }
    return state;
  }
}
