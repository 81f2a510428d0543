package io.sifr.internal.wal;

/**
 * The end of a log when it was closed.
 *
 * @param segment number of its last segment
 * @param offset where its last record ends there
 */
public record WalEnd(long segment, int offset) {}
