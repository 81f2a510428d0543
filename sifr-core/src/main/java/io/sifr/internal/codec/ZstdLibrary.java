package io.sifr.internal.codec;

import static com.google.common.base.Preconditions.checkState;

import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;
import java.lang.reflect.InvocationTargetException;
import org.jspecify.annotations.Nullable;

/**
 * The calls to aircompressor, Zstandard in Java. They go through method handles, because the
 * library is no module, so that a module cannot name its classes. It has one level, 3.
 */
final class ZstdLibrary {
  private static final String PACKAGE = "io.airlift.compress.zstd.";
  private static final int PROBE_BYTES = 1000;
  private static final MethodType CALL =
      MethodType.methodType(
          int.class, byte[].class, int.class, int.class, byte[].class, int.class, int.class);

  /** Of the library, the first time one of its classes is needed. */
  private static final class Compressor {
    private static final Object INSTANCE = create("ZstdCompressor");
    private static final MethodHandle CALLED = bound(INSTANCE, "compress");

    private Compressor() {}
  }

  private ZstdLibrary() {}

  /**
   * Checks that blocks can be encoded and decoded, by doing so: that the classes are there does not
   * mean that the JVM lets them work.
   *
   * @throws UnsupportedOperationException when not
   */
  static void require() {
    byte[] raw = new byte[PROBE_BYTES];
    byte[] encoded = new byte[most(raw.length)];
    int bytes = encode(raw, 0, raw.length, encoded);
    int decoded = new Decoder().decode(encoded, bytes, raw, raw.length);
    checkState(decoded == raw.length, "aircompressor decodes %s bytes of what it wrote", decoded);
  }

  /** Size of the largest encoded form of that many bytes. */
  static int most(int bytes) {
    return bytes + (bytes >>> 8) + 128;
  }

  /** Encodes into an array of size {@link #most}; returns the size of the encoded form. */
  static int encode(byte[] raw, int from, int bytes, byte[] target) {
    MethodHandle called;
    try {
      called = Compressor.CALLED;
    } catch (LinkageError e) {
      throw missing(e);
    }
    return call(called, raw, from, bytes, target, target.length);
  }

  /** Decodes one block at a time. */
  static final class Decoder {
    private final MethodHandle called;

    Decoder() {
      called = bound(create("ZstdDecompressor"), "decompress");
    }

    /**
     * Returns how many bytes were decoded.
     *
     * @throws IllegalArgumentException when it is not the encoded form of at most that many bytes
     */
    int decode(byte[] payload, int payloadBytes, byte[] raw, int rawBytes) {
      return call(called, payload, 0, payloadBytes, raw, rawBytes);
    }
  }

  private static int call(
      MethodHandle called, byte[] from, int at, int bytes, byte[] to, int most) {
    try {
      return (int) called.invokeExact(from, at, bytes, to, 0, most);
    } catch (UnsupportedOperationException | LinkageError e) {
      throw missing(e);
    } catch (RuntimeException e) {
      throw new IllegalArgumentException(String.valueOf(e.getMessage()), e);
    } catch (Error e) {
      throw e;
    } catch (Throwable e) {
      throw new IllegalStateException(e);
    }
  }

  private static MethodHandle bound(Object instance, String method) {
    try {
      return MethodHandles.publicLookup().bind(instance, method, CALL);
    } catch (NoSuchMethodException | IllegalAccessException e) {
      throw missing(e);
    }
  }

  private static Object create(String name) {
    try {
      return load(name).getConstructor().newInstance();
    } catch (InvocationTargetException e) {
      throw missing(e.getCause());
    } catch (ReflectiveOperationException | LinkageError e) {
      throw missing(e);
    }
  }

  private static Class<?> load(String name) {
    try {
      return Class.forName(PACKAGE + name);
    } catch (ClassNotFoundException | LinkageError e) {
      throw missing(e);
    }
  }

  private static UnsupportedOperationException missing(@Nullable Throwable cause) {
    return new UnsupportedOperationException(
        "Zstandard needs the library io.airlift:aircompressor 2.0.3 or a later 2.x, and a JVM that"
            + " lets it use sun.misc.Unsafe (from Java 26 on perhaps with the option"
            + " --sun-misc-unsafe-memory-access=allow): "
            + cause,
        cause);
  }
}
