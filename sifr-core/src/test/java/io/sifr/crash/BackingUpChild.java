package io.sifr.crash;

import io.sifr.Backups;
import io.sifr.Store;
import io.sifr.config.Durability;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;

/**
 * Writes to a store and backs it up, in turns, until it is killed. How many operations a point has
 * is in the store itself.
 *
 * <p>Arguments: store directory, directory of the backups.
 */
final class BackingUpChild {
  /** Beside the keys of the operations. */
  static final byte[] COUNT = "count".getBytes(StandardCharsets.US_ASCII);

  private static final int GROUPS_A_POINT = 300;
  private static final int MOST_POINTS = 4;

  private BackingUpChild() {}

  /** How many operations there are for sure; all others are of the turn after those. */
  static long count(Store store) {
    byte[] count = store.database().get(COUNT);
    return count == null ? 0 : ByteBuffer.wrap(count).getLong();
  }

  public static void main(String[] args) {
    Backups backups = Backups.in(Path.of(args[1]));
    try (Store store = Store.open(Path.of(args[0]), LoadingChild.options())) {
      var unused = store.openOrCreateDatabase(OperationStream.SECOND_DATABASE);
      while (true) {
        long count = count(store);
        for (int group = 0; group < GROUPS_A_POINT; group++) {
          OperationStream.run(store, count, Durability.BUFFERED, () -> {});
          count += OperationStream.GROUP;
        }
        store.database().put(COUNT, ByteBuffer.allocate(Long.BYTES).putLong(count).array());
        backups.create(store);
        System.out.println("point");
        List<Long> numbers = backups.numbers();
        if (numbers.size() > MOST_POINTS) {
          backups.delete(numbers.get(0));
        }
      }
    }
  }
}
