package org.fusesource.leveldbjni;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.sifr.error.CorruptionException;
import io.sifr.leveldb.SifrDBFactory;
import java.io.File;
import java.io.IOException;
import java.nio.file.NoSuchFileException;
import java.util.Objects;
import org.fusesource.leveldbjni.internal.NativeDB;
import org.iq80.leveldb.DB;
import org.iq80.leveldb.Options;
import org.jspecify.annotations.Nullable;

/**
 * The entry point of LevelDB's native binding, on Sifr: with this library in place of {@code
 * org.fusesource.leveldbjni:leveldbjni-all} they need not be changed. See {@link SifrDBFactory}.
 */
public class JniDBFactory extends SifrDBFactory {
  /** One for everybody. */
  public static final JniDBFactory factory = new JniDBFactory();

  /** Sifr's version; "unknown" outside of its jar. */
  public static final String VERSION =
      Objects.requireNonNullElse(
          JniDBFactory.class.getPackage().getImplementationVersion(), "unknown");

  /** Opens any. */
  public JniDBFactory() {}

  /**
   * Opens a database, as {@link SifrDBFactory#open} does.
   *
   * @throws NativeDB.DBException when there is none, and the options forbid to create one; and when
   *     it is damaged. Programs that catch it delete what they find, and begin again
   * @throws IOException when it cannot be opened for another reason. What is open elsewhere, cannot
   *     be read, or is of LevelDB is nothing that a program should delete
   */
  @Override
  public DB open(File directory, Options options) throws IOException {
    try {
      return super.open(directory, options);
    } catch (NoSuchFileException e) {
      throw new NativeDB.DBException(String.valueOf(e.getMessage()), true, e);
    } catch (IOException e) {
      if (e.getCause() instanceof CorruptionException) {
        throw new NativeDB.DBException(String.valueOf(e.getMessage()), false, e);
      }
      throw e;
    }
  }

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
