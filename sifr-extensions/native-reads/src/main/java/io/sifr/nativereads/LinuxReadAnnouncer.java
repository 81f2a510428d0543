package io.sifr.nativereads;

import io.sifr.spi.ReadAnnouncer;
import java.nio.ByteBuffer;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Announces reads by {@code madvise(MADV_WILLNEED)}, which has the kernel read the pages of a
 * mapping that are not in memory and returns at once. It is what {@code posix_fadvise} does for a
 * file, without a descriptor that could be closed meanwhile.
 *
 * <p>Found by {@link java.util.ServiceLoader}; works with Java 22 and newer on Linux. Thread-safe.
 */
public final class LinuxReadAnnouncer implements ReadAnnouncer {
  private static final Set<String> ARCHITECTURES = Set.of("amd64", "aarch64");

  private final @Nullable LibC libC;
  private final @Nullable String obstacle;

  /** One for this process. */
  public LinuxReadAnnouncer() {
    this(
        Runtime.version().feature(),
        System.getProperty("os.name", ""),
        System.getProperty("os.arch", ""));
  }

  /** As if the process ran there. */
  LinuxReadAnnouncer(int java, String system, String architecture) {
    LibC linked = null;
    String why = null;
    if (java < LibC.SINCE_FEATURE) {
      why = "it needs Java " + LibC.SINCE_FEATURE + " or newer, and this is Java " + java;
    } else if (!system.equals("Linux")) {
      why = "it needs Linux, and this is " + system;
    } else if (!ARCHITECTURES.contains(architecture)) {
      why = "it knows the processors amd64 and aarch64, and this is " + architecture;
    } else {
      try {
        linked = new LibC();
      } catch (IllegalCallerException e) {
        why = "native access is refused; allow it with --enable-native-access=" + moduleName();
      } catch (LinkageError e) {
        why = e.getMessage();
      }
    }
    this.libC = linked;
    this.obstacle = why;
  }

  private static String moduleName() {
    Module module = LinuxReadAnnouncer.class.getModule();
    return module.isNamed() ? module.getName() : "ALL-UNNAMED";
  }

  @Override
  public Optional<String> obstacle() {
    return Optional.ofNullable(obstacle);
  }

  @Override
  public boolean announce(ByteBuffer mapped) {
    LibC linked = libC;
    return linked != null && linked.willNeed(mapped);
  }
}
