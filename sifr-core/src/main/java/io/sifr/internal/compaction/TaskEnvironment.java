package io.sifr.internal.compaction;

import io.sifr.internal.filter.SstFilters;
import io.sifr.internal.io.StoreFileSystem;
import io.sifr.internal.sst.SstAccess;
import java.nio.file.Path;
import java.util.function.LongSupplier;

/**
 * What flushes and merges need of the store.
 *
 * @param fileSystem where files are made
 * @param directory the store's directory
 * @param access by which SSTs that were made are opened
 * @param databaseId the database that SSTs are made for
 * @param numbers gives file numbers, none twice
 * @param uniqueIds gives random ids
 * @param filters makes the filters of SSTs
 * @param moreFilterBits bits a key that filters have beyond those of the options
 * @param splitUnitBytes size aimed at for an SST
 * @param writeBufferBytes capacity of a write buffer
 * @param yieldPoint called every few thousand entries; may take its time, so that more urgent work
 *     goes first, and throws {@link java.util.concurrent.CancellationException} when the task
 *     should stop
 */
public record TaskEnvironment(
    StoreFileSystem fileSystem,
    Path directory,
    SstAccess access,
    int databaseId,
    LongSupplier numbers,
    LongSupplier uniqueIds,
    SstFilters filters,
    int moreFilterBits,
    long splitUnitBytes,
    long writeBufferBytes,
    Runnable yieldPoint) {}
