package io.sifr.internal.compaction;

import io.sifr.internal.filter.SstFilters;
import io.sifr.internal.io.StoreFileSystem;
import io.sifr.internal.sst.SstAccess;
import java.nio.file.Path;
import java.util.function.LongSupplier;

/**
 * What the tasks of flushes and compactions need of the store.
 *
 * @param fileSystem where files are made
 * @param directory the store's directory
 * @param access opens the SSTs that were made
 * @param databaseId the database that SSTs are made for
 * @param numbers source of file numbers, none twice
 * @param uniqueIds source of random ids
 * @param filters makes the filters of SSTs
 * @param moreFilterBits filter bits per key in addition to those of the options
 * @param splitUnitBytes target size of an SST
 * @param writeBufferBytes capacity of a write buffer
 * @param yieldPoint called every few thousand entries; may run more urgent work first, and throws
 *     {@link java.util.concurrent.CancellationException} when the task should stop
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
