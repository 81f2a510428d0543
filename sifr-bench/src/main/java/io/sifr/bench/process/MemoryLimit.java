package io.sifr.bench.process;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;

/**
 * A limit on the memory of a process and on the page cache it fills: a control group of the kernel,
 * of either version. Creating one requires permission, usually root.
 */
public final class MemoryLimit implements AutoCloseable {
  private static final Path VERSION_1 = Path.of("/sys/fs/cgroup/memory");
  private static final Path VERSION_2 = Path.of("/sys/fs/cgroup");
  private static final String LIMIT_1 = "memory.limit_in_bytes";
  private static final String LIMIT_2 = "memory.max";
  private static final long REMOVE_TRIES = 200;
  private static final long REMOVE_PAUSE_NANOS = TimeUnit.MILLISECONDS.toNanos(10);

  /** Distinguishes the groups of one process. */
  private static final AtomicInteger NEXT = new AtomicInteger();

  private final Path group;

  private MemoryLimit(Path group) {
    this.group = group;
  }

  /**
   * Creates a limit.
   *
   * @param bytes of memory, page cache included
   * @throws MemoryLimitException when this machine or this user cannot create one; the message says
   *     why
   */
  public static MemoryLimit ofBytes(long bytes) {
    return ofBytes(bytes, VERSION_1, VERSION_2);
  }

  /** Creates a limit with control groups of either version. */
  static MemoryLimit ofBytes(long bytes, Path version1, Path version2) {
    Optional<String> obstacle = obstacle(version1, version2);
    if (obstacle.isPresent()) {
      throw new MemoryLimitException("no memory limit can be created here: " + obstacle.get());
    }
    boolean first = Files.exists(version1.resolve(LIMIT_1));
    MemoryLimit limit =
        new MemoryLimit(
            (first ? version1 : version2)
                .resolve(
                    "sifr-bench-" + ProcessHandle.current().pid() + "-" + NEXT.incrementAndGet()));
    try {
      Files.createDirectories(limit.group);
    } catch (IOException e) {
      throw new MemoryLimitException("cannot create the control group " + limit.group, e);
    }
    try {
      Files.writeString(limit.group.resolve(first ? LIMIT_1 : LIMIT_2), Long.toString(bytes));
    } catch (IOException e) {
      limit.close();
      throw new MemoryLimitException("cannot limit the control group " + limit.group, e);
    }
    return limit;
  }

  /** Why no limit can be created here, if so. */
  public static Optional<String> obstacle() {
    return obstacle(VERSION_1, VERSION_2);
  }

  private static Optional<String> obstacle(Path version1, Path version2) {
    if (Files.exists(version1.resolve(LIMIT_1))) {
      return Files.isWritable(version1)
          ? Optional.empty()
          : Optional.of(version1 + " is not writable");
    }
    Path controllers = version2.resolve("cgroup.subtree_control");
    if (!Files.exists(controllers)) {
      return Optional.of("there are no control groups in " + version2);
    }
    try {
      if (!Files.readString(controllers).contains("memory")) {
        return Optional.of("the memory controller is not enabled in " + controllers);
      }
    } catch (IOException e) {
      return Optional.of(e.toString());
    }
    return Files.isWritable(version2)
        ? Optional.empty()
        : Optional.of(version2 + " is not writable");
  }

  /** The command that runs another one under the limit. */
  List<String> wrap(List<String> command) {
    List<String> wrapped = new ArrayList<>();
    wrapped.add("sh");
    wrapped.add("-c");
    wrapped.add("echo $$ > \"$0\" && exec \"$@\"");
    wrapped.add(group.resolve("cgroup.procs").toString());
    wrapped.addAll(command);
    return wrapped;
  }

  /**
   * Removes the limit. Its processes must have ended.
   *
   * @throws MemoryLimitException when that is not possible
   */
  @Override
  public void close() {
    // A process that has ended leaves its group a moment later.
    for (int i = 1; ; i++) {
      try {
        Files.deleteIfExists(group);
        return;
      } catch (IOException e) {
        if (i == REMOVE_TRIES) {
          throw new MemoryLimitException("cannot remove the control group " + group, e);
        }
        LockSupport.parkNanos(REMOVE_PAUSE_NANOS);
      }
    }
  }
}
