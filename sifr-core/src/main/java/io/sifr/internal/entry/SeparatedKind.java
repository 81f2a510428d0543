package io.sifr.internal.entry;

import io.sifr.error.SifrException;
import io.sifr.internal.util.KeyText;
import java.nio.ByteBuffer;
import java.time.InstantSource;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * A put whose value is in a value file. The entry has a {@link Reference} in its place, which says
 * where, and when the value expires: so a compaction moves the reference, and never reads or writes
 * the value. A flush makes such entries of puts; those of very large values are so from the
 * beginning, in the log and in memory.
 */
public final class SeparatedKind extends EntryKind {
  public static final int CODE = 5;

  private final InstantSource clock;
  private final Source source;

  /** Reads values. */
  @FunctionalInterface
  public interface Source {
    /**
     * Reads a part of a value.
     *
     * @param key the key that the value was written to
     * @param from the first byte, counted from 0
     * @param length bytes to read; the part is within the value
     * @param target receives them from {@code targetOffset} on
     * @throws io.sifr.error.CorruptionException when they are damaged, or not where they should be
     * @throws OutdatedException when the value is elsewhere by now, in the newest view
     */
    void read(
        Reference reference, byte[] key, int from, int length, byte[] target, int targetOffset);
  }

  /**
   * Says where a value is.
   *
   * @param due when it expires, in milliseconds since the epoch; {@link ExpiringKind#NEVER}
   * @param file number of the value file
   * @param offset where its record begins in the file
   * @param valueBytes length of the value
   * @param storedBytes what it takes in the file, without what comes before and after it
   */
  public record Reference(long due, long file, long offset, int valueBytes, int storedBytes) {
    /** Size of an encoded reference. */
    public static final int BYTES = 32;

    /** The bytes of the entry. */
    public byte[] encoded() {
      return ByteBuffer.allocate(BYTES)
          .putLong(due)
          .putLong(file)
          .putLong(offset)
          .putInt(valueBytes)
          .putInt(storedBytes)
          .array();
    }

    /**
     * Reads a reference from a buffer's position on.
     *
     * @throws IllegalArgumentException when it says what no reference can
     */
    public static Reference decode(ByteBuffer in) {
      Reference read =
          new Reference(in.getLong(), in.getLong(), in.getLong(), in.getInt(), in.getInt());
      if (read.file <= 0
          || read.offset < 0
          || read.valueBytes < 0
          || read.valueBytes > EntryLimits.MAX_VALUE_BYTES
          || read.storedBytes < 0
          || read.storedBytes > read.valueBytes + mostAdded(read.valueBytes)) {
        throw new IllegalArgumentException(
            "a value of %d bytes, %d of them stored, at offset %d of value file %d"
                .formatted(read.valueBytes, read.storedBytes, read.offset, read.file));
      }
      return read;
    }

    /** Encryption adds some bytes to each frame; how many, the value file knows. */
    private static int mostAdded(int valueBytes) {
      return valueBytes / 256 + 64;
    }
  }

  /** The kind in a store with that clock, whose values are read there. */
  public SeparatedKind(InstantSource clock, Source source) {
    super(CODE, "separated put");
    this.clock = clock;
    this.source = source;
  }

  /** Whether an entry with that trailer is of this kind. */
  public static boolean is(long trailer) {
    return Trailer.kind(trailer) == CODE;
  }

  @Override
  public boolean allows(int valueLength) {
    return valueLength == Reference.BYTES;
  }

  @Override
  public byte @Nullable [] resolve(byte[] key, byte[] value, byte @Nullable [] older) {
    Reference reference = reference(key, value);
    return reference == null ? null : read(key, reference);
  }

  /**
   * The reference that the entry of a key contains; null when the value has expired.
   *
   * @throws SifrException when it says what no reference can: a mapped page is damaged
   */
  public @Nullable Reference reference(byte[] key, byte[] stored) {
    Reference reference = referenceOf(key, stored);
    return reference.due <= clock.millis() ? null : reference;
  }

  /** The same, whether the value has expired or not. */
  public static Reference referenceOf(byte[] key, byte[] stored) {
    return referenceOf(key, 0, key.length, ByteBuffer.wrap(stored));
  }

  /** The same of an iterator's current entry. */
  public static Reference referenceOf(ForwardIterator entry) {
    return referenceOf(entry.keyArray(), entry.keyOffset(), entry.keyLength(), entry.value());
  }

  private static Reference referenceOf(byte[] key, int offset, int length, ByteBuffer stored) {
    try {
      return Reference.decode(stored);
    } catch (IllegalArgumentException e) {
      byte[] itsKey = Arrays.copyOfRange(key, offset, offset + length);
      throw new SifrException(
          "the entry of key " + KeyText.of(itsKey) + " is damaged: it refers to " + e.getMessage());
    }
  }

  /** Reads a value, expired or not. */
  public byte[] read(byte[] key, Reference reference) {
    byte[] value = new byte[reference.valueBytes];
    read(key, reference, 0, value.length, value, 0);
    return value;
  }

  /** Reads a part of a value, see {@link Source#read}. */
  public void read(
      byte[] key, Reference reference, int from, int length, byte[] target, int targetOffset) {
    source.read(reference, key, from, length, target, targetOffset);
  }
}
