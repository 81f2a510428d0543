package io.sifr.leveldb.importer.manifest;

import io.sifr.leveldb.importer.source.Entry;

/**
 * A table as the MANIFEST describes it; but for its size, which iq80's port writes four bytes too
 * large.
 *
 * @param number its number, from which its name is made
 * @param smallest its first entry, without value
 * @param largest its last entry, without value
 */
public record TableFile(long number, Entry smallest, Entry largest) {}
