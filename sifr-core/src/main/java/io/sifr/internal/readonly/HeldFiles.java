package io.sifr.internal.readonly;

import io.sifr.internal.format.FileKind;
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

  /** Those that never change any more. */
  private Set<Path> finals = Set.of();

  private boolean closed;

  /** The same files, held once more. */
  synchronized HeldFiles copy() {
    if (closed) {
      throw new IllegalStateException("the store is closed");
    }
    HeldFiles copy = new HeldFiles();
    files.forEach((path, file) -> copy.files.put(path, file.hold()));
    copy.finals = finals;
    return copy;
  }

  /**
   * Holds those files, and no others any more: files to which SSTs refer, so that they never
   * change. Value files may have grown since they were held first, when none did; then they are
   * held as they are now.
   *
   * @return those that do not exist
   */
  synchronized Set<Path> hold(StoreFileSystem disk, Set<Path> wanted) {
    Map<Path, HeldFile> before = files;
    files = new HashMap<>();
    finals = Set.copyOf(wanted);
    Set<Path> missing = new HashSet<>();
    try {
      for (Path path : wanted) {
        HeldFile known = before.get(path);
        if (known != null && !hasGrown(disk, path, known)) {
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

  /**
   * Holds some more files, likewise; these may change.
   *
   * @return whether all of them exist
   */
  synchronized boolean holdMore(StoreFileSystem disk, Set<Path> more) {
    boolean areAllThere = true;
    for (Path path : more) {
      HeldFile known = files.get(path);
      if (!disk.exists(path)) {
        areAllThere = false; // others may be needed all the same: the log may end before it
      } else if (known == null || hasGrown(disk, path, known)) {
        files.put(path, new HeldFile(disk, path));
        if (known != null) {
          known.letGo();
        }
      }
    }
    return areAllThere;
  }

  private static boolean hasGrown(StoreFileSystem disk, Path path, HeldFile known) {
    boolean isOfValues = FileKind.VALUES.numberOf(String.valueOf(path.getFileName())).isPresent();
    return isOfValues && disk.exists(path) && known.size() < disk.size(path);
  }

  synchronized @Nullable HeldFile get(Path path) {
    return files.get(path);
  }

  /** Whether a file that is held never changes any more. */
  synchronized boolean isFinal(Path path) {
    return finals.contains(path);
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
