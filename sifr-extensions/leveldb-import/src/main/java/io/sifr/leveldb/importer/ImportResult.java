package io.sifr.leveldb.importer;

import io.sifr.config.Compression;
import org.jspecify.annotations.Nullable;

/**
 * What was imported.
 *
 * @param entries their number
 * @param bytes of their keys and values
 * @param tables read
 * @param logs read
 * @param compression of the database that has them now
 * @param omission the damage at which the log was left, where that was allowed; or null
 */
record ImportResult(
    long entries,
    long bytes,
    int tables,
    int logs,
    Compression compression,
    @Nullable String omission) {}
