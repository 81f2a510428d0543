package io.sifr.internal.io;

import java.nio.ByteBuffer;

/**
 * Makes the JVM report, at this point, that a page of a mapping could not be read or written:
 * because of a bad sector, a lost mount, or a truncated file.
 *
 * <p>The JVM reports it by an {@link InternalError} in the thread that touched the page. But
 * compiled code continues after the failed instruction, with garbage in place of what it should
 * have read, until it reaches a point where the JVM checks for errors; that may be after the return
 * of the method, in code that is unrelated to the file. So code that reads or writes a mapping
 * calls one of these methods before it relies on the result, and catches the error around both.
 *
 * <p>The intrinsic checksums of the JDK must not be used on a mapping at all: there, such a page
 * kills the process.
 */
public final class MappingFaults {
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
   * The same for bytes {@code from} to {@code to} of a mapping that were just accessed. Takes 1 ns;
   * before Java 21, 20 ns when they lie in one page.
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
