package io.sifr.nativereads;

import static java.lang.invoke.MethodType.methodType;

import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.lang.reflect.Array;
import java.nio.Buffer;
import java.nio.ByteBuffer;
import java.util.Optional;

/**
 * Functions of the C library that the JVM itself is linked to, called through {@code
 * java.lang.foreign}; through method handles, because the module is compiled for Java 17 like the
 * library, and says on older versions why it does not work instead of failing to load. The calls
 * are ordinary ones, not {@code critical}: a critical one that waits would hold up the whole JVM.
 *
 * <p>Thread-safe.
 */
final class LibC {
  /** First version of Java in which {@code java.lang.foreign} is final. */
  static final int SINCE_FEATURE = 22;

  /** From the kernel's {@code mman-common.h}, the same on all processors that are supported. */
  private static final int MADV_WILLNEED = 3;

  private final MethodHandle addressOf; // (ByteBuffer) → long
  private final MethodHandle madvise; // (long, long, int) → int
  private final long pageMask;

  /**
   * Links the functions.
   *
   * @throws IllegalCallerException when this module has no native access
   * @throws LinkageError when there is no such function
   */
  LibC() {
    try {
      Linking linking = new Linking(MethodHandles.lookup());
      addressOf = linking.addressOf();
      madvise = linking.function("madvise", int.class, long.class, long.class, int.class);
      int pageBytes = (int) linking.function("getpagesize", int.class).invokeExact();
      if (Integer.bitCount(pageBytes) != 1) {
        throw new LinkageError("pages cannot have " + pageBytes + " bytes");
      }
      pageMask = -(long) pageBytes;
    } catch (RuntimeException | Error e) {
      throw e;
    } catch (Throwable e) {
      throw new LinkageError("java.lang.foreign is not as expected: " + e, e);
    }
  }

  /**
   * Has the kernel read bytes of a mapping.
   *
   * @return false when it refuses
   */
  boolean willNeed(ByteBuffer mapped) {
    try {
      long begin = (long) addressOf.invokeExact(mapped);
      long page = begin & pageMask;
      long bytes = begin - page + mapped.remaining();
      return (int) madvise.invokeExact(page, bytes, MADV_WILLNEED) == 0;
    } catch (RuntimeException | Error e) {
      throw e;
    } catch (Throwable e) {
      throw new LinkageError("a function of the C library threw a checked exception", e);
    }
  }

  /** Makes method handles for functions of the C library. */
  private static final class Linking {
    private final MethodHandles.Lookup lookup;
    private final Class<?> linkerType = type("Linker");
    private final Class<?> optionType = type("Linker$Option");
    private final Class<?> segment = type("MemorySegment");
    private final Class<?> layout = type("MemoryLayout");
    private final Class<?> descriptor = type("FunctionDescriptor");
    private final Object linker;
    private final Object symbols;

    /**
     * @param lookup of the class whose module has native access
     */
    Linking(MethodHandles.Lookup lookup) throws Throwable {
      this.lookup = lookup;
      this.linker = lookup.findStatic(linkerType, "nativeLinker", methodType(linkerType)).invoke();
      this.symbols =
          lookup
              .findVirtual(linkerType, "defaultLookup", methodType(type("SymbolLookup")))
              .invoke(linker);
    }

    private static Class<?> type(String name) {
      try {
        return Class.forName("java.lang.foreign." + name);
      } catch (ClassNotFoundException e) {
        throw new LinkageError("this JVM has no java.lang.foreign although its version should", e);
      }
    }

    private static Object layoutOf(Class<?> primitive) throws ReflectiveOperationException {
      return type("ValueLayout")
          .getField(primitive == int.class ? "JAVA_INT" : "JAVA_LONG")
          .get(null);
    }

    /** The address of the next byte of a direct buffer. */
    MethodHandle addressOf() throws ReflectiveOperationException {
      MethodHandle ofBuffer =
          lookup.findStatic(segment, "ofBuffer", methodType(segment, Buffer.class));
      MethodHandle address = lookup.findVirtual(segment, "address", methodType(long.class));
      return MethodHandles.filterReturnValue(ofBuffer, address)
          .asType(methodType(long.class, ByteBuffer.class));
    }

    MethodHandle function(String name, Class<?> result, Class<?>... parameters) throws Throwable {
      Optional<?> found =
          (Optional<?>)
              lookup
                  .findVirtual(
                      type("SymbolLookup"), "find", methodType(Optional.class, String.class))
                  .invoke(symbols, name);
      Object function =
          found.orElseThrow(() -> new LinkageError("the C library has no function " + name));
      Object layouts = Array.newInstance(layout, parameters.length);
      for (int i = 0; i < parameters.length; i++) {
        Array.set(layouts, i, layoutOf(parameters[i]));
      }
      Object signature =
          lookup
              .findStatic(descriptor, "of", methodType(descriptor, layout, layouts.getClass()))
              .asFixedArity()
              .invoke(layoutOf(result), layouts);
      Class<?> options = optionType.arrayType();
      return (MethodHandle)
          lookup
              .findVirtual(
                  linkerType,
                  "downcallHandle",
                  methodType(MethodHandle.class, segment, descriptor, options))
              .asFixedArity()
              .invoke(linker, function, signature, Array.newInstance(optionType, 0));
    }
  }
}
