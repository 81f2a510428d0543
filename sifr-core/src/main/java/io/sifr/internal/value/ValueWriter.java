package io.sifr.internal.value;

import static com.google.common.base.Preconditions.checkArgument;

import io.sifr.error.SifrException;
import io.sifr.internal.codec.BlockCodec;
import io.sifr.internal.codec.Codecs;
import io.sifr.internal.crypt.FileCipher;
import io.sifr.internal.entry.EntryKind;
import io.sifr.internal.entry.ExpiringKind;
import io.sifr.internal.entry.ForwardIterator;
import io.sifr.internal.entry.SeparatedKind.Reference;
import io.sifr.internal.entry.Trailer;
import io.sifr.internal.format.FileHeader;
import io.sifr.internal.io.RandomWriteFile;
import io.sifr.internal.value.ValueRecord.FrameChecksums;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.function.IntConsumer;
import java.util.function.ToIntFunction;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Writes one value file, from its first value to its last. The head of a record is written when all
 * that follows it is: so a value needs no memory, however large it is, and a head means that all of
 * its record was written. Used by one thread at a time.
 */
public final class ValueWriter implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(ValueWriter.class);
  private static final int STAGING_BYTES = 256 << 10;

  private final RandomWriteFile file;
  private final FileHeader header;

  /** Seals keys and frames; null if the file is not encrypted. */
  private final @Nullable FileCipher cipher;

  private final int databaseId;
  private final BlockCodec codec;
  private final byte[] staging = new byte[STAGING_BYTES];
  private int staged;

  /** Where the first of the staged bytes belongs in the file. */
  private long position;

  private final Runnable whenClosed;
  private boolean closed;

  /** The bytes of a value, read once from the first to the last. */
  @FunctionalInterface
  public interface Content {
    /** Copies the next {@code length} bytes to an array. */
    void read(byte[] target, int offset, int length);
  }

  /**
   * @param file a new file
   * @param cipher of the file; null if it is not encrypted
   * @param databaseId the database of the entries
   * @param codec encodes the frames
   * @param whenClosed called when nothing is written any more
   */
  ValueWriter(
      RandomWriteFile file,
      FileHeader header,
      @Nullable FileCipher cipher,
      int databaseId,
      BlockCodec codec,
      Runnable whenClosed) {
    this.file = file;
    this.header = header;
    this.cipher = cipher;
    this.databaseId = databaseId;
    this.codec = codec;
    this.whenClosed = whenClosed;
    header.encodeTo(ByteBuffer.wrap(staging), 0);
    staged = FileHeader.BYTES;
  }

  /** Number in the file's name. */
  public long number() {
    return header.number();
  }

  /** Bytes of the file so far. */
  public long bytes() {
    return position + staged;
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
    ByteBuffer value = entry.value();
    long due = expires ? value.getLong() : ExpiringKind.NEVER;
    int from = entry.keyOffset();
    byte[] key = Arrays.copyOfRange(entry.keyArray(), from, from + entry.keyLength());
    return add(trailer, due, key, value.remaining(), value::get);
  }

  /**
   * Appends a value. When it fails, nothing was appended.
   *
   * @param trailer that of its entry; 0 when that is not known yet
   * @param due when it expires
   * @return where it is
   */
  Reference add(long trailer, long due, byte[] key, int length, Content content) {
    long at = bytes();
    try {
      return append(
          at, trailer, due, key, length, table -> appendFrames(key, length, content, table));
    } catch (RuntimeException | Error e) {
      goBackTo(at);
      throw e;
    }
  }

  /**
   * Appends a record.
   *
   * @param frames appends the frames, fills the table, and returns the bytes that they take
   */
  private Reference append(
      long at, long trailer, long due, byte[] key, int length, ToIntFunction<ByteBuffer> frames) {
    int added = ValueRecord.added(cipher);
    int headBytes = ValueRecord.HEAD_BYTES + key.length + added;
    makeRoom(headBytes);
    Arrays.fill(staging, staged, staged + headBytes, (byte) 0);
    staged += headBytes;
    ByteBuffer table = ByteBuffer.allocate(ValueRecord.frames(length) * ValueRecord.ROW_BYTES);
    int storedBytes = added + frames.applyAsInt(table);
    append(table.array(), table.capacity());
    if (at < position) {
      flush(); // so that all else is written before the head
    }
    ValueRecord record = new ValueRecord(at, trailer, due, databaseId, key, length, storedBytes);
    overwrite(record.encoded(header.uniqueId(), cipher), at);
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
    FrameChecksums checksums = new FrameChecksums(header.uniqueId(), key, of.valueBytes());
    int[] size = new int[1];
    Reference copied =
        append(
            bytes(),
            trailer,
            of.due(),
            key,
            of.valueBytes(),
            table -> {
              from.readStored(
                  of,
                  key,
                  (codecOfFrame, array, offset, length) -> {
                    makeRoom(length + ValueRecord.added(cipher));
                    System.arraycopy(array, offset, staging, staged, length);
                    int frame = table.position() / ValueRecord.ROW_BYTES;
                    int raw = ValueRecord.frameBytes(of.valueBytes(), frame);
                    int stored = complete(codecOfFrame, length, raw, checksums, table);
                    size[0] += stored;
                    written.accept(stored);
                  });
              return size[0];
            });
    written.accept((int) ValueRecord.bytes(copied, key.length) - size[0]);
    return copied;
  }

  /**
   * Completes a frame that is staged as it was encoded: seals it, and adds its row to the table.
   *
   * @return the bytes that it takes
   */
  private int complete(
      int codecOfFrame, int encoded, int raw, FrameChecksums checksums, ByteBuffer table) {
    long at = bytes();
    int stored = encoded + ValueRecord.added(cipher);
    if (cipher != null) {
      byte[] context = ValueRecord.contextOfFrame(at, codecOfFrame, raw);
      cipher.seal(context, staging, staged, encoded);
    }
    ValueRecord.putRow(table, codecOfFrame, stored, checksums.of(staging, staged, stored, at));
    staged += stored;
    return stored;
  }

  /** Appends the frames of a value, and fills its table. Returns the bytes that they take. */
  private int appendFrames(byte[] key, int length, Content content, ByteBuffer table) {
    FrameChecksums checksums = new FrameChecksums(header.uniqueId(), key, length);
    byte[] raw = codec == Codecs.NONE ? staging : new byte[ValueRecord.FRAME_BYTES];
    int size = 0;
    for (int left = length; left > 0; left -= ValueRecord.FRAME_BYTES) {
      int frame = Math.min(ValueRecord.FRAME_BYTES, left);
      makeRoom(frame + ValueRecord.added(cipher));
      int stored = frame;
      if (codec == Codecs.NONE) {
        content.read(staging, staged, frame);
      } else {
        content.read(raw, 0, frame);
        stored = encode(raw, frame);
      }
      int codecOfFrame = stored < frame ? codec.id() : 0;
      size += complete(codecOfFrame, stored, frame, checksums, table);
    }
    return size;
  }

  /** Encodes a frame, if that makes it smaller. Returns the bytes that it takes. */
  private int encode(byte[] raw, int length) {
    ByteBuffer target = ByteBuffer.wrap(staging, staged, BlockCodec.worth(length));
    boolean isEncoded =
        codec.encode(ByteBuffer.wrap(raw, 0, length), target)
            && target.position() - staged < length;
    if (isEncoded) {
      return target.position() - staged;
    }
    System.arraycopy(raw, 0, staging, staged, length);
    return length;
  }

  private void append(byte[] source, int length) {
    if (length > STAGING_BYTES / 2) {
      flush();
      file.write(source, 0, length, position);
      position += length;
      return;
    }
    makeRoom(length);
    System.arraycopy(source, 0, staging, staged, length);
    staged += length;
  }

  /** Writes what was appended before. */
  private void overwrite(byte[] source, long at) {
    if (at >= position) {
      System.arraycopy(source, 0, staging, (int) (at - position), source.length);
    } else {
      file.write(source, 0, source.length, at);
    }
  }

  /** Forgets what was appended from there on; no record begins there. */
  private void goBackTo(long at) {
    if (at < position) {
      try {
        file.write(new byte[Long.BYTES], 0, Long.BYTES, at);
      } catch (SifrException e) {
        LOG.debug("what is left of a value that was not put stays as it is", e);
      }
    }
    staged = (int) Math.max(0, at - position);
    position = Math.min(position, at);
  }

  private void makeRoom(int length) {
    if (staged + length > STAGING_BYTES) {
      flush();
    }
  }

  /** Writes what is still in memory. */
  void flush() {
    file.write(staging, 0, staged, position);
    position += staged;
    staged = 0;
  }

  /** Makes what was {@link #flush written} durable; may be called while values are added. */
  void sync() {
    file.sync();
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
      whenClosed.run();
    }
  }
}
