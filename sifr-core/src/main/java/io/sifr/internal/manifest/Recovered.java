package io.sifr.internal.manifest;

import io.sifr.internal.forest.Catalog;

/**
 * What the manifest of a store holds.
 *
 * @param catalog the catalog its edits lead to
 * @param number number of the manifest
 * @param end where its last whole record ends
 * @param isTorn whether anything but zeros is behind that: what is left of an append that never
 *     returned
 */
public record Recovered(Catalog catalog, long number, long end, boolean isTorn) {}
