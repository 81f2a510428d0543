package org.iq80.leveldb.impl;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.sifr.leveldb.SifrDBFactory;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * The entry point of LevelDB's Java port, on Sifr: with this library in place of {@code
 * org.iq80.leveldb:leveldb} they need not be changed. See {@link SifrDBFactory}.
 */
public class Iq80DBFactory extends SifrDBFactory {
  /** The number of bits of an address of this machine: 64 or 32. */
  public static final int CPU_DATA_MODEL =
      System.getProperty("os.arch", "").contains("64") ? 64 : 32;

  /**
   * True: files are mapped into memory, as far as there is memory for them. The port's system
   * property {@code leveldb.mmap} has no meaning.
   */
  public static final boolean USE_MMAP = true;

  /** Sifr's version; "unknown" outside of its jar. */
  public static final String VERSION =
      Objects.requireNonNullElse(
          Iq80DBFactory.class.getPackage().getImplementationVersion(), "unknown");

  /** One for everybody. */
  public static final Iq80DBFactory factory = new Iq80DBFactory();

  /** The bytes of a text, in UTF-8. */
  public static byte @Nullable [] bytes(@Nullable String value) {
    return value == null ? null : value.getBytes(UTF_8);
  }

  /** The text of which these are the bytes, in UTF-8. */
  public static @Nullable String asString(byte @Nullable [] value) {
    return value == null ? null : new String(value, UTF_8);
  }
}
