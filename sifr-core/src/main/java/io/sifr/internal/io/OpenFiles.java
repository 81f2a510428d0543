package io.sifr.internal.io;

import com.sun.management.UnixOperatingSystemMXBean;
import java.lang.management.ManagementFactory;

/** The number of files the process may have open: one limit for all code that runs in it. */
public final class OpenFiles {
  private OpenFiles() {}

  /** The number of files wanted, or three quarters of the process's limit if that is less. */
  public static int atMost(int wanted) {
    return atMost(wanted, limit());
  }

  static int atMost(int wanted, long limit) {
    return (int) Math.max(1, Math.min(wanted, limit / 4 * 3));
  }

  /** The process's limit; practically unlimited where it cannot be determined. */
  static long limit() {
    try {
      return ManagementFactory.getOperatingSystemMXBean() instanceof UnixOperatingSystemMXBean unix
          ? unix.getMaxFileDescriptorCount()
          : Long.MAX_VALUE;
    } catch (NoClassDefFoundError e) {
      return Long.MAX_VALUE; // a runtime image without the module
    }
  }
}
