package io.sifr.internal.sst.format;

import io.sifr.internal.entry.ExpiringKind;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The metadata of an SST, known without opening it: its part of the global index (TPDS §4.1), which
 * is kept in the manifest. Immutable; the key arrays are shared and must not be changed.
 *
 * @param identity which file it is
 * @param keys between which keys it is
 * @param counts what it holds
 * @param sequences sequence numbers, range tombstones included
 * @param times when its entries were written and expire
 * @param values the value files that its entries refer to, by ascending numbers
 * @param logged where the log has its content, too; null: the SST has to be there by itself
 */
public record SstMeta(
    Identity identity,
    Keys keys,
    Counts counts,
    Sequences sequences,
    Times times,
    List<ValueUse> values,
    @Nullable Logged logged) {
  /** An SST that is nowhere else. */
  public SstMeta(
      Identity identity,
      Keys keys,
      Counts counts,
      Sequences sequences,
      Times times,
      List<ValueUse> values) {
    this(identity, keys, counts, sequences, times, values, null);
  }

  /** An SST whose entries all contain their values. */
  public SstMeta(Identity identity, Keys keys, Counts counts, Sequences sequences, Times times) {
    this(identity, keys, counts, sequences, times, List.of());
  }

  /**
   * The use that an SST makes of a value file.
   *
   * @param file number of the value file
   * @param bytes sum of the records of values in the file that its entries refer to, at least 0
   */
  public record ValueUse(long file, long bytes) {}

  /**
   * The file of an SST.
   *
   * @param number number in the file's name; never used twice
   * @param uniqueId random id in the file's header and footer and in all its checksums
   * @param fileBytes size of the file, a multiple of 4096
   * @param key number of the key with which it is encrypted; 0: it is not
   */
  public record Identity(long number, long uniqueId, long fileBytes, int key) {}

  /**
   * The user keys of an SST.
   *
   * @param smallest smallest user key of its entries and its range tombstones
   * @param largest largest user key of its entries and its range tombstones; where these end with a
   *     key that they no longer cover, perhaps that
   * @param sketch a sample of its user keys; empty if nothing is known of them
   */
  @SuppressWarnings("ArrayRecordComponent") // never compared as a record
  public record Keys(byte[] smallest, byte[] largest, KeySketch sketch) {
    /** Keys of which nothing is known but the smallest and the largest. */
    public Keys(byte[] smallest, byte[] largest) {
      this(smallest, largest, KeySketch.NONE);
    }
  }

  /**
   * The numbers of an SST's entries.
   *
   * @param entries entries, tombstones included
   * @param tombstones tombstones among them
   * @param rangeTombstones fragments of range tombstones, see {@link
   *     io.sifr.internal.entry.range.RangeTombstones}
   * @param rawBytes bytes of all user keys and values
   */
  public record Counts(long entries, long tombstones, long rangeTombstones, long rawBytes) {}

  /**
   * The sequence numbers of an SST.
   *
   * @param base is added to every sequence number in the file, so that a foreign file can be
   *     ingested unchanged; 0 for an SST of the store's own
   * @param min smallest one, with the base
   * @param max largest one, with the base
   */
  public record Sequences(long base, long min, long max) {
    /** The same if another base is added to the sequence numbers in the file. */
    Sequences withBase(long other) {
      return new Sequences(other, min - base + other, max - base + other);
    }
  }

  /**
   * Times of an SST, in milliseconds since the epoch.
   *
   * @param lastWrite when the last of its entries was written, at the latest: a flush begins after
   *     that; 0 if it is not known
   * @param lastExpiry when the last of its values expires; {@link ExpiringKind#NEVER} if some do
   *     not expire, or it has none
   */
  public record Times(long lastWrite, long lastExpiry) {
    /** Of an SST of which nothing is known. */
    public static final Times UNKNOWN = new Times(0, ExpiringKind.NEVER);
  }

  /**
   * The writes of the database that a flush has written to an SST whose file a power failure may
   * take: as long as it is not rewritten elsewhere, the log has them.
   *
   * @param after the sequence number before the first of them
   * @param upTo that of the last one
   */
  public record Logged(long after, long upTo) {
    /** Whether a write is one of them. */
    public boolean has(long sequence) {
      return after < sequence && sequence <= upTo;
    }
  }

  /** The same with other times. */
  public SstMeta with(Times other) {
    return new SstMeta(identity, keys, counts, sequences, other, values, logged);
  }

  /** The same of an SST whose content the log has, too, or of which it has not. */
  public SstMeta with(@Nullable Logged other) {
    return new SstMeta(identity, keys, counts, sequences, times, values, other);
  }

  /** The same with a sample of its keys. */
  public SstMeta with(KeySketch sketch) {
    Keys sampled = new Keys(keys.smallest, keys.largest, sketch);
    return new SstMeta(identity, sampled, counts, sequences, times, values, logged);
  }

  /** The same if another base is added to the sequence numbers in the file. */
  public SstMeta withBase(long base) {
    return new SstMeta(identity, keys, counts, sequences.withBase(base), times, values, logged);
  }

  public long number() {
    return identity.number;
  }

  public long uniqueId() {
    return identity.uniqueId;
  }

  public long fileBytes() {
    return identity.fileBytes;
  }

  /** Number of the key with which the file is encrypted; 0: it is not. */
  public int key() {
    return identity.key;
  }

  public byte[] smallestKey() {
    return keys.smallest;
  }

  public byte[] largestKey() {
    return keys.largest;
  }

  public KeySketch sketch() {
    return keys.sketch;
  }

  public long entries() {
    return counts.entries;
  }

  public long tombstones() {
    return counts.tombstones;
  }

  public long rangeTombstones() {
    return counts.rangeTombstones;
  }

  public long rawBytes() {
    return counts.rawBytes;
  }

  public long baseSequence() {
    return sequences.base;
  }

  public long minSequence() {
    return sequences.min;
  }

  public long maxSequence() {
    return sequences.max;
  }

  public long lastWrite() {
    return times.lastWrite;
  }

  public long lastExpiry() {
    return times.lastExpiry;
  }

  /** Bytes of the values in value files that its entries refer to. */
  public long valueBytes() {
    return values.stream().mapToLong(ValueUse::bytes).sum();
  }

  /** Whether one of these snapshots sees something of the SST, but no number from that one on. */
  public boolean isSeenBelow(long number, long[] snapshots) {
    for (long snapshot : snapshots) {
      if (snapshot >= minSequence() && snapshot < number) {
        return true;
      }
    }
    return false;
  }
}
