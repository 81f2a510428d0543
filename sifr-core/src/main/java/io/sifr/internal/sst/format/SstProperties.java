package io.sifr.internal.sst.format;

import static com.google.common.base.Preconditions.checkArgument;

import io.sifr.config.KeyPrefix;
import io.sifr.error.CorruptionException;
import io.sifr.error.UnsupportedFormatException;
import io.sifr.internal.entry.EntryLimits;
import io.sifr.internal.entry.ExpiringKind;
import io.sifr.internal.entry.range.RangeTombstones;
import io.sifr.internal.format.PrefixCodec;
import io.sifr.internal.sst.format.SstMeta.ValueUse;
import io.sifr.internal.util.Bytes;
import io.sifr.internal.util.Bytes.VarInts;
import java.nio.BufferUnderflowException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The properties of an SST: tagged fields in ascending order, each a varint tag, a varint length
 * and that many bytes. Numbers are varints. An unknown field is skipped, unless its tag is odd:
 * then the entries cannot be understood without it. Sequence numbers are those in the file; the
 * base in the manifest is not added, except to those of the range tombstones.
 *
 * @param counts what the SST holds
 * @param sequences sequence numbers in the file, range tombstones included; their base is 0
 * @param keys user keys of the first and the last entry
 * @param origin how and for which database it was written
 * @param rangeTombstones the range tombstones; null for none
 * @param times when its entries were written and expire
 * @param values the value files that its entries refer to, by ascending numbers
 */
public record SstProperties(
    SstMeta.Counts counts,
    SstMeta.Sequences sequences,
    SstMeta.Keys keys,
    Origin origin,
    @Nullable RangeTombstones rangeTombstones,
    SstMeta.Times times,
    List<ValueUse> values) {
  /**
   * The settings with which an SST was written.
   *
   * @param databaseId number of the database it was written for; 0 for none
   * @param filterPrefix which parts of keys its filter knows besides the keys; null for none
   */
  public record Origin(int databaseId, @Nullable KeyPrefix filterPrefix) {}

  private static final int MUST_UNDERSTAND = 1;
  private static final int ENTRIES = 2;
  private static final int TOMBSTONES = 4;
  private static final int RAW_BYTES = 6;
  private static final int MIN_SEQUENCE = 8;
  private static final int MAX_SEQUENCE = 10;
  private static final int SMALLEST_KEY = 12;
  private static final int LARGEST_KEY = 14;
  private static final int DATABASE = 18;
  private static final int RANGE_TOMBSTONES = 19;
  private static final int LAST_EXPIRY = 20;
  private static final int LAST_WRITE = 22;
  private static final int VALUES = 23;
  private static final int FILTER_PREFIX = 24;

  /** Upper bound of the size of all fields but the keys and the range tombstones. */
  private static final int MAX_FIXED_BYTES = 128;

  /** User key of the first entry. */
  public byte[] smallestKey() {
    return keys.smallest();
  }

  /** User key of the last entry. */
  public byte[] largestKey() {
    return keys.largest();
  }

  /**
   * Upper bound of the size that {@link #encodeTo} writes with keys of those lengths, without range
   * tombstones and value files.
   */
  public static int maxBytes(int smallestKeyLength, int largestKeyLength) {
    return MAX_FIXED_BYTES + smallestKeyLength + largestKeyLength;
  }

  /**
   * The metadata for the manifest of an SST with these properties, without a sketch of its keys.
   *
   * @param baseSequence base that is added to all its sequence numbers
   */
  public SstMeta toMeta(SstMeta.Identity identity, long baseSequence) {
    RangeTombstones ranges = rangeTombstones;
    return new SstMeta(
        identity,
        new SstMeta.Keys(
            ranges == null ? keys.smallest() : smaller(keys.smallest(), ranges.first()),
            ranges == null ? keys.largest() : larger(keys.largest(), last(ranges.end()))),
        counts,
        sequences.withBase(baseSequence),
        times,
        values);
  }

  /** Number of the fragments of range tombstones. */
  public static int fragments(@Nullable RangeTombstones ranges) {
    return ranges == null ? 0 : ranges.fragments().size();
  }

  private static byte[] smaller(byte[] a, byte[] b) {
    return Arrays.compareUnsigned(a, b) <= 0 ? a : b;
  }

  private static byte[] larger(byte[] a, byte[] b) {
    return Arrays.compareUnsigned(a, b) >= 0 ? a : b;
  }

  /**
   * The last key before the end of a range, if it is known; else the end. Ranges that were clipped
   * end with the {@link Bytes#successor successor} of a key, so two parts of one have no key in
   * common.
   */
  private static byte[] last(byte @Nullable [] end) {
    if (end == null) {
      return EntryLimits.LAST_KEY;
    }
    int last = end.length - 1;
    return end[last] == 0 ? Arrays.copyOf(end, last) : end;
  }

  /**
   * Writes the properties at the buffer's position.
   *
   * @param ranges the range tombstones, encoded; null for none
   */
  public void encodeTo(ByteBuffer buffer, byte @Nullable [] ranges) {
    put(buffer, ENTRIES, counts.entries());
    put(buffer, TOMBSTONES, counts.tombstones());
    put(buffer, RAW_BYTES, counts.rawBytes());
    put(buffer, MIN_SEQUENCE, sequences.min());
    put(buffer, MAX_SEQUENCE, sequences.max());
    put(buffer, SMALLEST_KEY, keys.smallest());
    put(buffer, LARGEST_KEY, keys.largest());
    put(buffer, DATABASE, origin.databaseId);
    if (ranges != null) {
      put(buffer, RANGE_TOMBSTONES, ranges);
    }
    if (times.lastExpiry() != ExpiringKind.NEVER) {
      put(buffer, LAST_EXPIRY, times.lastExpiry());
    }
    put(buffer, LAST_WRITE, times.lastWrite());
    if (!values.isEmpty()) {
      put(buffer, VALUES, encoded(values));
    }
    if (origin.filterPrefix != null) {
      put(buffer, FILTER_PREFIX, PrefixCodec.encode(origin.filterPrefix));
    }
  }

  /** Size of the field of the value files. */
  public static int valuesBytes(List<ValueUse> values) {
    return values.isEmpty() ? 0 : 2 * VarInts.MAX_INT_BYTES + encoded(values).length;
  }

  private static byte[] encoded(List<ValueUse> values) {
    ByteBuffer out = ByteBuffer.allocate(values.size() * 2 * VarInts.MAX_LONG_BYTES);
    for (ValueUse use : values) {
      VarInts.put(out, use.file());
      VarInts.put(out, use.bytes());
    }
    return Arrays.copyOf(out.array(), out.position());
  }

  private static List<ValueUse> values(Path file, ByteBuffer encoded) {
    ByteBuffer field = fieldIfAny(file, encoded, VALUES);
    List<ValueUse> values = new ArrayList<>();
    long before = 0;
    while (field != null && field.hasRemaining()) {
      ValueUse use = new ValueUse(VarInts.getLong(field), VarInts.getLong(field));
      checkArgument(
          use.file() > before && use.bytes() >= 0, "value files are not in ascending order");
      before = use.file();
      values.add(use);
    }
    return List.copyOf(values);
  }

  private static void put(ByteBuffer buffer, int tag, long value) {
    VarInts.put(buffer, tag);
    VarInts.put(buffer, VarInts.size(value));
    VarInts.put(buffer, value);
  }

  private static void put(ByteBuffer buffer, int tag, byte[] value) {
    VarInts.put(buffer, tag);
    VarInts.put(buffer, value.length);
    buffer.put(value);
  }

  /**
   * Reads properties, trusting nothing but their checksum.
   *
   * @param encoded the properties, from position to limit
   * @param fileOffset where they begin in the file
   * @param baseSequence is added to the sequence numbers of the range tombstones
   * @throws CorruptionException when they are malformed
   * @throws UnsupportedFormatException when a required field is unknown
   */
  public static SstProperties decode(
      Path file, ByteBuffer encoded, long fileOffset, long baseSequence) {
    try {
      long entries = number(file, encoded, ENTRIES);
      long tombstones = number(file, encoded, TOMBSTONES);
      long rawBytes = number(file, encoded, RAW_BYTES);
      long minSequence = number(file, encoded, MIN_SEQUENCE);
      long maxSequence = number(file, encoded, MAX_SEQUENCE);
      byte[] smallestKey = bytes(file, encoded, SMALLEST_KEY);
      byte[] largestKey = bytes(file, encoded, LARGEST_KEY);
      int databaseId = Math.toIntExact(number(file, encoded, DATABASE));
      RangeTombstones ranges = rangeTombstones(file, encoded, baseSequence);
      SstMeta.Times times = times(file, encoded);
      List<ValueUse> values = values(file, encoded);
      ByteBuffer prefix = fieldIfAny(file, encoded, FILTER_PREFIX);
      SstProperties properties =
          new SstProperties(
              new SstMeta.Counts(entries, tombstones, fragments(ranges), rawBytes),
              new SstMeta.Sequences(0, minSequence, maxSequence),
              new SstMeta.Keys(smallestKey, largestKey),
              new Origin(
                  databaseId,
                  prefix == null ? null : PrefixCodec.decode(number(prefix, FILTER_PREFIX))),
              ranges,
              times,
              values);
      while (encoded.hasRemaining()) {
        skip(file, encoded);
      }
      return properties;
    } catch (BufferUnderflowException e) {
      throw new CorruptionException(
          file, fileOffset + encoded.position(), "properties: they are truncated");
    } catch (ArithmeticException | IllegalArgumentException e) {
      throw new CorruptionException(
          file, fileOffset + encoded.position(), "properties: " + e.getMessage());
    }
  }

  private static @Nullable RangeTombstones rangeTombstones(
      Path file, ByteBuffer encoded, long baseSequence) {
    ByteBuffer value = fieldIfAny(file, encoded, RANGE_TOMBSTONES);
    return value == null ? null : RangeTombstoneField.decode(value, baseSequence);
  }

  private static SstMeta.Times times(Path file, ByteBuffer encoded) {
    ByteBuffer value = fieldIfAny(file, encoded, LAST_EXPIRY);
    long lastExpiry = value == null ? ExpiringKind.NEVER : number(value, LAST_EXPIRY);
    return new SstMeta.Times(number(file, encoded, LAST_WRITE), lastExpiry);
  }

  private static long number(Path file, ByteBuffer encoded, int tag) {
    return number(field(file, encoded, tag), tag);
  }

  private static long number(ByteBuffer value, int tag) {
    long number = VarInts.getLong(value);
    checkArgument(!value.hasRemaining() && number >= 0, "field %s is not a number", tag);
    return number;
  }

  private static byte[] bytes(Path file, ByteBuffer encoded, int tag) {
    ByteBuffer value = field(file, encoded, tag);
    if (!value.hasRemaining()) {
      return Bytes.EMPTY;
    }
    byte[] bytes = new byte[value.remaining()];
    value.get(bytes);
    return bytes;
  }

  private static ByteBuffer field(Path file, ByteBuffer encoded, int tag) {
    ByteBuffer value = fieldIfAny(file, encoded, tag);
    checkArgument(value != null, "field %s is missing", tag);
    return value;
  }

  /**
   * Moves past the field with that tag, skipping unknown ones before it; null when there is none.
   */
  private static @Nullable ByteBuffer fieldIfAny(Path file, ByteBuffer encoded, int tag) {
    while (encoded.hasRemaining()) {
      int start = encoded.position();
      int found = VarInts.getInt(encoded);
      if (found == tag) {
        return value(encoded);
      }
      encoded.position(start);
      if (found > tag) {
        break;
      }
      skip(file, encoded);
    }
    return null;
  }

  private static void skip(Path file, ByteBuffer encoded) {
    int tag = VarInts.getInt(encoded);
    if ((tag & MUST_UNDERSTAND) != 0) {
      throw new UnsupportedFormatException(file, "property " + tag + " is required and unknown");
    }
    value(encoded);
  }

  private static ByteBuffer value(ByteBuffer encoded) {
    int length = VarInts.getInt(encoded);
    if (length > encoded.remaining()) {
      throw new BufferUnderflowException();
    }
    ByteBuffer value = encoded.slice(encoded.position(), length);
    encoded.position(encoded.position() + length);
    return value;
  }
}
