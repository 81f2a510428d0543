package io.sifr.map;

import io.sifr.spi.OrderedCodec;
import java.io.ByteArrayOutputStream;
import java.util.Comparator;

/**
 * See {@link Codecs#descending}.
 *
 * @param ascending the codec whose order is reversed
 */
record DescendingCodec<T>(OrderedCodec<T> ascending) implements OrderedCodec<T> {
  private static final String WHAT = "descending value";

  @Override
  public byte[] encode(T value) {
    byte[] plain = ascending.encode(value);
    if (isFixed()) {
      return inverted(plain);
    }
    ByteArrayOutputStream ended = new ByteArrayOutputStream();
    Escaping.write(plain, ended); // else what begins as another would come before it still
    return inverted(ended.toByteArray());
  }

  private boolean isFixed() {
    return ascending.fixedLength() != VARIABLE_LENGTH;
  }

  private static byte[] inverted(byte[] bytes) {
    byte[] inverted = new byte[bytes.length];
    for (int i = 0; i < bytes.length; i++) {
      inverted[i] = (byte) ~bytes[i];
    }
    return inverted;
  }

  @Override
  public T decode(byte[] bytes) {
    byte[] ended = inverted(bytes);
    if (isFixed()) {
      return ascending.decode(ended);
    }
    ByteArrayOutputStream plain = new ByteArrayOutputStream();
    int end = Escaping.read(ended, 0, plain, WHAT);
    if (end < bytes.length) {
      throw new IllegalArgumentException(
          "no " + WHAT + ": it ends after " + end + " of " + bytes.length + " bytes");
    }
    return ascending.decode(plain.toByteArray());
  }

  @Override
  public Comparator<? super T> comparator() {
    return ascending.comparator().reversed();
  }

  @Override
  public int fixedLength() {
    return ascending.fixedLength();
  }
}
