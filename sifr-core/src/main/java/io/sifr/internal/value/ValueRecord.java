package io.sifr.internal.value;

import io.sifr.error.CorruptionException;
import io.sifr.internal.crypt.FileCipher;
import io.sifr.internal.entry.EntryKind;
import io.sifr.internal.entry.EntryLimits;
import io.sifr.internal.entry.ExpiringKind;
import io.sifr.internal.entry.SeparatedKind.Reference;
import io.sifr.internal.entry.Trailer;
import io.sifr.internal.format.Checksums;
import io.sifr.internal.format.FileHeader;
import io.sifr.internal.util.Bytes;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.zip.CRC32C;
import org.jspecify.annotations.Nullable;

/**
 * A value in a value file: the head of its record. The value follows the key, as frames of {@value
 * #FRAME_BYTES} bytes, each as it is or encoded; then a table with a row for each frame.
 *
 * <pre>
 *       0  u64  mark: unique id of the file + offset of the record
 *       8  u64  trailer of the entry, see {@link io.sifr.internal.entry.Trailer}; that of a delete:
 *               there is no value, the s bytes after the key mean nothing
 *      16  u64  when the value expires; 2^63-1: never
 *      24  u32  database
 *      28  u32  k, bytes of the key
 *      32  u32  n, bytes of the value
 *      36  u32  s, bytes of all frames
 *      40  u32  0
 *      44  u32  CRC32C of bytes 0-43 and of the key, bound to file and offset
 *      48       key
 *    48+k       frames
 *  48+k+s       table, for each frame:
 *               0  u8   codec; 0: the frame is stored as it is
 *               1  u24  bytes of the frame as it is stored
 *               4  u32  its checksum
 * </pre>
 *
 * <p>In an encrypted file the key is a sealed piece, with bytes 0-43 as its context, and each frame
 * is one; the bytes that the piece of the key takes besides are the first of the s bytes. A record
 * without a value is as in a file that is not encrypted.
 *
 * <p>The checksum of a frame includes its place in the file and what its reader knows without the
 * head: the key, and the length of the value. So a reference to the wrong place is detected.
 *
 * @param offset where the record begins
 * @param trailer sequence number and kind that the entry had
 * @param due when the value expires
 * @param databaseId the database
 * @param key the key
 * @param valueBytes length of the value
 * @param storedBytes bytes of all frames
 */
@SuppressWarnings("ArrayRecordComponent") // never compared as a record
public record ValueRecord(
    long offset,
    long trailer,
    long due,
    int databaseId,
    byte[] key,
    int valueBytes,
    int storedBytes) {
  /** Bytes of a value that are stored, checked and read together. */
  public static final int FRAME_BYTES = 16 << 10;

  static final int HEAD_BYTES = 48;
  static final int ROW_BYTES = 8;

  private static final int CRC_AT = 44;
  private static final int LENGTH_MASK = (1 << 24) - 1;

  /** Number of frames of a value. */
  static int frames(int valueBytes) {
    return (valueBytes + FRAME_BYTES - 1) / FRAME_BYTES;
  }

  /** Length of a frame of a value, not encoded. */
  static int frameBytes(int valueBytes, int frame) {
    return Math.min(FRAME_BYTES, valueBytes - frame * FRAME_BYTES);
  }

  /** A record in the place of one that was not written wholly, or of several. */
  static ValueRecord unused(long offset, long bytes) {
    long trailer = Trailer.of(0, EntryKind.CODE_OF_DELETE);
    int rest = Math.toIntExact(bytes - HEAD_BYTES);
    return new ValueRecord(offset, trailer, ExpiringKind.NEVER, 0, Bytes.EMPTY, 0, rest);
  }

  /** Whether the record has no value. */
  boolean isUnused() {
    return isUnused(trailer);
  }

  private static boolean isUnused(long trailer) {
    return Trailer.kind(trailer) == EntryKind.CODE_OF_DELETE;
  }

  /** Bytes that a sealed piece takes besides its content; 0 if the file is not encrypted. */
  static int added(@Nullable FileCipher cipher) {
    return cipher == null ? 0 : FileCipher.OVERHEAD;
  }

  /** The context of a sealed frame. */
  static byte[] contextOfFrame(long at, int codec, int rawBytes) {
    return ByteBuffer.allocate(Long.BYTES + 1 + Integer.BYTES)
        .putLong(at)
        .put((byte) codec)
        .putInt(rawBytes)
        .array();
  }

  private static byte[] contextOfKey(byte[] headAndKey) {
    return Arrays.copyOf(headAndKey, CRC_AT);
  }

  /** Bytes of the whole record. */
  public long bytes() {
    return bytes(key.length, valueBytes, storedBytes);
  }

  /** Bytes of the whole record of a value, as they are known to who refers to it. */
  public static long bytes(Reference reference, int keyLength) {
    return bytes(keyLength, reference.valueBytes(), reference.storedBytes());
  }

  private static long bytes(int keyLength, int valueBytes, int storedBytes) {
    return HEAD_BYTES + keyLength + storedBytes + (long) frames(valueBytes) * ROW_BYTES;
  }

  /** Where the value is, for an SST that refers to it. */
  public Reference reference(long file) {
    return new Reference(due, file, offset, valueBytes, storedBytes);
  }

  /** Where the frames of a value begin, with what the sealed key takes besides. */
  static long framesAt(Reference reference, int keyLength) {
    return reference.offset() + HEAD_BYTES + keyLength;
  }

  /** Where the table of a value begins. */
  static long tableAt(Reference reference, int keyLength) {
    return framesAt(reference, keyLength) + reference.storedBytes();
  }

  /** The head and the key, as they are stored. */
  byte[] encoded(long uniqueId, @Nullable FileCipher cipher) {
    FileCipher ofKey = isUnused() ? null : cipher;
    ByteBuffer head = ByteBuffer.allocate(HEAD_BYTES + key.length + added(ofKey));
    head.putLong(FileHeader.mark(uniqueId, offset)).putLong(trailer).putLong(due);
    head.putInt(databaseId).putInt(key.length).putInt(valueBytes).putInt(storedBytes).putInt(0);
    head.put(HEAD_BYTES, key);
    if (ofKey != null) {
      ofKey.seal(contextOfKey(head.array()), head.array(), HEAD_BYTES, key.length);
    }
    head.putInt(CRC_AT, headChecksum(head.array(), uniqueId, offset));
    return head.array();
  }

  private static int headChecksum(byte[] headAndKey, long uniqueId, long offset) {
    CRC32C crc = new CRC32C();
    crc.update(headAndKey, 0, CRC_AT);
    crc.update(headAndKey, HEAD_BYTES, headAndKey.length - HEAD_BYTES);
    return Checksums.bind((int) crc.getValue(), uniqueId, offset);
  }

  /**
   * Length of the head of a record and of its key, as they are stored.
   *
   * @param head the head, which is not checked
   * @throws CorruptionException when it does not begin with the mark, or there can be no such key
   */
  static int headBytes(
      Path file, long uniqueId, @Nullable FileCipher cipher, long offset, ByteBuffer head) {
    int length = head.getInt(28);
    if (head.getLong(0) != FileHeader.mark(uniqueId, offset)
        || length < 0
        || length > EntryLimits.MAX_KEY_BYTES) {
      throw new CorruptionException(file, offset, "no record of a value begins here");
    }
    return HEAD_BYTES + length + (isUnused(head.getLong(8)) ? 0 : added(cipher));
  }

  /**
   * Reads the head of a record and its key.
   *
   * @param cipher opens its key; null if the file is not encrypted
   * @param stored both
   * @param fileBytes size of the file
   * @throws CorruptionException when they are damaged
   */
  static ValueRecord decode(
      Path file,
      long uniqueId,
      @Nullable FileCipher cipher,
      long offset,
      byte[] stored,
      long fileBytes) {
    ByteBuffer head = ByteBuffer.wrap(stored);
    int expected = head.getInt(CRC_AT);
    int actual = headChecksum(stored, uniqueId, offset);
    if (expected != actual) {
      throw CorruptionException.checksum(file, offset, "head of a value", expected, actual);
    }
    FileCipher ofKey = isUnused(head.getLong(8)) ? null : cipher;
    int keyBytes = stored.length - HEAD_BYTES;
    byte[] key =
        ofKey == null
            ? Arrays.copyOfRange(stored, HEAD_BYTES, stored.length)
            : ofKey.open(
                "head of a value", offset, contextOfKey(stored), stored, HEAD_BYTES, keyBytes);
    ValueRecord record =
        new ValueRecord(
            offset,
            head.getLong(8),
            head.getLong(16),
            head.getInt(24),
            key,
            head.getInt(32),
            head.getInt(36));
    if (record.valueBytes < 0
        || record.valueBytes > EntryLimits.MAX_VALUE_BYTES
        || record.storedBytes < 0
        || (record.storedBytes > record.mostStoredBytes(ofKey) && !record.isUnused())
        || record.bytes() > fileBytes - offset
        || head.getInt(40) != 0) {
      throw new CorruptionException(
          file,
          offset,
          "a value of %d bytes, %d of them stored, in a file of %d bytes"
              .formatted(record.valueBytes, record.storedBytes, fileBytes));
    }
    return record;
  }

  /** Bytes of all frames if they are stored as they are. */
  private long mostStoredBytes(@Nullable FileCipher cipher) {
    return plainBytes(valueBytes, cipher);
  }

  /** Bytes of all frames of a value if they are stored as they are, perhaps sealed. */
  static long plainBytes(int valueBytes, @Nullable FileCipher cipher) {
    return valueBytes + (frames(valueBytes) + 1L) * added(cipher);
  }

  /** Writes a row of a table. */
  static void putRow(ByteBuffer table, int codec, int storedBytes, int checksum) {
    table.putInt(codec << 24 | storedBytes).putInt(checksum);
  }

  /** Codec of a frame, by its row. */
  static int codec(ByteBuffer table, int row) {
    return table.getInt(row * ROW_BYTES) >>> 24;
  }

  /** Bytes of a frame as it is stored, by its row. */
  static int stored(ByteBuffer table, int row) {
    return table.getInt(row * ROW_BYTES) & LENGTH_MASK;
  }

  /** Checksum of a frame, by its row. */
  static int checksum(ByteBuffer table, int row) {
    return table.getInt(row * ROW_BYTES + Integer.BYTES);
  }

  /** The checksums of the frames of one value. Used by one thread. */
  static final class FrameChecksums {
    private final byte[] seed;
    private final long uniqueId;
    private final CRC32C crc = new CRC32C();

    FrameChecksums(long uniqueId, byte[] key, int valueBytes) {
      this.uniqueId = uniqueId;
      crc.update(key);
      crc.update(ByteBuffer.allocate(Integer.BYTES).putInt(0, valueBytes));
      seed = ByteBuffer.allocate(Integer.BYTES).putInt((int) crc.getValue()).array();
    }

    /**
     * Checksum of a frame as it is stored.
     *
     * @param at where it is in the file
     */
    int of(byte[] array, int offset, int length, long at) {
      crc.reset();
      crc.update(seed);
      crc.update(array, offset, length);
      return Checksums.bind((int) crc.getValue(), uniqueId, at);
    }
  }
}
