package io.sifr.spi;

import java.util.Comparator;
import java.util.function.Function;

/**
 * A codec that preserves order: the bytes of two values, compared byte by byte and unsigned, have
 * the order of the values; only of equal values they are equal. So keys can be sought by their
 * bytes.
 *
 * @param <T> the type of the values
 */
public interface OrderedCodec<T> extends Codec<T> {
  /** The length of the bytes if it is not the same for all values. */
  int VARIABLE_LENGTH = -1;

  /** The order of the values. */
  Comparator<? super T> comparator();

  /**
   * Bytes of every value, or {@link #VARIABLE_LENGTH}. In a tuple such a value takes less space.
   */
  default int fixedLength() {
    return VARIABLE_LENGTH;
  }

  /**
   * A codec for another type with the bytes of this one. The order is that of this type.
   *
   * @param from makes a value of the other type
   * @param to the value of this type for it
   * @param <U> the other type
   */
  default <U> OrderedCodec<U> mapped(
      Function<? super T, ? extends U> from, Function<? super U, ? extends T> to) {
    OrderedCodec<T> base = this;
    Comparator<U> order = (a, b) -> base.comparator().compare(to.apply(a), to.apply(b));
    return new OrderedCodec<>() {
      @Override
      public byte[] encode(U value) {
        return base.encode(to.apply(value));
      }

      @Override
      public U decode(byte[] bytes) {
        return from.apply(base.decode(bytes));
      }

      @Override
      public Comparator<? super U> comparator() {
        return order;
      }

      @Override
      public int fixedLength() {
        return base.fixedLength();
      }
    };
  }
}
