package io.sifr.internal.io;

import com.sun.management.OperatingSystemMXBean;
import java.lang.management.ManagementFactory;
import java.util.OptionalLong;

/** How much memory there is for the process, be that the machine's or its container's. */
public final class PhysicalMemory {
  private PhysicalMemory() {}

  /** Bytes of it; empty when that cannot be found out. */
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
   * Bytes of memory that the heap leaves when it has grown to its largest; 0 when that cannot be
   * found out.
   */
  public static long besideTheHeap() {
    return Math.max(0, bytes().orElse(0) - Runtime.getRuntime().maxMemory());
  }
}
