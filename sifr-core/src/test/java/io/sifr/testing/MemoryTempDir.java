package io.sifr.testing;

import com.sun.nio.file.ExtendedOpenOption;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.stream.Stream;
import org.junit.jupiter.api.extension.AnnotatedElementContext;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.api.io.TempDirFactory;

/**
 * Creates temporary directories in memory for tests that do not test the disk: they would only wait
 * for its syncs. Tests with the tag {@code disk} have theirs on the disk, and so have all tests
 * with {@code -Dsifr.test.disk=true}, where there is no file system in memory, and while it or the
 * memory has less than 4 GB free.
 */
public final class MemoryTempDir implements TempDirFactory {
  private static final Path MEMORY = Path.of("/dev/shm");
  private static final Path MEMORY_STATISTICS = Path.of("/proc/meminfo");
  private static final long FREE_BYTES = 4L << 30;
  private static final String TAG_OF_THE_DISK = "disk";
  private static final boolean ALWAYS_ON_DISK = Boolean.getBoolean("sifr.test.disk");
  private static final boolean MEMORY_CAN_BE_USED = !ALWAYS_ON_DISK && canBeUsed();

  @Override
  public Path createTempDirectory(AnnotatedElementContext element, ExtensionContext context)
      throws Exception {
    return MEMORY_CAN_BE_USED && !context.getTags().contains(TAG_OF_THE_DISK) && hasSpace()
        ? Files.createTempDirectory(MEMORY, "junit-")
        : TempDirFactory.Standard.INSTANCE.createTempDirectory(element, context);
  }

  /** Older kernels have no direct reads in memory. */
  private static boolean canBeUsed() {
    if (!Files.isDirectory(MEMORY) || !Files.isReadable(MEMORY_STATISTICS)) {
      return false;
    }
    try {
      Path probe = Files.createTempFile(MEMORY, "junit-", null);
      try {
        Files.newByteChannel(probe, StandardOpenOption.READ, ExtendedOpenOption.DIRECT).close();
        return true;
      } finally {
        Files.delete(probe);
      }
    } catch (IOException | UnsupportedOperationException e) {
      return false;
    }
  }

  private static boolean hasSpace() throws IOException {
    return Files.getFileStore(MEMORY).getUsableSpace() >= FREE_BYTES
        && availableMemory() >= FREE_BYTES;
  }

  private static long availableMemory() throws IOException {
    try (Stream<String> lines = Files.lines(MEMORY_STATISTICS)) {
      return lines
          .filter(line -> line.startsWith("MemAvailable:"))
          .mapToLong(line -> Long.parseLong(line.replaceAll("\\D", "")) << 10)
          .findFirst()
          .orElse(0);
    }
  }
}
