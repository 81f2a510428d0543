package io.sifr.internal.sst.format;

import io.sifr.internal.entry.ExpiringKind;

/**
 * What is known of an SST without opening it: its part of the global index (TPDS §4.1), which is
 * kept in the manifest. Immutable; the key arrays are shared and must not be changed.
 *
 * @param number number in the file's name; never used twice
 * @param uniqueId random id in the file's header and footer and in all its checksums
 * @param fileBytes size of the file, a multiple of 4096
 * @param entries entries, tombstones included
 * @param tombstones tombstones among them
 * @param rangeTombstones fragments of range tombstones, see {@link
 *     io.sifr.internal.entry.RangeTombstones}
 * @param rawBytes bytes of all user keys and values
 * @param baseSequence is added to every sequence number in the file, so that a foreign file can be
 *     ingested unchanged; 0 for an SST of the store's own
 * @param minSequence smallest sequence number, with the base
 * @param maxSequence largest sequence number, with the base
 * @param smallestKey smallest user key of its entries and its range tombstones
 * @param largestKey largest user key of its entries and its range tombstones; where these end with
 *     a key that they no longer cover, perhaps that
 * @param sketch a sample of its user keys; empty if nothing is known of them
 * @param lastExpiry when the last of its values expires, in milliseconds since the epoch; {@link
 *     ExpiringKind#NEVER} if some do not expire, or it has none
 */
@SuppressWarnings("ArrayRecordComponent") // never compared as a record
public record SstMeta(
    long number,
    long uniqueId,
    long fileBytes,
    long entries,
    long tombstones,
    long rangeTombstones,
    long rawBytes,
    long baseSequence,
    long minSequence,
    long maxSequence,
    byte[] smallestKey,
    byte[] largestKey,
    KeySketch sketch,
    long lastExpiry) {
  /** The metadata of an SST of whose keys nothing is known but the smallest and the largest. */
  public SstMeta(
      long number,
      long uniqueId,
      long fileBytes,
      long entries,
      long tombstones,
      long rangeTombstones,
      long rawBytes,
      long baseSequence,
      long minSequence,
      long maxSequence,
      byte[] smallestKey,
      byte[] largestKey) {
    this(
        number,
        uniqueId,
        fileBytes,
        entries,
        tombstones,
        rangeTombstones,
        rawBytes,
        baseSequence,
        minSequence,
        maxSequence,
        smallestKey,
        largestKey,
        KeySketch.NONE);
  }

  /** The metadata of an SST in which not all values expire. */
  public SstMeta(
      long number,
      long uniqueId,
      long fileBytes,
      long entries,
      long tombstones,
      long rangeTombstones,
      long rawBytes,
      long baseSequence,
      long minSequence,
      long maxSequence,
      byte[] smallestKey,
      byte[] largestKey,
      KeySketch sketch) {
    this(
        number,
        uniqueId,
        fileBytes,
        entries,
        tombstones,
        rangeTombstones,
        rawBytes,
        baseSequence,
        minSequence,
        maxSequence,
        smallestKey,
        largestKey,
        sketch,
        ExpiringKind.NEVER);
  }

  /** The same of an SST whose values expire. */
  public SstMeta expiringAt(long time) {
    return new SstMeta(
        number,
        uniqueId,
        fileBytes,
        entries,
        tombstones,
        rangeTombstones,
        rawBytes,
        baseSequence,
        minSequence,
        maxSequence,
        smallestKey,
        largestKey,
        sketch,
        time);
  }

  /** The same with a sample of its keys. */
  public SstMeta with(KeySketch other) {
    return new SstMeta(
        number,
        uniqueId,
        fileBytes,
        entries,
        tombstones,
        rangeTombstones,
        rawBytes,
        baseSequence,
        minSequence,
        maxSequence,
        smallestKey,
        largestKey,
        other,
        lastExpiry);
  }

  /** The same if another base is added to the sequence numbers in the file. */
  public SstMeta withBase(long base) {
    return new SstMeta(
        number,
        uniqueId,
        fileBytes,
        entries,
        tombstones,
        rangeTombstones,
        rawBytes,
        base,
        minSequence - baseSequence + base,
        maxSequence - baseSequence + base,
        smallestKey,
        largestKey,
        sketch,
        lastExpiry);
  }
}
