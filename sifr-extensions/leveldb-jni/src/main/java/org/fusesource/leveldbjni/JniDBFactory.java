package org.fusesource.leveldbjni;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.sifr.leveldb.SifrDBFactory;
import org.jspecify.annotations.Nullable;

/**
 * What programs have of LevelDB's native binding, on Sifr: with this library in place of {@code
 * org.fusesource.leveldbjni:leveldbjni-all} they need not be changed. See {@link SifrDBFactory}.
 */
public class JniDBFactory extends SifrDBFactory {
  /** One for everybody. */
  public static final JniDBFactory factory = new JniDBFactory();

  /** The bytes of a text, in UTF-8. */
  public static byte @Nullable [] bytes(@Nullable String value) {
    return value == null ? null : value.getBytes(UTF_8);
  }

  /** The text of which these are the bytes, in UTF-8. */
  public static @Nullable String asString(byte @Nullable [] value) {
    return value == null ? null : new String(value, UTF_8);
  }

  /**
   * Does nothing: the binding takes native memory from such a pool, and Sifr needs none.
   *
   * @param size of no meaning
   */
  public static void pushMemoryPool(int size) {}

  /** Does nothing. */
  public static void popMemoryPool() {}
}
