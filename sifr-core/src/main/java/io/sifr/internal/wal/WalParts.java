package io.sifr.internal.wal;

import io.sifr.config.LogAccess;
import io.sifr.internal.io.StoreFileSystem;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.util.concurrent.Executor;
import java.util.function.LongSupplier;

/**
 * The objects that a log is written with.
 *
 * @param files where the log lies
 * @param directory the store's directory
 * @param fileNumbers gives a number no file of the store ever had, larger than all before, starting
 *     from 1; called with and without the write lock, so it must not take that
 * @param uniqueIds gives the ids of files, in tests the same ones each time
 * @param segmentBytes size that segments grow to: a multiple of 4096, from {@link
 *     WalFormat#SEGMENT_ALIGNMENT} to {@link WalFormat#MAX_SEGMENT_BYTES}; a larger record gets a
 *     segment of its own
 * @param access how segments are written
 * @param resources what it uses that others may use too
 */
public record WalParts(
    StoreFileSystem files,
    Path directory,
    LongSupplier fileNumbers,
    LongSupplier uniqueIds,
    long segmentBytes,
    LogAccess access,
    WalResources resources) {

  /** With ids at random, and resources of its own. */
  public WalParts(
      StoreFileSystem files,
      Path directory,
      LongSupplier fileNumbers,
      long segmentBytes,
      LogAccess access,
      Executor executor) {
    this(
        files,
        directory,
        fileNumbers,
        new SecureRandom()::nextLong,
        segmentBytes,
        access,
        new WalResources(executor));
  }
}
