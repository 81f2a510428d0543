package io.sifr.internal.sst;

import org.jspecify.annotations.Nullable;

/**
 * A stretch of an SST in which no whole block begins.
 *
 * @param offset where it begins in the file
 * @param bytes how long it is
 * @param lastKeyBefore user key of the last entry before it; null when there is none
 * @param firstKeyBehind user key of the first entry behind it; null when there is none
 * @param what what is wrong there
 */
@SuppressWarnings("ArrayRecordComponent") // never compared as a record
public record SstGap(
    long offset,
    long bytes,
    byte @Nullable [] lastKeyBefore,
    byte @Nullable [] firstKeyBehind,
    String what) {}
