package io.sifr.internal.sst.inspect;

import org.jspecify.annotations.Nullable;

/**
 * A range of an SST in which no intact block begins.
 *
 * @param offset offset in the file
 * @param bytes its length
 * @param lastKeyBefore user key of the last entry before it; null when there is none
 * @param firstKeyAfter user key of the first entry after it; null when there is none
 * @param what description of the damage
 */
@SuppressWarnings("ArrayRecordComponent") // never compared as a record
public record SstGap(
    long offset,
    long bytes,
    byte @Nullable [] lastKeyBefore,
    byte @Nullable [] firstKeyAfter,
    String what) {}
