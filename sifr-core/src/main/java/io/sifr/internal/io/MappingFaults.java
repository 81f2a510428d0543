package io.sifr.internal.io;

import java.nio.ByteBuffer;

/**
 * Has the JVM report, here and now, that a page of a mapping could not be delivered: a bad sector,
 * a lost mount, a file that was truncated.
 *
 * <p>The JVM reports that by an {@link InternalError} in the thread that touched the page. But
 * compiled code goes on behind the instruction that failed, with garbage for what it should have
 * read, until it comes to a place where the JVM looks for errors; and that may be behind the return
 * of the method, in code that knows nothing of the file. So whoever reads or writes a mapping calls
 * one of these methods before it relies on the result, and catches the error around both.
 *
 * <p>The intrinsic checksums of the JDK must not touch a mapping at all: in them such a page ends
 * the process.
 */
public final class MappingFaults {
  /** Since Java 21 the error makes the thread stop at its next safepoint poll. */
  private static final boolean RAISED_AT_POLLS = Runtime.version().feature() >= 21;

  private static final int PAGE_BITS = 12;

  /** Bytes that it takes to see whether a page can be read. */
  public static final int PROBE_BYTES = 8;

  /** Whether to copy a page takes less time than to have errors raised for each of its entries. */
  public static final boolean COPY_IS_CHEAPER = !RAISED_AT_POLLS;

  // Not a constant for the compiler, which leaves out what has no effect.
  private static volatile int two = 2;

  private MappingFaults() {}

  /**
   * Raises an error that is due. Takes 1 ns; before Java 21 70 ns.
   *
   * @throws InternalError when a page could not be delivered to this thread before
   */
  public static void raise() {
    if (RAISED_AT_POLLS) {
      poll();
    } else {
      callRuntime();
    }
  }

  /**
   * The same for bytes {@code from} to {@code to} of a mapping that were just touched. Takes 1 ns;
   * before Java 21 20 ns when they lie in one page.
   *
   * @param nonZeroAt where among them eight bytes begin of which one of the first two is not zero
   * @param probe room for those eight bytes
   */
  public static void raise(ByteBuffer mapping, int from, int to, int nonZeroAt, byte[] probe) {
    if (RAISED_AT_POLLS) {
      poll();
    } else if (from >>> PAGE_BITS != (to - 1) >>> PAGE_BITS
        || !canRead(mapping, nonZeroAt, probe)) {
      callRuntime();
    }
  }

  /** A loop polls when it begins again. */
  private static void poll() {
    int rounds = 0;
    while (rounds < two) {
      rounds++;
    }
  }

  /** To make an array of arrays the compiled code of all versions calls the JVM, which looks. */
  private static void callRuntime() {
    byte[][] made = new byte[two][two];
    if (made[0].length != made.length) {
      throw new AssertionError(); // asked for the compiler's sake: it must not leave the call out
    }
  }

  /** A copy out of a page that cannot be delivered leaves its target as it was. */
  private static boolean canRead(ByteBuffer mapping, int nonZeroAt, byte[] probe) {
    probe[0] = 0;
    probe[1] = 0;
    mapping.get(nonZeroAt, probe, 0, PROBE_BYTES);
    return (probe[0] | probe[1]) != 0;
  }
}
