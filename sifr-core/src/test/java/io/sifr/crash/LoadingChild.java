package io.sifr.crash;

import io.sifr.Store;
import io.sifr.config.Durability;
import io.sifr.config.StoreOptions;
import java.io.IOException;
import java.nio.MappedByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;

/**
 * Runs the operation stream on a store until it is killed. How many operations were acknowledged
 * stands in a mapped file, which survives the process.
 *
 * <p>Arguments: store directory, file for the count, first operation.
 */
final class LoadingChild {
  private static final int SYNC_EVERY_GROUPS = 64;

  private LoadingChild() {}

  static StoreOptions options() {
    return StoreOptions.builder()
        .writeBufferBytes(1 << 18)
        .splitUnitBytes(1 << 17)
        .logSegmentBytes(1 << 18)
        .build();
  }

  public static void main(String[] args) throws IOException {
    try (FileChannel channel =
        FileChannel.open(
            Path.of(args[1]),
            StandardOpenOption.CREATE,
            StandardOpenOption.READ,
            StandardOpenOption.WRITE)) {
      MappedByteBuffer count = channel.map(FileChannel.MapMode.READ_WRITE, 0, Long.BYTES);
      long first = Long.parseLong(args[2]);
      count.putLong(0, first);
      try (Store store = Store.open(Path.of(args[0]), options())) {
        var unused = store.openOrCreateDatabase(OperationStream.SECOND_DATABASE);
        for (long group = first / OperationStream.GROUP; ; group++) {
          Durability durability =
              group % SYNC_EVERY_GROUPS == 0 ? Durability.SYNC : Durability.BUFFERED;
          OperationStream.run(
              store,
              group * OperationStream.GROUP,
              durability,
              () -> count.putLong(0, count.getLong(0) + 1));
        }
      }
    }
  }
}
