package io.sifr.internal.wal;

/**
 * The end of the records of a segment to which nothing will be appended.
 *
 * @param segment its number
 * @param bytes size of its file
 * @param offset where they end, the seal included if it has one
 * @param nextSequence the smallest sequence number that may follow them
 */
public record SegmentEnd(long segment, int bytes, int offset, long nextSequence) {}
