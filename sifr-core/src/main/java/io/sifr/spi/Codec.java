package io.sifr.spi;

/**
 * Turns values of a type into bytes, and back. The same value always has the same bytes.
 * Thread-safe.
 *
 * @param <T> the type of the values
 */
public interface Codec<T> {
  /**
   * The bytes of a value.
   *
   * @return an array that neither the codec nor its caller changes
   * @throws IllegalArgumentException when the value cannot be encoded
   */
  byte[] encode(T value);

  /**
   * The value with these bytes, equal to the one that was encoded.
   *
   * @param bytes are not changed; the value may refer to them
   * @throws IllegalArgumentException when no value has these bytes
   */
  T decode(byte[] bytes);
}
