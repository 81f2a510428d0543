package io.sifr.internal.io;

import static java.lang.invoke.MethodType.methodType;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.lang.reflect.Field;
import java.nio.ByteBuffer;
import java.nio.MappedByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/**
 * Maps files so that they can be unmapped at once. There are two implementations, chosen by the
 * version of the JVM: with that of Java 22 and later, a use after unmapping throws an exception;
 * the older one cannot detect it.
 */
public interface MemoryMapper {
  /** A mapping: its bytes, and the action that unmaps it. */
  record Mapping(ByteBuffer buffer, Runnable unmap) {}

  /**
   * Maps the first {@code size} bytes of the file, which must exist.
   *
   * @param size at most {@link Integer#MAX_VALUE}
   */
  Mapping map(FileChannel channel, FileChannel.MapMode mode, long size) throws IOException;

  /**
   * Unmaps through {@code sun.misc.Unsafe.invokeCleaner}, the only way on Java 17 to 21; later
   * versions warn about it. Uses reflection, because the class is not visible to a compiler that
   * targets a release.
   */
  static final class ByCleaner implements MemoryMapper {
    private final MethodHandle invokeCleaner; // (ByteBuffer) → void

    ByCleaner() {
      try {
        Class<?> unsafe = Class.forName("sun.misc.Unsafe");
        Field instance = unsafe.getDeclaredField("theUnsafe");
        instance.setAccessible(true);
        invokeCleaner =
            MethodHandles.lookup()
                .findVirtual(unsafe, "invokeCleaner", methodType(void.class, ByteBuffer.class))
                .bindTo(instance.get(null));
      } catch (ReflectiveOperationException e) {
        throw new LinkageError(
            "the module jdk.unsupported is missing: files could not be unmapped", e);
      }
    }

    @Override
    public Mapping map(FileChannel channel, FileChannel.MapMode mode, long size)
        throws IOException {
      MappedByteBuffer buffer = channel.map(mode, 0, size);
      return new Mapping(buffer, () -> unmap(buffer));
    }

    private void unmap(ByteBuffer buffer) {
      try {
        invokeCleaner.invokeExact(buffer);
      } catch (RuntimeException | Error e) {
        throw e;
      } catch (Throwable e) {
        throw new LinkageError("invokeCleaner threw a checked exception", e);
      }
    }
  }

  /**
   * Maps through {@code java.lang.foreign}, available since Java 22; through method handles,
   * because the library is compiled for Java 17. Each mapping has a shared {@code Arena} of its
   * own. Closing it unmaps the file; from then on every access through the buffer throws an {@link
   * IllegalStateException}.
   */
  static final class ByArena implements MemoryMapper {
    /** First version of Java in which {@code java.lang.foreign} is final. */
    static final int SINCE_FEATURE = 22;

    private final MethodHandle openArena; // () → Object
    private final MethodHandle mapSegment; // (FileChannel, MapMode, long, long, Object) → Object
    private final MethodHandle asByteBuffer; // (Object) → ByteBuffer
    private final MethodHandle closeArena; // (Object) → void

    ByArena() {
      MethodHandles.Lookup lookup = MethodHandles.publicLookup();
      try {
        Class<?> arena = Class.forName("java.lang.foreign.Arena");
        Class<?> segment = Class.forName("java.lang.foreign.MemorySegment");
        openArena =
            lookup
                .findStatic(arena, "ofShared", methodType(arena))
                .asType(methodType(Object.class));
        mapSegment =
            lookup
                .findVirtual(
                    FileChannel.class,
                    "map",
                    methodType(segment, FileChannel.MapMode.class, long.class, long.class, arena))
                .asType(
                    methodType(
                        Object.class,
                        FileChannel.class,
                        FileChannel.MapMode.class,
                        long.class,
                        long.class,
                        Object.class));
        asByteBuffer =
            lookup
                .findVirtual(segment, "asByteBuffer", methodType(ByteBuffer.class))
                .asType(methodType(ByteBuffer.class, Object.class));
        closeArena =
            lookup
                .findVirtual(arena, "close", methodType(void.class))
                .asType(methodType(void.class, Object.class));
      } catch (ReflectiveOperationException e) {
        throw new LinkageError("this JVM has no java.lang.foreign although its version should", e);
      }
    }

    @Override
    public Mapping map(FileChannel channel, FileChannel.MapMode mode, long size)
        throws IOException {
      Object arena = open();
      try {
        Object segment = (Object) mapSegment.invokeExact(channel, mode, 0L, size, arena);
        ByteBuffer buffer = (ByteBuffer) asByteBuffer.invokeExact(segment);
        return new Mapping(buffer, () -> close(arena));
      } catch (Throwable e) {
        close(arena);
        throw asUnchecked(e);
      }
    }

    private Object open() {
      try {
        return (Object) openArena.invokeExact();
      } catch (Throwable e) {
        throw impossible(e);
      }
    }

    private void close(Object arena) {
      try {
        closeArena.invokeExact(arena);
      } catch (Throwable e) {
        throw impossible(e);
      }
    }

    private static RuntimeException asUnchecked(Throwable e) throws IOException {
      if (e instanceof IOException failed) {
        throw failed;
      }
      throw impossible(e);
    }

    /** Rethrows what a method without checked exceptions threw. */
    private static RuntimeException impossible(Throwable e) {
      if (e instanceof RuntimeException unchecked) {
        throw unchecked;
      }
      if (e instanceof Error error) {
        throw error;
      }
      throw new LinkageError("a method of java.lang.foreign threw a checked exception", e);
    }
  }

  /** A mapping of a file of the platform. */
  static final class Region implements MappedRegion {
    private static final AtomicInteger OPEN = new AtomicInteger();

    private final Path file;
    private volatile MemoryMapper.@Nullable Mapping mapping;

    Region(Path file, MemoryMapper.Mapping mapping) {
      this.file = file;
      this.mapping = mapping;
      OPEN.incrementAndGet();
    }

    /** Number of regions of this JVM that are not closed yet. */
    static int open() {
      return OPEN.get();
    }

    @Override
    public ByteBuffer buffer() {
      MemoryMapper.Mapping current = mapping;
      if (current == null) {
        throw new IllegalStateException(file + " is not mapped any more");
      }
      return current.buffer();
    }

    @Override
    public void force(int from, int length) {
      try {
        ((MappedByteBuffer) buffer()).force(from, length);
      } catch (UncheckedIOException e) {
        throw IoErrors.translate(file, "sync", Objects.requireNonNull(e.getCause()));
      }
    }

    @Override
    public synchronized void close() {
      MemoryMapper.Mapping current = mapping;
      if (current != null) {
        mapping = null;
        OPEN.decrementAndGet();
        current.unmap().run();
      }
    }
  }

  /**
   * Makes the JVM report, at this point, that a page of a mapping could not be read or written:
   * because of a bad sector, a lost mount, or a truncated file.
   *
   * <p>The JVM reports it by an {@link InternalError} in the thread that touched the page. But
   * compiled code continues after the failed instruction, with garbage in place of what it should
   * have read, until it reaches a point where the JVM checks for errors; that may be after the
   * return of the method, in code that is unrelated to the file. So code that reads or writes a
   * mapping calls one of these methods before it relies on the result, and catches the error around
   * both.
   *
   * <p>The intrinsic checksums of the JDK must not be used on a mapping at all: there, such a page
   * kills the process.
   */
  public static final class MappingFaults {
    /** Since Java 21 the error makes the thread stop at its next safepoint poll. */
    private static final boolean RAISED_AT_POLLS = Runtime.version().feature() >= 21;

    private static final int PAGE_BITS = 12;

    /** Number of bytes to read to see whether a page can be read. */
    public static final int PROBE_BYTES = 8;

    /** True if copying a page is faster than raising pending errors for each of its entries. */
    public static final boolean COPY_IS_CHEAPER = !RAISED_AT_POLLS;

    // Not a constant, because the compiler would remove code without effect.
    private static volatile int two = 2;

    private MappingFaults() {}

    /**
     * Raises a pending error. Takes 1 ns; 70 ns before Java 21.
     *
     * @throws InternalError when an earlier access of this thread to a page failed
     */
    public static void raise() {
      if (RAISED_AT_POLLS) {
        poll();
      } else {
        callRuntime();
      }
    }

    /**
     * The same for bytes {@code from} to {@code to} of a mapping that were just accessed. Takes 1
     * ns; before Java 21, 20 ns when they lie in one page.
     *
     * @param nonZeroAt offset among them of eight bytes of which one of the first two is not zero
     * @param probe buffer for those eight bytes
     */
    public static void raise(ByteBuffer mapping, int from, int to, int nonZeroAt, byte[] probe) {
      if (RAISED_AT_POLLS) {
        poll();
      } else if (from >>> PAGE_BITS != (to - 1) >>> PAGE_BITS
          || !canRead(mapping, nonZeroAt, probe)) {
        callRuntime();
      }
    }

    /** The same, with a buffer of its own. */
    public static void raise(ByteBuffer mapping, int from, int to, int nonZeroAt) {
      if (RAISED_AT_POLLS) {
        poll();
      } else {
        raise(mapping, from, to, nonZeroAt, new byte[PROBE_BYTES]);
      }
    }

    /** The back edge of a loop is a safepoint poll. */
    private static void poll() {
      int rounds = 0;
      while (rounds < two) {
        rounds++;
      }
    }

    /**
     * To create an array of arrays, compiled code of all versions calls the JVM, which checks for
     * pending errors.
     */
    private static void callRuntime() {
      byte[][] made = new byte[two][two];
      if (made[0].length != made.length) {
        throw new AssertionError(); // never true; keeps the compiler from removing the call
      }
    }

    /** A copy from a page that cannot be read leaves its target unchanged. */
    private static boolean canRead(ByteBuffer mapping, int nonZeroAt, byte[] probe) {
      probe[0] = 0;
      probe[1] = 0;
      mapping.get(nonZeroAt, probe, 0, PROBE_BYTES);
      return (probe[0] | probe[1]) != 0;
    }
  }
}
