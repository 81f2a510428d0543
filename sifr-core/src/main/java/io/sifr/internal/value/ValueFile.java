package io.sifr.internal.value;

import com.google.errorprone.annotations.CanIgnoreReturnValue;
import io.sifr.error.CorruptionException;
import io.sifr.error.SifrException;
import io.sifr.internal.codec.BlockCodec;
import io.sifr.internal.entry.SeparatedKind.Reference;
import io.sifr.internal.format.FileHeader;
import io.sifr.internal.format.FileKind;
import io.sifr.internal.io.RandomReadFile;
import io.sifr.internal.io.StoreFileSystem;
import io.sifr.internal.util.Bytes;
import io.sifr.internal.util.KeyText;
import io.sifr.internal.value.ValueRecord.FrameChecksums;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.function.Consumer;
import java.util.function.IntFunction;
import org.jspecify.annotations.Nullable;

/** A value file that is open for reading. Thread-safe. */
public final class ValueFile implements AutoCloseable {
  private static final int VERIFIED_FRAMES = 16;
  private static final int VERIFIED_BYTES = VERIFIED_FRAMES * ValueRecord.FRAME_BYTES;

  private final Path path;
  private final long number;
  private final RandomReadFile file;
  private final long uniqueId;
  private final IntFunction<@Nullable BlockCodec> codecs;

  private ValueFile(
      Path path,
      long number,
      RandomReadFile file,
      long uniqueId,
      IntFunction<@Nullable BlockCodec> codecs) {
    this.path = path;
    this.number = number;
    this.file = file;
    this.uniqueId = uniqueId;
    this.codecs = codecs;
  }

  /**
   * Opens a file.
   *
   * @param codecs the codecs that frames may be encoded with, by number
   * @throws CorruptionException when it is missing, or no value file
   */
  public static ValueFile open(
      StoreFileSystem fileSystem,
      Path directory,
      long number,
      IntFunction<@Nullable BlockCodec> codecs) {
    Path path = FileKind.VALUES.path(directory, number);
    RandomReadFile file;
    try {
      file = fileSystem.openForRead(path);
    } catch (SifrException e) {
      if (!fileSystem.exists(path)) {
        throw new CorruptionException(path, 0, "the file is missing");
      }
      throw e;
    }
    try {
      file.keepsItsName(); // it is deleted when the last SST that refers to it is gone
      ByteBuffer head = ByteBuffer.allocate((int) Math.min(file.size(), FileHeader.BYTES));
      file.readFully(head, 0);
      FileHeader header = FileHeader.decode(path, head.flip(), FileKind.VALUES, number);
      return new ValueFile(path, number, file, header.uniqueId(), codecs);
    } catch (RuntimeException | Error e) {
      file.close();
      throw e;
    }
  }

  /** Random id in the header. */
  public long uniqueId() {
    return uniqueId;
  }

  /** Size of the file. */
  public long bytes() {
    return file.size();
  }

  /** Reads a part of a value, see {@link io.sifr.internal.entry.SeparatedKind.Source}. */
  void read(Reference of, byte[] key, int from, int length, byte[] target, int targetOffset) {
    int frames = ValueRecord.frames(of.valueBytes());
    long tableAt = ValueRecord.tableAt(of, key.length);
    requireReaches(of, key, tableAt + (long) frames * ValueRecord.ROW_BYTES);
    if (length == 0) {
      return;
    }
    int first = from / ValueRecord.FRAME_BYTES;
    int last = (from + length - 1) / ValueRecord.FRAME_BYTES;
    new Reading(of, key, first, last).into(from, length, target, targetOffset);
  }

  /** Checks that the file is so long. One that is still written to may have grown. */
  private void requireReaches(Reference of, byte[] key, long end) {
    if (end > file.size()) {
      try {
        file.readFully(ByteBuffer.allocate(1), end - 1);
      } catch (CorruptionException e) {
        throw damaged(of, key, "it would end after the file, which has " + file.size() + " bytes");
      }
    }
  }

  private CorruptionException damaged(Reference of, byte[] key, String what) {
    return new CorruptionException(
        path, of.offset(), "the value of key " + KeyText.of(key) + " cannot be read: " + what);
  }

  /** Some frames of a value. */
  private final class Reading {
    private final Reference of;
    private final byte[] key;
    private final int first;
    private final int last;
    private final FrameChecksums checksums;

    /** Where the first of them begins. */
    private final long begin;

    /** Bytes of all of them. */
    private final int stored;

    /** The rows of the first to the last of them. */
    private final ByteBuffer rows;

    Reading(Reference of, byte[] key, int first, int last) {
      this.of = of;
      this.key = key;
      this.first = first;
      this.last = last;
      this.checksums = new FrameChecksums(uniqueId, key, of.valueBytes());
      boolean isPlain = of.storedBytes() == of.valueBytes();
      int begins = isPlain ? first : 0; // else what is before them tells where they begin
      ByteBuffer read = ByteBuffer.allocate((last + 1 - begins) * ValueRecord.ROW_BYTES);
      file.readFully(
          read, ValueRecord.tableAt(of, key.length) + (long) begins * ValueRecord.ROW_BYTES);
      int skipped = first - begins;
      long before = (long) begins * ValueRecord.FRAME_BYTES;
      for (int i = 0; i < skipped; i++) {
        before += ValueRecord.stored(read, i);
      }
      this.rows =
          read.slice(skipped * ValueRecord.ROW_BYTES, (last + 1 - first) * ValueRecord.ROW_BYTES);
      long size = 0;
      for (int i = 0; i <= last - first; i++) {
        size += checkedLength(i);
      }
      if (before + size > of.storedBytes()) {
        throw damaged(of, key, "its table of frames is damaged");
      }
      this.begin = ValueRecord.framesAt(of, key.length) + before;
      this.stored = (int) size;
    }

    private int checkedLength(int row) {
      int stored = ValueRecord.stored(rows, row);
      int raw = ValueRecord.frameBytes(of.valueBytes(), first + row);
      boolean fits = ValueRecord.codec(rows, row) == 0 ? stored == raw : stored < raw;
      if (!fits) {
        throw damaged(of, key, "its table of frames is damaged");
      }
      return stored;
    }

    void into(int from, int length, byte[] target, int targetOffset) {
      int skipped = from - first * ValueRecord.FRAME_BYTES;
      int end = Math.min(of.valueBytes(), (last + 1) * ValueRecord.FRAME_BYTES);
      boolean isWhole = skipped == 0 && from + length == end;
      if (isWhole && stored == length) {
        file.readFully(ByteBuffer.wrap(target, targetOffset, length), begin);
        check(target, targetOffset);
        return;
      }
      copy(verify(), skipped, length, target, targetOffset);
    }

    /** Reads them as they are stored. */
    @CanIgnoreReturnValue
    byte[] verify() {
      byte[] read = new byte[stored];
      file.readFully(ByteBuffer.wrap(read), begin);
      check(read, 0);
      return read;
    }

    private void check(byte[] array, int offset) {
      int at = 0;
      for (int i = 0; i <= last - first; i++) {
        int length = ValueRecord.stored(rows, i);
        int expected = ValueRecord.checksum(rows, i);
        int actual = checksums.of(array, offset + at, length, begin + at);
        if (expected != actual) {
          throw damaged(
              of,
              key,
              "the checksum of the %d bytes at offset %d is %08x, the file says %08x"
                  .formatted(length, begin + at, actual, expected));
        }
        at += length;
      }
    }

    /** Copies a part of the frames, not encoded, from an offset in the first of them on. */
    private void copy(byte[] read, int skipped, int length, byte[] target, int targetOffset) {
      byte[] decoded = new byte[ValueRecord.FRAME_BYTES];
      int at = 0;
      int skip = skipped;
      int copied = 0;
      for (int i = 0; i <= last - first; i++) {
        int raw = ValueRecord.frameBytes(of.valueBytes(), first + i);
        int bytes = ValueRecord.stored(rows, i);
        int count = Math.min(raw - skip, length - copied);
        int codec = ValueRecord.codec(rows, i);
        if (codec == 0) {
          System.arraycopy(read, at + skip, target, targetOffset + copied, count);
        } else {
          decode(codec, ByteBuffer.wrap(read, at, bytes), ByteBuffer.wrap(decoded, 0, raw));
          System.arraycopy(decoded, skip, target, targetOffset + copied, count);
        }
        at += bytes;
        copied += count;
        skip = 0;
      }
    }

    private void decode(int number, ByteBuffer from, ByteBuffer into) {
      BlockCodec codec = codecs.apply(number);
      if (codec == null) {
        throw damaged(of, key, "it is encoded with codec " + number + ", which is not known");
      }
      try {
        codec.decode(from, into);
      } catch (IllegalArgumentException e) {
        throw damaged(of, key, "a frame cannot be decoded: " + e.getMessage());
      }
    }
  }

  /**
   * Reads the heads of all records, in the order in which they were written. What follows the last
   * one that was written wholly is no fault: a process may have been killed while it put a value.
   *
   * @throws CorruptionException where the file is damaged; the visitor got those before
   */
  public void scan(Consumer<ValueRecord> visitor) {
    long offset = FileHeader.BYTES;
    while (offset < file.size() && isBegunAt(offset)) {
      ValueRecord record = recordAt(offset);
      visitor.accept(record);
      offset += record.bytes();
    }
  }

  /**
   * Reads the whole file, every value included.
   *
   * @throws CorruptionException naming the first fault
   */
  public void verify() {
    byte[] some = new byte[VERIFIED_BYTES];
    scan(
        record -> {
          verify(record.reference(number), record.key(), some);
        });
  }

  /**
   * Reads a value, without keeping it in memory.
   *
   * @throws CorruptionException when it is damaged
   */
  public void verify(Reference of, byte[] key) {
    verify(of, key, new byte[VERIFIED_BYTES]);
  }

  /**
   * Reads a value as it is stored, without decoding it.
   *
   * @throws CorruptionException when it is damaged
   */
  public void verifyStored(Reference of, byte[] key) {
    read(of, key, 0, 0, Bytes.EMPTY, 0);
    int frames = ValueRecord.frames(of.valueBytes());
    for (int first = 0; first < frames; first += VERIFIED_FRAMES) {
      new Reading(of, key, first, Math.min(frames, first + VERIFIED_FRAMES) - 1).verify();
    }
  }

  private void verify(Reference of, byte[] key, byte[] some) {
    read(of, key, 0, 0, some, 0);
    for (int from = 0; from < of.valueBytes(); from += some.length) {
      read(of, key, from, Math.min(some.length, of.valueBytes() - from), some, 0);
    }
  }

  /**
   * Checks that a reference says what the record says to which it refers.
   *
   * @throws CorruptionException when it does not
   */
  public void requireSame(Reference of, byte[] key) {
    if (of.offset() >= file.size()) {
      throw damaged(of, key, "it would begin after the file, which has " + file.size() + " bytes");
    }
    ValueRecord record = recordAt(of.offset());
    if (!record.reference(number).equals(of) || !Arrays.equals(record.key(), key)) {
      throw damaged(of, key, "there is another value, of key " + KeyText.of(record.key()));
    }
  }

  /** Whether a record was written there; its head comes last. */
  private boolean isBegunAt(long offset) {
    ByteBuffer mark = ByteBuffer.allocate(Long.BYTES);
    file.readFully(mark.limit((int) Math.min(Long.BYTES, file.size() - offset)), offset);
    return mark.clear().getLong(0) != 0;
  }

  private ValueRecord recordAt(long offset) {
    if (file.size() - offset < ValueRecord.HEAD_BYTES) {
      throw new CorruptionException(path, offset, "the file ends within the head of a value");
    }
    ByteBuffer head = ByteBuffer.allocate(ValueRecord.HEAD_BYTES);
    file.readFully(head, offset);
    int keyLength = ValueRecord.keyLength(path, uniqueId, offset, head);
    if (file.size() - offset < ValueRecord.HEAD_BYTES + keyLength) {
      throw new CorruptionException(path, offset, "the file ends within the key of a value");
    }
    ByteBuffer both = ByteBuffer.allocate(ValueRecord.HEAD_BYTES + keyLength);
    file.readFully(both, offset);
    return ValueRecord.decode(path, uniqueId, offset, both.array(), file.size());
  }

  @Override
  public void close() {
    file.close();
  }
}
