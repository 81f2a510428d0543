package io.sifr.config;

/**
 * An index of a database, as its options declare it. Immutable.
 *
 * @param name its name, among the indexes of the database
 * @param extractor the name of the {@link io.sifr.spi.IndexExtractor} that says its keys
 * @param isUnique whether two entries may not have one index key
 */
public record IndexOptions(String name, String extractor, boolean isUnique) {}
