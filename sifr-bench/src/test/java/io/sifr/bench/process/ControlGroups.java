package io.sifr.bench.process;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;

/** Control groups that memory limits are made of. */
public final class ControlGroups {
  private ControlGroups() {}

  /** Those that this process has made and not removed. */
  static List<Path> ours() {
    return madeBy(ProcessHandle.current().pid());
  }

  /** Those that a process has made and not removed. */
  public static List<Path> madeBy(long pid) {
    return Stream.of("/sys/fs/cgroup", "/sys/fs/cgroup/memory")
        .map(Path::of)
        .filter(Files::exists)
        .flatMap(ControlGroups::children)
        .filter(path -> path.getFileName().toString().startsWith("sifr-bench-" + pid + "-"))
        .toList();
  }

  private static Stream<Path> children(Path directory) {
    try (Stream<Path> children = Files.list(directory)) {
      return children.toList().stream();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
