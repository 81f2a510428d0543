package io.sifr.internal.sst;

/**
 * Where the pieces behind the blocks lie, for those who look at a file rather than use it.
 *
 * @param blocks number of data blocks; they take the file from its header to the index
 * @param indexOffset where the index begins
 * @param indexBytes bytes of the index, its parts and their top
 * @param propertiesOffset where the properties begin
 * @param propertiesBytes bytes of the properties
 * @param restartInterval most entries from one restart point to the next
 * @param footerOffset where the footer begins
 * @param footerBytes bytes of the footer
 */
public record SstLayout(
    int blocks,
    long indexOffset,
    long indexBytes,
    long propertiesOffset,
    long propertiesBytes,
    int restartInterval,
    long footerOffset,
    long footerBytes) {}
