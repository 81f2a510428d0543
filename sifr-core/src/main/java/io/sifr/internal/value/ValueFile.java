package io.sifr.internal.value;

import io.sifr.error.CorruptionException;
import io.sifr.error.SifrException;
import io.sifr.internal.codec.BlockCodec;
import io.sifr.internal.crypt.FileCipher;
import io.sifr.internal.entry.SeparatedKind.Reference;
import io.sifr.internal.format.FileHeader;
import io.sifr.internal.format.FileKind;
import io.sifr.internal.io.RandomReadFile;
import io.sifr.internal.io.RandomWriteFile;
import io.sifr.internal.io.ReadMeter;
import io.sifr.internal.io.StoreFileSystem;
import io.sifr.internal.util.Bytes;
import io.sifr.internal.util.KeyText;
import io.sifr.internal.value.ValueRecord.FrameChecksums;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import java.util.function.IntFunction;
import org.jspecify.annotations.Nullable;

/** A value file that is open for reading, perhaps while others append to it. Thread-safe. */
public final class ValueFile implements AutoCloseable {
  /** Where the first record begins. */
  static final long FIRST_RECORD = FileHeader.BYTES;

  /** Bytes of a value that are read at once to verify it. */
  static final int VERIFIED_BYTES = 16 * ValueRecord.FRAME_BYTES;

  /**
   * Frames that are read at once. They stay in the processor's cache until they are checked, and
   * bound the memory that reading a value takes beside it.
   */
  private static final int PIECE_FRAMES = 16;

  private final StoreFileSystem fileSystem;
  private final Path path;
  private final long number;
  private final RandomReadFile file;
  private final long uniqueId;

  /** Opens what is sealed; null if the file is not encrypted. */
  private final @Nullable FileCipher cipher;

  private final IntFunction<@Nullable BlockCodec> codecs;

  private ValueFile(
      StoreFileSystem fileSystem,
      Path path,
      long number,
      RandomReadFile file,
      FileHeader header,
      IntFunction<@Nullable BlockCodec> codecs) {
    this.fileSystem = fileSystem;
    this.path = path;
    this.number = number;
    this.file = file;
    this.uniqueId = header.uniqueId();
    this.cipher = header.cipher(path, fileSystem.keys());
    this.codecs = codecs;
  }

  /**
   * Opens a file.
   *
   * @param codecs the codecs that frames may be encoded with, by number
   * @param meter counts the reads by position
   * @param isComplete whether nobody writes to it any more; it is mapped then
   * @throws CorruptionException when it is missing, or no value file
   */
  public static ValueFile open(
      StoreFileSystem fileSystem,
      Path directory,
      long number,
      IntFunction<@Nullable BlockCodec> codecs,
      ReadMeter meter,
      BooleanSupplier isComplete) {
    Path path = FileKind.VALUES.path(directory, number);
    RandomReadFile file;
    try {
      file =
          new MappedReads(
              meter.counted(fileSystem.openForRead(path)),
              isComplete,
              () -> fileSystem.mapForRead(path, fileSystem.size(path)));
    } catch (SifrException e) {
      if (!fileSystem.exists(path)) {
        throw new CorruptionException(path, 0, "the file is missing");
      }
      throw e;
    }
    try {
      file.keepsItsName(); // it is deleted when the last SST that refers to it is gone
      FileHeader header = FileHeader.read(file, path, FileKind.VALUES, number);
      return new ValueFile(fileSystem, path, number, file, header, codecs);
    } catch (RuntimeException | Error e) {
      file.close();
      throw e;
    }
  }

  /** Random id in the header. */
  public long uniqueId() {
    return uniqueId;
  }

  /** Size of the file now. */
  public long bytes() {
    return fileSystem.size(path);
  }

  /** Size of the file; if it is less than a number of bytes, as it is now. */
  private long bytes(long wanted) {
    long known = file.size();
    return wanted <= known ? known : bytes();
  }

  /** Reads a part of a value, see {@link io.sifr.internal.entry.SeparatedKind.Source}. */
  void read(Reference of, byte[] key, int from, int length, byte[] target, int targetOffset) {
    requireWithin(of, key);
    if (length == 0) {
      return;
    }
    int first = from / ValueRecord.FRAME_BYTES;
    int last = (from + length - 1) / ValueRecord.FRAME_BYTES;
    new Reading(of, key, first, last).into(from, length, target, targetOffset);
  }

  /** Checks that the value ends within the file. */
  private void requireWithin(Reference of, byte[] key) {
    long end = of.offset() + ValueRecord.bytes(of, key.length);
    long size = bytes(end);
    if (end > size) {
      throw damaged(of, key, "it would end after the file, which has " + size + " bytes");
    }
  }

  /** Receives the frames of a value as they are stored. */
  interface Frames {
    void add(int codec, byte[] array, int offset, int length);
  }

  /**
   * Reads a whole value, checked but not decoded, frame after frame.
   *
   * @throws CorruptionException when it is damaged, perhaps after some frames
   */
  void readStored(Reference of, byte[] key, Frames target) {
    requireWithin(of, key);
    if (of.valueBytes() > 0) {
      int frames = ValueRecord.frames(of.valueBytes());
      new Reading(of, key, 0, frames - 1).stored(target);
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

    /** The rows of the first to the last of them. */
    private final ByteBuffer rows;

    Reading(Reference of, byte[] key, int first, int last) {
      this.of = of;
      this.key = key;
      this.first = first;
      this.last = last;
      this.checksums = new FrameChecksums(uniqueId, key, of.valueBytes());
      int added = ValueRecord.added(cipher);
      boolean isPlain = of.storedBytes() == ValueRecord.plainBytes(of.valueBytes(), cipher);
      int begins = isPlain ? first : 0; // else what is before them tells where they begin
      ByteBuffer read = ByteBuffer.allocate((last + 1 - begins) * ValueRecord.ROW_BYTES);
      file.readFully(
          read, ValueRecord.tableAt(of, key.length) + (long) begins * ValueRecord.ROW_BYTES);
      int skipped = first - begins;
      long before = added + (long) begins * (ValueRecord.FRAME_BYTES + added);
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
    }

    private int checkedLength(int row) {
      int stored = ValueRecord.stored(rows, row);
      int encoded = stored - ValueRecord.added(cipher);
      int raw = ValueRecord.frameBytes(of.valueBytes(), first + row);
      boolean fits =
          ValueRecord.codec(rows, row) == 0 ? encoded == raw : encoded >= 0 && encoded < raw;
      if (!fits) {
        throw damaged(of, key, "its table of frames is damaged");
      }
      return stored;
    }

    /** Reads a part of the value that begins in the first frame and ends in the last one. */
    void into(int from, int length, byte[] target, int targetOffset) {
      long at = begin;
      int done = 0;
      for (int row = 0; row <= last - first; ) {
        int end = Math.min(row + PIECE_FRAMES, last - first + 1);
        int skipped = from + done - (first + row) * ValueRecord.FRAME_BYTES;
        int raw = rawBytes(row, end) - skipped;
        int count = Math.min(raw, length - done);
        int size = storedBytes(row, end);
        if (skipped == 0 && count == raw && size == raw && cipher == null) {
          // as it is, and all of it
          file.readFully(ByteBuffer.wrap(target, targetOffset + done, size), at);
          check(row, end, target, targetOffset + done, at);
        } else {
          byte[] piece = new byte[size];
          file.readFully(ByteBuffer.wrap(piece), at);
          check(row, end, piece, 0, at);
          copy(row, at, piece, skipped, count, target, targetOffset + done);
        }
        at += size;
        done += count;
        row = end;
      }
    }

    private int rawBytes(int row, int end) {
      int until = (first + end) * ValueRecord.FRAME_BYTES;
      return Math.min(of.valueBytes(), until) - (first + row) * ValueRecord.FRAME_BYTES;
    }

    private int storedBytes(int row, int end) {
      int sum = 0;
      for (int i = row; i < end; i++) {
        sum += ValueRecord.stored(rows, i);
      }
      return sum;
    }

    private void check(int row, int end, byte[] piece, int offset, long at) {
      int done = 0;
      for (int i = row; i < end; i++) {
        int length = ValueRecord.stored(rows, i);
        int expected = ValueRecord.checksum(rows, i);
        int actual = checksums.of(piece, offset + done, length, at + done);
        if (expected != actual) {
          throw damaged(
              of,
              key,
              "the checksum of the %d bytes at offset %d is %08x, the file says %08x"
                  .formatted(length, at + done, actual, expected));
        }
        done += length;
      }
    }

    /** Hands over all frames of the value. */
    void stored(Frames target) {
      if (storedBytes(0, last - first + 1) + ValueRecord.added(cipher) != of.storedBytes()) {
        throw damaged(of, key, "its table of frames is damaged");
      }
      int pieceBytes = PIECE_FRAMES * (ValueRecord.FRAME_BYTES + ValueRecord.added(cipher));
      byte[] piece = new byte[Math.min(pieceBytes, of.storedBytes())];
      long at = begin;
      for (int row = 0; row <= last; ) {
        int end = Math.min(row + PIECE_FRAMES, last + 1);
        int size = storedBytes(row, end);
        file.readFully(ByteBuffer.wrap(piece, 0, size), at);
        check(row, end, piece, 0, at);
        int offset = 0;
        for (; row < end; row++) {
          int length = ValueRecord.stored(rows, row);
          int codec = ValueRecord.codec(rows, row);
          if (cipher == null) {
            target.add(codec, piece, offset, length);
          } else {
            byte[] opened = opened(row, at + offset, piece, offset);
            target.add(codec, opened, 0, opened.length);
          }
          offset += length;
        }
        at += size;
      }
    }

    /** A sealed frame. */
    private byte[] opened(int row, long at, byte[] piece, int offset) {
      if (cipher == null) {
        throw new IllegalStateException("the file is not encrypted");
      }
      int raw = ValueRecord.frameBytes(of.valueBytes(), first + row);
      byte[] context = ValueRecord.contextOfFrame(at, ValueRecord.codec(rows, row), raw);
      int length = ValueRecord.stored(rows, row);
      return cipher.open("frame of a value", at, context, piece, offset, length);
    }

    /**
     * Copies a part of a piece, not encoded, from an offset in its first frame on.
     *
     * @param pieceAt where in the file the piece is
     */
    private void copy(
        int row,
        long pieceAt,
        byte[] piece,
        int skipped,
        int count,
        byte[] target,
        int targetOffset) {
      byte[] decoded = Bytes.EMPTY;
      int at = 0;
      int skip = skipped;
      int copied = 0;
      for (int i = row; copied < count; i++) {
        int raw = ValueRecord.frameBytes(of.valueBytes(), first + i);
        int bytes = ValueRecord.stored(rows, i);
        int some = Math.min(raw - skip, count - copied);
        int codec = ValueRecord.codec(rows, i);
        ByteBuffer frame =
            cipher == null
                ? ByteBuffer.wrap(piece, at, bytes)
                : ByteBuffer.wrap(opened(i, pieceAt + at, piece, at));
        if (codec == 0) {
          frame.get(frame.position() + skip, target, targetOffset + copied, some);
        } else {
          decoded = decoded.length < raw ? new byte[raw] : decoded;
          decode(codec, frame, ByteBuffer.wrap(decoded, 0, raw));
          System.arraycopy(decoded, skip, target, targetOffset + copied, some);
        }
        at += bytes;
        copied += some;
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
   * Reads the heads of all records with a value, in the order in which they were written.
   *
   * @throws CorruptionException where the file is damaged; the visitor got those before
   */
  public void scan(Consumer<ValueRecord> visitor) {
    ValueRecord record = nextAt(FIRST_RECORD);
    while (record != null) {
      visitor.accept(record);
      record = nextAt(record.offset() + record.bytes());
    }
  }

  /**
   * The next record with a value that begins there or after records without one; null if there is
   * none, or only a part of one. That is no fault: a process may have been killed while it put a
   * value, or a write may have failed, and nothing refers to such a value.
   *
   * @throws CorruptionException when it is damaged
   */
  @Nullable ValueRecord nextAt(long offset) {
    long at = offset;
    while (isBegunAt(at)) {
      ValueRecord record;
      try {
        record = recordAt(at);
      } catch (CorruptionException e) {
        if (isPartAt(at)) {
          return null;
        }
        throw e;
      }
      if (!record.isUnused()) {
        return record;
      }
      at += record.bytes();
    }
    return null;
  }

  /** Whether the file ends before what begins there, as far as that can be known. */
  private boolean isPartAt(long offset) {
    long size = bytes();
    if (nextMark(offset + 1, size) < size) {
      return false; // nothing follows a part
    }
    long left = size - offset;
    if (left < ValueRecord.HEAD_BYTES) {
      return true;
    }
    ByteBuffer head = ByteBuffer.allocate(ValueRecord.HEAD_BYTES);
    file.readFully(head, offset);
    try {
      int length = ValueRecord.headBytes(path, uniqueId, cipher, offset, head);
      if (left < length) {
        return true;
      }
      ByteBuffer both = ByteBuffer.allocate(length);
      file.readFully(both, offset);
      return ValueRecord.decode(path, uniqueId, cipher, offset, both.array(), Long.MAX_VALUE)
              .bytes()
          > left;
    } catch (CorruptionException e) {
      return false;
    }
  }

  /**
   * The same, beyond what is damaged: a record begins with a mark that no other place of the file
   * has.
   *
   * @param damaged gets each place at which no record can be read
   */
  public void scanWhole(Consumer<ValueRecord> visitor, Consumer<CorruptionException> damaged) {
    long size = bytes();
    long offset = FIRST_RECORD;
    while (offset < size) {
      try {
        ValueRecord record = recordAt(offset);
        if (!record.isUnused()) {
          visitor.accept(record);
        }
        offset += record.bytes();
      } catch (CorruptionException e) {
        long next = nextMark(offset + 1, size);
        boolean isEnd = next == size && (!isBegunAt(offset) || isPartAt(offset));
        if (!isEnd) {
          damaged.accept(e);
        }
        offset = next;
      }
    }
  }

  /**
   * Writes records without a value over those that were not written wholly: before a crash, some
   * bytes of values that were not synced may have become durable, and others not. Then all of the
   * file can be read. Nobody may write to it, and nothing may refer to such a value.
   *
   * @return whether there were any
   */
  boolean dropUnfinished() {
    long size = bytes();
    boolean wereAny = false;
    try (RandomWriteFile writer = fileSystem.openForWrite(path, size)) {
      long offset = FIRST_RECORD;
      while (offset < size) {
        long end = endOfWhole(offset);
        if (end < 0) {
          end = nextMark(offset + 1, size);
          if (end < size || isBegunAt(offset)) {
            byte[] head = headOfUnused(offset, end - offset);
            writer.write(head, 0, head.length, offset);
            wereAny = true;
          }
        }
        offset = end;
      }
    }
    return wereAny;
  }

  /** What says that so many bytes are of no use; zeros at the end of a file, if they are few. */
  private byte[] headOfUnused(long offset, long bytes) {
    return bytes < ValueRecord.HEAD_BYTES
        ? new byte[(int) bytes]
        : ValueRecord.unused(offset, bytes).encoded(uniqueId, null);
  }

  /** Where a record ends that begins there; negative if that is damaged, or none does. */
  private long endOfWhole(long offset) {
    try {
      ValueRecord record = recordAt(offset);
      if (!record.isUnused()) {
        verifyStored(record.reference(number), record.key());
      }
      return offset + record.bytes();
    } catch (CorruptionException e) {
      return -1;
    }
  }

  /** The next place from one on where a record may begin; the end of the file if there is none. */
  private long nextMark(long from, long size) {
    byte[] some = new byte[PIECE_FRAMES * ValueRecord.FRAME_BYTES];
    long begin = from;
    while (size - begin >= Long.BYTES) {
      int length = (int) Math.min(some.length, size - begin);
      ByteBuffer read = ByteBuffer.wrap(some, 0, length);
      file.readFully(read, begin);
      int places = length - Long.BYTES + 1;
      for (int i = 0; i < places; i++) {
        if (read.getLong(i) == FileHeader.mark(uniqueId, begin + i)) {
          return begin + i;
        }
      }
      begin += places;
    }
    return size;
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
   * Reads a value as it is stored, without decoding it, and what comes before it in the file.
   *
   * @throws CorruptionException when any of it is damaged
   */
  public void verifyStored(Reference of, byte[] key) {
    requireSame(of, key);
    readStored(of, key, (codec, array, offset, length) -> {});
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
    long size = bytes(of.offset() + 1);
    if (of.offset() >= size) {
      throw damaged(of, key, "it would begin after the file, which has " + size + " bytes");
    }
    ValueRecord record = recordAt(of.offset());
    if (!record.reference(number).equals(of) || !Arrays.equals(record.key(), key)) {
      throw damaged(of, key, "there is another value, of key " + KeyText.of(record.key()));
    }
  }

  /** Whether a record was written there. Its head is zeros until all that follows is written. */
  boolean isBegunAt(long offset) {
    int length = (int) Math.min(Long.BYTES, bytes(offset + Long.BYTES) - offset);
    if (length <= 0) {
      return false;
    }
    ByteBuffer mark = ByteBuffer.allocate(Long.BYTES).limit(length);
    file.readFully(mark, offset);
    return mark.clear().getLong(0) != 0;
  }

  /**
   * Reads the head of the record that begins there.
   *
   * @throws CorruptionException when it is damaged, or none does
   */
  ValueRecord recordAt(long offset) {
    long size = bytes();
    if (size - offset < ValueRecord.HEAD_BYTES) {
      throw new CorruptionException(path, offset, "the file ends within the head of a value");
    }
    ByteBuffer head = ByteBuffer.allocate(ValueRecord.HEAD_BYTES);
    file.readFully(head, offset);
    int length = ValueRecord.headBytes(path, uniqueId, cipher, offset, head);
    if (size - offset < length) {
      throw new CorruptionException(path, offset, "the file ends within the key of a value");
    }
    ByteBuffer both = ByteBuffer.allocate(length);
    file.readFully(both, offset);
    return ValueRecord.decode(path, uniqueId, cipher, offset, both.array(), size);
  }

  @Override
  public void close() {
    file.close();
  }
}
