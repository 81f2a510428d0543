package io.sifr.internal.entry;

import java.nio.ByteBuffer;

/** Base of iterators whose current entry is that of another iterator. */
public abstract class DelegatingIterator implements ForwardIterator {
  /**
   * The iterator that is positioned on the current entry.
   *
   * @throws IllegalStateException when this one is not valid
   */
  protected abstract ForwardIterator current();

  @Override
  public final byte[] keyArray() {
    return current().keyArray();
  }

  @Override
  public final int keyOffset() {
    return current().keyOffset();
  }

  @Override
  public final int keyLength() {
    return current().keyLength();
  }

  @Override
  public final long trailer() {
    return current().trailer();
  }

  @Override
  public final int valueLength() {
    return current().valueLength();
  }

  @Override
  public final void copyValue(byte[] target, int offset) {
    current().copyValue(target, offset);
  }

  @Override
  public final ByteBuffer value() {
    return current().value();
  }
}
