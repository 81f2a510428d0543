package io.sifr.internal.entry;

/** Base of iterators that hold their current key. */
public abstract class PositionedIterator implements ForwardIterator {
  protected boolean valid;
  protected byte[] key;
  protected int keyOffset;
  protected int keyLength;

  protected PositionedIterator(byte[] key) {
    this.key = key;
  }

  /** Moves to a key. Returns true. */
  protected final boolean positionAt(byte[] array, int offset, int length) {
    key = array;
    keyOffset = offset;
    keyLength = length;
    valid = true;
    return true;
  }

  /** Becomes invalid. Returns false. */
  protected final boolean leave() {
    valid = false;
    return false;
  }

  protected static IllegalStateException notPositioned() {
    return new IllegalStateException("the iterator is not positioned on an entry");
  }

  protected final void requireValid() {
    if (!valid) {
      throw notPositioned();
    }
  }

  @Override
  public final boolean valid() {
    return valid;
  }

  @Override
  public final byte[] keyArray() {
    return key;
  }

  @Override
  public final int keyOffset() {
    return keyOffset;
  }

  @Override
  public final int keyLength() {
    return keyLength;
  }
}
