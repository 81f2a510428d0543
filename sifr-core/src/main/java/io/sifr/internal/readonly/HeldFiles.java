package io.sifr.internal.readonly;

import io.sifr.internal.io.StoreFileSystem;
import io.sifr.internal.util.Failures;
import java.nio.file.Path;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Files that somebody holds. Thread-safe. */
final class HeldFiles implements AutoCloseable {
  /** Guarded by this, as is what follows. */
  private Map<Path, HeldFile> files = new HashMap<>();

  private boolean closed;

  /** The same files, held once more. */
  synchronized HeldFiles copy() {
    if (closed) {
      throw new IllegalStateException("the store is closed");
    }
    HeldFiles copy = new HeldFiles();
    files.forEach((path, file) -> copy.files.put(path, file.hold()));
    return copy;
  }

  /**
   * Holds those files, and no others any more.
   *
   * @return those that do not exist
   */
  synchronized Set<Path> hold(StoreFileSystem disk, Set<Path> wanted) {
    Map<Path, HeldFile> before = files;
    files = new HashMap<>();
    Set<Path> missing = new HashSet<>();
    try {
      for (Path path : wanted) {
        HeldFile known = before.get(path);
        if (known != null) {
          files.put(path, known.hold());
        } else if (disk.exists(path)) {
          files.put(path, new HeldFile(disk, path));
        } else {
          missing.add(path);
        }
      }
    } finally {
      letGo(before.values());
    }
    return missing;
  }

  synchronized @Nullable HeldFile get(Path path) {
    return files.get(path);
  }

  synchronized Set<Path> paths() {
    return Set.copyOf(files.keySet());
  }

  /** Releases all, even if closing one fails. */
  private static void letGo(Collection<HeldFile> files) {
    Failures failures = new Failures();
    files.forEach(file -> failures.collect(file::letGo));
    failures.throwFirst();
  }

  @Override
  public synchronized void close() {
    if (!closed) {
      closed = true;
      letGo(files.values());
    }
  }
}
