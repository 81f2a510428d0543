package io.sifr.bench.measure;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.OptionalLong;

/**
 * Resources that this process has used since it began, including all threads and native code. The
 * figures from {@code /proc} are empty where there is none.
 *
 * @param cpuNanos nanoseconds of CPU time, user and system
 * @param bytesRead bytes fetched from the device; reads from the page cache do not count
 * @param bytesWritten bytes that are written to the device sooner or later, including through
 *     mappings
 */
public record ProcessFigures(long cpuNanos, OptionalLong bytesRead, OptionalLong bytesWritten) {
  private static final Path IO = Path.of("/proc/self/io");
  private static final Path STATUS = Path.of("/proc/self/status");

  /** The figures now. */
  public static ProcessFigures now() {
    return new ProcessFigures(cpuTime(), field(IO, "read_bytes"), field(IO, "write_bytes"));
  }

  /** Bytes of memory that belong to the process alone now: heap, buffers, native allocations. */
  public static OptionalLong privateMemoryBytes() {
    OptionalLong anonymous = field(STATUS, "RssAnon");
    return anonymous.isPresent() ? OptionalLong.of(anonymous.getAsLong() << 10) : anonymous;
  }

  /** Bytes of memory mapped into the process and present now, pages of files included. */
  public static OptionalLong residentMemoryBytes() {
    OptionalLong resident = field(STATUS, "VmRSS");
    return resident.isPresent() ? OptionalLong.of(resident.getAsLong() << 10) : resident;
  }

  private static long cpuTime() {
    return ManagementFactory.getOperatingSystemMXBean()
            instanceof com.sun.management.OperatingSystemMXBean system
        ? system.getProcessCpuTime()
        : 0;
  }

  /** The number in a line "name: number unit". */
  private static OptionalLong field(Path file, String name) {
    if (!Files.isReadable(file)) {
      return OptionalLong.empty();
    }
    try {
      for (String line : Files.readAllLines(file)) {
        if (line.startsWith(name + ":")) {
          String number = line.substring(name.length() + 1).strip().split("\\s", 2)[0];
          return OptionalLong.of(Long.parseLong(number));
        }
      }
      return OptionalLong.empty();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
