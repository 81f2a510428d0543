package io.sifr.internal.entry;

import io.sifr.internal.util.Bytes;
import java.nio.ByteBuffer;

/**
 * One entry, always positioned on it; for writers that take iterators. Key and value belong to the
 * caller. Not thread-safe.
 */
public final class SingleEntry implements ForwardIterator {
  private long trailer;
  private byte[] key = Bytes.EMPTY;
  private byte[] value = Bytes.EMPTY;

  /** Becomes another entry. */
  public void set(long newTrailer, byte[] newKey, byte[] newValue) {
    trailer = newTrailer;
    key = newKey;
    value = newValue;
  }

  @Override
  public boolean seekToFirst() {
    return true;
  }

  @Override
  public boolean next() {
    return false;
  }

  @Override
  public boolean valid() {
    return true;
  }

  @Override
  public byte[] keyArray() {
    return key;
  }

  @Override
  public int keyOffset() {
    return 0;
  }

  @Override
  public int keyLength() {
    return key.length;
  }

  @Override
  public long trailer() {
    return trailer;
  }

  @Override
  public int valueLength() {
    return value.length;
  }

  @Override
  public void copyValue(byte[] target, int offset) {
    System.arraycopy(value, 0, target, offset, value.length);
  }

  @Override
  public ByteBuffer value() {
    return ByteBuffer.wrap(value).asReadOnlyBuffer();
  }

  @Override
  public void close() {}
}
