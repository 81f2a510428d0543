package io.sifr.internal.wal;

/**
 * The end of the records of a segment to which nothing will be appended.
 *
 * @param segment its number
 * @param bytes size of its file
 * @param records where they end; a seal may follow that is not durable although all records are
 * @param offset where all ends, the seal included if it has one
 * @param nextSequence the smallest sequence number that may follow them
 */
public record SegmentEnd(long segment, int bytes, int records, int offset, long nextSequence) {}
