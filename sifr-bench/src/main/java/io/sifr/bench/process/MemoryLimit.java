package io.sifr.bench.process;

import java.io.IOException;
import java.io.UncheckedIOException;
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
 * of either version. To make one takes the right to; usually root has it.
 */
public final class MemoryLimit implements AutoCloseable {
  private static final Path VERSION_1 = Path.of("/sys/fs/cgroup/memory");
  private static final Path VERSION_2 = Path.of("/sys/fs/cgroup");
  private static final long REMOVE_TRIES = 200;
  private static final long REMOVE_PAUSE_NANOS = TimeUnit.MILLISECONDS.toNanos(10);

  /** Tells the groups of one process apart. */
  private static final AtomicInteger NEXT = new AtomicInteger();

  private final Path group;

  private MemoryLimit(Path group) {
    this.group = group;
  }

  /**
   * Makes a limit.
   *
   * @param bytes of memory, page cache included
   * @throws IllegalStateException when this machine or this user cannot make one; the message says
   *     why
   */
  public static MemoryLimit ofBytes(long bytes) {
    Optional<String> obstacle = obstacle();
    if (obstacle.isPresent()) {
      throw new IllegalStateException("no memory limit can be made here: " + obstacle.get());
    }
    boolean first = Files.exists(VERSION_1.resolve("memory.limit_in_bytes"));
    Path group =
        (first ? VERSION_1 : VERSION_2)
            .resolve("sifr-bench-" + ProcessHandle.current().pid() + "-" + NEXT.incrementAndGet());
    try {
      Files.createDirectories(group);
      Files.writeString(
          group.resolve(first ? "memory.limit_in_bytes" : "memory.max"), Long.toString(bytes));
      return new MemoryLimit(group);
    } catch (IOException e) {
      throw new UncheckedIOException("cannot make the control group " + group, e);
    }
  }

  /** Why no limit can be made here, if none can. */
  public static Optional<String> obstacle() {
    if (Files.exists(VERSION_1.resolve("memory.limit_in_bytes"))) {
      return Files.isWritable(VERSION_1)
          ? Optional.empty()
          : Optional.of(VERSION_1 + " is not writable");
    }
    Path controllers = VERSION_2.resolve("cgroup.subtree_control");
    if (!Files.exists(controllers)) {
      return Optional.of("there are no control groups in " + VERSION_2);
    }
    try {
      if (!Files.readString(controllers).contains("memory")) {
        return Optional.of("the memory controller is not enabled in " + controllers);
      }
    } catch (IOException e) {
      return Optional.of(e.toString());
    }
    return Files.isWritable(VERSION_2)
        ? Optional.empty()
        : Optional.of(VERSION_2 + " is not writable");
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

  /** Removes the limit. Its processes have ended. */
  @Override
  public void close() {
    // A process that has ended leaves its group a moment later.
    IOException failure = null;
    for (int i = 0; i < REMOVE_TRIES; i++) {
      try {
        Files.deleteIfExists(group);
        return;
      } catch (IOException e) {
        failure = e;
        LockSupport.parkNanos(REMOVE_PAUSE_NANOS);
      }
    }
    throw new UncheckedIOException("cannot remove the control group " + group, failure);
  }
}
