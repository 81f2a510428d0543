package io.sifr.bench.measure;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.OptionalLong;

/**
 * Resources that this process has used since it began, including all threads and native code. The
 * figures from {@code /proc} and {@code /sys} are empty where there are none.
 *
 * @param cpuNanos nanoseconds of CPU time, user and system
 * @param bytesRead bytes fetched from the device; reads from the page cache do not count
 * @param bytesWritten bytes that are written to the device sooner or later, including through
 *     mappings
 * @param deviceReads reads that the device of the store has completed since the system was started,
 *     for all processes
 */
public record ProcessFigures(
    long cpuNanos, OptionalLong bytesRead, OptionalLong bytesWritten, OptionalLong deviceReads) {
  private static final Path IO = Path.of("/proc/self/io");
  private static final Path STATUS = Path.of("/proc/self/status");

  /**
   * The figures now.
   *
   * @param directory the store's
   */
  public static ProcessFigures now(Path directory) {
    return new ProcessFigures(
        cpuTime(), field(IO, "read_bytes"), field(IO, "write_bytes"), deviceReads(directory));
  }

  /** The first figure of the statistics that Linux keeps of a block device. */
  private static OptionalLong deviceReads(Path directory) {
    try {
      long device = (Long) Files.getAttribute(directory, "unix:dev");
      long major = (device >>> 8 & 0xFFF) | (device >>> 32 & ~0xFFF);
      long minor = (device & 0xFF) | (device >>> 12 & ~0xFF);
      Path statistics = Path.of("/sys/dev/block/" + major + ":" + minor + "/stat");
      if (!Files.isReadable(statistics)) { // a file system in memory, for instance
        return OptionalLong.empty();
      }
      String reads = Files.readString(statistics).strip().split("\\s+", 2)[0];
      return OptionalLong.of(Long.parseLong(reads));
    } catch (UnsupportedOperationException e) { // not a Unix
      return OptionalLong.empty();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
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
