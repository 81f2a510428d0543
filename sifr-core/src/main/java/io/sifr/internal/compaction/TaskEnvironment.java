package io.sifr.internal.compaction;

import io.sifr.internal.io.StoreFileSystem;
import java.nio.file.Path;
import java.util.concurrent.CancellationException;
import java.util.function.BooleanSupplier;
import java.util.function.LongSupplier;

/**
 * What flushes and merges need of the store.
 *
 * @param fileSystem where files are made
 * @param directory the store's directory
 * @param numbers gives file numbers, none twice
 * @param uniqueIds gives random ids
 * @param splitUnitBytes size aimed at for an SST
 * @param isCancelled whether the work should stop soon and leave nothing
 */
public record TaskEnvironment(
    StoreFileSystem fileSystem,
    Path directory,
    LongSupplier numbers,
    LongSupplier uniqueIds,
    long splitUnitBytes,
    BooleanSupplier isCancelled) {

  /**
   * Called now and then by a task.
   *
   * @throws CancellationException when the work should stop
   */
  void checkCancelled() {
    if (isCancelled.getAsBoolean()) {
      throw new CancellationException("the store is closing");
    }
  }
}
