package io.sifr.internal.manifest;

import io.sifr.internal.forest.Catalog;
import io.sifr.internal.format.FileHeader;

/**
 * The content of a manifest.
 *
 * @param catalog the catalog its edits lead to
 * @param current which manifest it is, and the snapshot it begins with
 * @param header header of its file
 * @param end where its last whole record ends
 * @param fileBytes bytes of the file
 * @param isTorn whether anything but zeros follows: the remains of an append that never returned
 * @param isLastSynced whether the last record confirms that the group before it was synced
 */
public record Recovered(
    Catalog catalog,
    Current current,
    FileHeader header,
    long end,
    long fileBytes,
    boolean isTorn,
    boolean isLastSynced) {}
