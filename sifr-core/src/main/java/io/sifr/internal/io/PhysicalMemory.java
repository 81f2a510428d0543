package io.sifr.internal.io;

import com.sun.management.OperatingSystemMXBean;
import java.lang.management.ManagementFactory;

/** How much memory there is for the process, be that the machine's or its container's. */
public final class PhysicalMemory {
  private PhysicalMemory() {}

  /**
   * Bytes of memory that the heap leaves when it has grown to its largest; 0 when that cannot be
   * found out.
   */
  public static long besideTheHeap() {
    try {
      return ManagementFactory.getOperatingSystemMXBean() instanceof OperatingSystemMXBean system
          ? Math.max(0, system.getTotalMemorySize() - Runtime.getRuntime().maxMemory())
          : 0;
    } catch (NoClassDefFoundError e) {
      return 0; // a runtime image without the module
    }
  }
}
