package io.sifr.internal.io;

import com.sun.management.OperatingSystemMXBean;
import java.lang.management.ManagementFactory;
import java.util.OptionalLong;

/** The memory available to the process: that of the machine or of its container. */
public final class PhysicalMemory {
  private PhysicalMemory() {}

  /** Its size in bytes; empty when it cannot be determined. */
  public static OptionalLong bytes() {
    try {
      return ManagementFactory.getOperatingSystemMXBean() instanceof OperatingSystemMXBean system
          ? OptionalLong.of(system.getTotalMemorySize())
          : OptionalLong.empty();
    } catch (NoClassDefFoundError e) {
      return OptionalLong.empty(); // a runtime image without the module
    }
  }

  /**
   * Bytes of memory left when the heap has grown to its maximum; 0 when that cannot be determined.
   */
  public static long besideTheHeap() {
    return Math.max(0, bytes().orElse(0) - Runtime.getRuntime().maxMemory());
  }
}
