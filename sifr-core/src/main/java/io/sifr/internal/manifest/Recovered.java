package io.sifr.internal.manifest;

import io.sifr.internal.forest.Catalog;

/**
 * What the manifest of a store holds.
 *
 * @param catalog the catalog its edits lead to
 * @param number number of the manifest
 * @param bytes bytes of the file
 * @param end where its last whole record ends; the bytes behind it are those of an append that
 *     never returned
 */
public record Recovered(Catalog catalog, long number, long bytes, long end) {}
