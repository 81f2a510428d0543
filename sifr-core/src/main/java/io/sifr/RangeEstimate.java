package io.sifr;

/**
 * About what a range holds, see {@link Database#estimate}.
 *
 * @param entries entries, without what was overwritten or deleted
 * @param bytes bytes of their keys and values, not compressed
 * @param fileBytes bytes of files that the range takes on disk, overwritten and deleted data
 *     included, without what is still in memory
 */
public record RangeEstimate(long entries, long bytes, long fileBytes) {}
