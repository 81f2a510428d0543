package io.sifr.internal.compaction.merge;

import io.sifr.error.SifrException;
import io.sifr.internal.format.FileKind;
import io.sifr.internal.io.StoreFileSystem;
import io.sifr.internal.sst.read.Sst;
import java.nio.file.Path;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Deletes obsolete SST files. */
public final class SstFiles {
  private static final Logger LOG = LoggerFactory.getLogger(SstFiles.class);

  private SstFiles() {}

  /**
   * Deletes the file of an SST that is closed. A failure is logged and has no other consequence:
   * the file is an orphan, and the next open removes it.
   *
   * @return whether it is gone
   */
  public static boolean delete(StoreFileSystem fileSystem, Path directory, Sst sst) {
    return delete(fileSystem, directory, sst.number());
  }

  /** The same of an SST with that number. */
  public static boolean delete(StoreFileSystem fileSystem, Path directory, long number) {
    Path file = FileKind.SST.path(directory, number);
    try {
      fileSystem.delete(file);
    } catch (SifrException e) {
      LOG.warn("{} is not needed any more but cannot be deleted; the next open will try", file, e);
      return false;
    }
    return true;
  }

  /** Closes and deletes an SST that never became part of a forest. */
  public static void discard(StoreFileSystem fileSystem, Path directory, Sst sst) {
    sst.markObsolete(() -> delete(fileSystem, directory, sst));
  }

  /** As above, in the environment of the task that made it. */
  static void discard(TaskEnvironment environment, Sst sst) {
    discard(environment.files().fileSystem(), environment.files().directory(), sst);
  }
}
