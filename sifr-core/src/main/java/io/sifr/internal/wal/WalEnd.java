package io.sifr.internal.wal;

/**
 * Where a log ended when it was closed.
 *
 * @param segment number of its last segment
 * @param offset where its last record ends there
 */
public record WalEnd(long segment, int offset) {}
