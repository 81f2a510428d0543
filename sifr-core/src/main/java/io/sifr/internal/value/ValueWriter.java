package io.sifr.internal.value;

import static com.google.common.base.Preconditions.checkArgument;

import io.sifr.internal.codec.BlockCodec;
import io.sifr.internal.codec.Codecs;
import io.sifr.internal.entry.EntryKind;
import io.sifr.internal.entry.ExpiringKind;
import io.sifr.internal.entry.ForwardIterator;
import io.sifr.internal.entry.SeparatedKind.Reference;
import io.sifr.internal.entry.Trailer;
import io.sifr.internal.format.FileHeader;
import io.sifr.internal.io.AppendFile;
import io.sifr.internal.util.Bytes;
import io.sifr.internal.value.ValueRecord.FrameChecksums;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.function.IntConsumer;

/**
 * Writes one value file, from its first value to its last. Memory is taken for a value only if it
 * is to be encoded: its encoded form. Used by one thread.
 */
public final class ValueWriter implements AutoCloseable {
  private static final int STAGING_BYTES = 256 << 10;

  private final AppendFile file;
  private final FileHeader header;
  private final int databaseId;
  private final BlockCodec codec;
  private final byte[] staging = new byte[STAGING_BYTES];
  private int staged;
  private byte[] encoded = Bytes.EMPTY;
  private boolean closed;

  /**
   * @param file a new file
   * @param databaseId the database of the entries
   * @param codec encodes the frames
   */
  ValueWriter(AppendFile file, FileHeader header, int databaseId, BlockCodec codec) {
    this.file = file;
    this.header = header;
    this.databaseId = databaseId;
    this.codec = codec;
    header.encodeTo(ByteBuffer.wrap(staging), 0);
    staged = FileHeader.BYTES;
  }

  /** Number in the file's name. */
  public long number() {
    return header.number();
  }

  /** Bytes of the file so far. */
  public long bytes() {
    return file.position() + staged;
  }

  /**
   * Appends the value of an iterator's current entry, which is a put, or one that expires.
   *
   * @return where it is, and when it expires
   */
  public Reference add(ForwardIterator entry) {
    long trailer = entry.trailer();
    boolean expires = Trailer.kind(trailer) == ExpiringKind.CODE;
    checkArgument(expires || Trailer.isPut(trailer), "an entry of kind %s", Trailer.kind(trailer));
    ByteBuffer stored = entry.value();
    long due = expires ? stored.getLong() : ExpiringKind.NEVER;
    int from = entry.keyOffset();
    byte[] key = Arrays.copyOfRange(entry.keyArray(), from, from + entry.keyLength());
    ByteBuffer value = stored.slice();
    int length = value.remaining();
    ByteBuffer table = ByteBuffer.allocate(ValueRecord.frames(length) * ValueRecord.ROW_BYTES);
    FrameChecksums checksums = new FrameChecksums(header.uniqueId(), key, length);
    boolean isPlain = codec == Codecs.NONE;
    int storedBytes =
        isPlain
            ? length
            : encode(value, table, checksums, bytes() + ValueRecord.HEAD_BYTES + key.length);
    ValueRecord record =
        new ValueRecord(bytes(), trailer, due, databaseId, key, length, storedBytes);
    byte[] head = record.encoded(header.uniqueId());
    append(head, head.length);
    if (isPlain) {
      appendPlain(value, table, checksums);
    } else {
      append(encoded, storedBytes);
    }
    append(table.array(), table.capacity());
    return record.reference(header.number());
  }

  /**
   * Appends a value of another file as it is stored there: it is checked, but not decoded.
   *
   * @param entry refers to it
   * @param written told the bytes of each frame, and of the rest
   * @return where it is now
   * @throws io.sifr.error.CorruptionException when the value is damaged; this cannot be used then
   */
  public Reference copy(ForwardIterator entry, Reference of, ValueFile from, IntConsumer written) {
    int begin = entry.keyOffset();
    byte[] key = Arrays.copyOfRange(entry.keyArray(), begin, begin + entry.keyLength());
    int kind = of.due() == ExpiringKind.NEVER ? EntryKind.CODE_OF_PUT : ExpiringKind.CODE;
    long trailer = Trailer.of(Trailer.sequence(entry.trailer()), kind);
    ValueRecord record =
        new ValueRecord(
            bytes(), trailer, of.due(), databaseId, key, of.valueBytes(), of.storedBytes());
    byte[] head = record.encoded(header.uniqueId());
    append(head, head.length);
    ByteBuffer table =
        ByteBuffer.allocate(ValueRecord.frames(of.valueBytes()) * ValueRecord.ROW_BYTES);
    FrameChecksums checksums = new FrameChecksums(header.uniqueId(), key, of.valueBytes());
    from.readStored(
        of,
        key,
        (codec, array, offset, length) -> {
          makeRoom(length);
          System.arraycopy(array, offset, staging, staged, length);
          ValueRecord.putRow(table, codec, length, checksums.of(staging, staged, length, bytes()));
          staged += length;
          written.accept(length);
        });
    append(table.array(), table.capacity());
    written.accept(head.length + table.capacity());
    return record.reference(header.number());
  }

  private void appendPlain(ByteBuffer value, ByteBuffer table, FrameChecksums checksums) {
    while (value.hasRemaining()) {
      int length = Math.min(ValueRecord.FRAME_BYTES, value.remaining());
      makeRoom(length);
      value.get(staging, staged, length);
      ValueRecord.putRow(table, 0, length, checksums.of(staging, staged, length, bytes()));
      staged += length;
    }
  }

  /** Encodes a value as far as that makes it smaller. Returns the bytes that it takes. */
  private int encode(ByteBuffer value, ByteBuffer table, FrameChecksums checksums, long at) {
    ByteBuffer raw = ByteBuffer.allocate(ValueRecord.FRAME_BYTES);
    int size = 0;
    while (value.hasRemaining()) {
      int length = Math.min(ValueRecord.FRAME_BYTES, value.remaining());
      raw.clear().limit(length);
      raw.put(value.slice(value.position(), length)).flip();
      value.position(value.position() + length);
      if (encoded.length < size + length) {
        encoded = Arrays.copyOf(encoded, Math.max(size + length, 2 * encoded.length));
      }
      ByteBuffer target = ByteBuffer.wrap(encoded, size, BlockCodec.worth(length));
      boolean isEncoded =
          codec.encode(raw.duplicate(), target) && target.position() - size < length;
      if (!isEncoded) {
        System.arraycopy(raw.array(), 0, encoded, size, length);
      }
      int stored = isEncoded ? target.position() - size : length;
      int checksum = checksums.of(encoded, size, stored, at + size);
      ValueRecord.putRow(table, isEncoded ? codec.id() : 0, stored, checksum);
      size += stored;
    }
    return size;
  }

  private void append(byte[] source, int length) {
    if (length > STAGING_BYTES / 2) {
      flush();
      file.append(source, 0, length);
      return;
    }
    makeRoom(length);
    System.arraycopy(source, 0, staging, staged, length);
    staged += length;
  }

  private void makeRoom(int length) {
    if (staged + length > STAGING_BYTES) {
      flush();
    }
  }

  private void flush() {
    file.append(staging, 0, staged);
    staged = 0;
  }

  /** Makes the content durable and closes the file. Its name is durable with its directory. */
  public void finish() {
    flush();
    file.sync();
    close();
  }

  @Override
  public void close() {
    if (!closed) {
      closed = true;
      file.close();
    }
  }
}
