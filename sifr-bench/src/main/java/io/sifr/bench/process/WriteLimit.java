package io.sifr.bench.process;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;

/**
 * A limit on the bytes that a device is given to write in a second, whoever writes them: a setting
 * of the root control group of version 1. It holds for direct writes of the processes in that
 * group, and for all writes from the page cache, which are nobody's in version 1. In version 2 the
 * root group has no limit. Setting one requires permission, usually root. It is also taken away
 * when this process ends.
 */
public final class WriteLimit implements AutoCloseable {
  private static final Path VERSION_1 = Path.of("/sys/fs/cgroup/blkio");
  private static final Path OWN_GROUPS = Path.of("/proc/self/cgroup");
  private static final String LIMIT = "blkio.throttle.write_bps_device";

  /** How the system names the root group of version 1 among those of a process. */
  private static final String IN_ROOT = ":blkio:/";

  private final Path setting;
  private final String device;
  private final Thread whenProcessEnds = new Thread(this::end, "bench-write-limit");

  private WriteLimit(Path setting, String device) {
    this.setting = setting;
    this.device = device;
  }

  /** Why none can be set here, if so. */
  public static Optional<String> obstacle() {
    return obstacle(VERSION_1, OWN_GROUPS);
  }

  /** The same of a system that has its control groups elsewhere. */
  static Optional<String> obstacle(Path version1, Path ownGroups) {
    Path setting = version1.resolve(LIMIT);
    if (!Files.exists(setting)) {
      return Optional.of("there are no control groups of version 1 in " + version1);
    }
    if (!Files.isWritable(setting)) {
      return Optional.of(setting + " is not writable, which requires root");
    }
    try {
      List<String> groups = Files.readAllLines(ownGroups);
      return groups.stream().anyMatch(group -> group.endsWith(IN_ROOT))
          ? Optional.empty()
          : Optional.of("this process is not in the root group of " + version1);
    } catch (IOException e) {
      return Optional.of(e.toString());
    }
  }

  /**
   * Sets a limit.
   *
   * @param device its number, for instance 7:0
   * @throws WriteLimitException when that is not possible; the message says why
   */
  public static WriteLimit of(String device, long bytesPerSecond) {
    return of(device, bytesPerSecond, VERSION_1, OWN_GROUPS);
  }

  /** The same on a system that has its control groups elsewhere. */
  static WriteLimit of(String device, long bytesPerSecond, Path version1, Path ownGroups) {
    Optional<String> obstacle = obstacle(version1, ownGroups);
    if (obstacle.isPresent()) {
      throw new WriteLimitException("no device can be limited here: " + obstacle.get());
    }
    WriteLimit limit = new WriteLimit(version1.resolve(LIMIT), device);
    limit.set(bytesPerSecond);
    Runtime.getRuntime().addShutdownHook(limit.whenProcessEnds);
    return limit;
  }

  private void set(long bytesPerSecond) {
    try {
      Files.writeString(setting, device + " " + bytesPerSecond);
    } catch (IOException e) {
      throw new WriteLimitException("cannot limit device " + device + " in " + setting, e);
    }
  }

  private void end() {
    set(0); // which means none
  }

  /**
   * Takes it away. The device must still be there.
   *
   * @throws WriteLimitException when that is not possible
   */
  @Override
  public void close() {
    end();
    boolean unused = Runtime.getRuntime().removeShutdownHook(whenProcessEnds);
  }
}
