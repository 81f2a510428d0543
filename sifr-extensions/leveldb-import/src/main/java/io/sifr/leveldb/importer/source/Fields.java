package io.sifr.leveldb.importer.source;

import io.sifr.importer.SourceException;
import java.util.Arrays;

/**
 * Numbers and byte strings one after the other, as LevelDB encodes them, in bytes that are in
 * memory. Errors name the file and the offset at which these bytes begin there.
 */
public final class Fields {
  private static final int MOST_SHIFT = 63;

  private final SourceFile file;
  private final long offset;
  private final byte[] bytes;
  private final int end;
  private int at;

  /** The fields in the first {@code end} bytes, which the file has at an offset. */
  public Fields(SourceFile file, long offset, byte[] bytes, int end) {
    this.file = file;
    this.offset = offset;
    this.bytes = bytes;
    this.end = end;
  }

  /** The fields in all of the bytes. */
  public Fields(SourceFile file, long offset, byte[] bytes) {
    this(file, offset, bytes, bytes.length);
  }

  /** Whether there is nothing more. */
  public boolean isAtEnd() {
    return at == end;
  }

  /** How many bytes are left. */
  public int left() {
    return end - at;
  }

  /** The next byte, as a number from 0 to 255. */
  public int readByte() throws SourceException {
    require(1);
    return bytes[at++] & 0xff;
  }

  /** A number of four bytes, without sign. */
  public long readFixed32() throws SourceException {
    require(Integer.BYTES);
    long value = 0;
    for (int i = 0; i < Integer.BYTES; i++) {
      value |= (bytes[at++] & 0xffL) << (Byte.SIZE * i);
    }
    return value;
  }

  /** A number of eight bytes. */
  public long readFixed64() throws SourceException {
    long low = readFixed32();
    return low | (readFixed32() << Integer.SIZE);
  }

  /** A number of one to ten bytes that is not negative. */
  public long readVarint() throws SourceException {
    long value = 0;
    for (int shift = 0; shift <= MOST_SHIFT; shift += 7) {
      int next = readByte();
      value |= (next & 0x7fL) << shift;
      if (next < 0x80) {
        if (value < 0 || shift == MOST_SHIFT) {
          break;
        }
        return value;
      }
    }
    throw damaged("a number is too large");
  }

  /** A length of something that follows; it is checked against what there is. */
  public int readLength() throws SourceException {
    long length = readVarint();
    if (length > left()) {
      throw damaged("a length of " + length + ", and " + left() + " bytes follow");
    }
    return (int) length;
  }

  /** A byte string with its length before it. */
  public byte[] readBytes() throws SourceException {
    return readBytes(readLength());
  }

  /** A byte string of a length that was checked. */
  public byte[] readBytes(int length) throws SourceException {
    require(length);
    at += length;
    return Arrays.copyOfRange(bytes, at - length, at);
  }

  /** The same, into an array that has room for it. */
  public void readBytes(int length, byte[] target, int to) throws SourceException {
    require(length);
    System.arraycopy(bytes, at, target, to, length);
    at += length;
  }

  /** Passes over bytes that must be there. */
  public void skip(int length) throws SourceException {
    require(length);
    at += length;
  }

  private void require(int length) throws SourceException {
    if (length > left()) {
      throw damaged("it ends within a field");
    }
  }

  /** Says that these fields are not what LevelDB writes. */
  public SourceException damaged(String what) {
    return file.damaged(offset, what);
  }
}
