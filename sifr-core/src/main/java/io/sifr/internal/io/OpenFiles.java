package io.sifr.internal.io;

import com.sun.management.UnixOperatingSystemMXBean;
import java.lang.management.ManagementFactory;

/** How many files the process may have open; there is one limit for all that runs in it. */
public final class OpenFiles {
  private OpenFiles() {}

  /** So many files as wanted, or three quarters of what the process may have if that is less. */
  public static int atMost(int wanted) {
    return atMost(wanted, limit());
  }

  static int atMost(int wanted, long limit) {
    return (int) Math.max(1, Math.min(wanted, limit / 4 * 3));
  }

  /** The process's limit; as good as none where that cannot be found out. */
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
