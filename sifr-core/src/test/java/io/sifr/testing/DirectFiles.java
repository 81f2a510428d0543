package io.sifr.testing;

import static org.assertj.core.api.Assumptions.assumeThat;

import io.sifr.internal.io.MappedRegion;
import io.sifr.internal.io.StoreFileSystem;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.extension.AnnotatedElementContext;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.api.io.TempDirFactory;

/** What tests of files need that are written past the page cache. */
public final class DirectFiles {
  private static final int PAGE_BYTES = StoreFileSystem.DIRECT_ALIGNMENT;

  private DirectFiles() {}

  /** A directory where the build is, since one in memory has no disk below. */
  public static final class UnderTarget implements TempDirFactory {
    @Override
    public Path createTempDirectory(AnnotatedElementContext element, ExtensionContext context)
        throws IOException {
      return Files.createTempDirectory(Files.createDirectories(Path.of("target")), "direct-");
    }
  }

  /** Skips a test where a file system is not known to keep what passes the cache out of memory. */
  public static void require(Path directory) throws IOException {
    assumeThat(Files.getFileStore(directory).type()).isIn("ext4", "xfs", "btrfs");
  }

  /** How many pages of a file are in the page cache. */
  public static int pagesInMemory(StoreFileSystem files, Path file) {
    int bytes = Math.toIntExact(files.size(file));
    int found = 0;
    try (MappedRegion region = files.mapForRead(file, bytes)) {
      for (int from = 0; from < bytes; from += PAGE_BYTES) {
        found += region.isInMemory(from, Math.min(PAGE_BYTES, bytes - from)) ? 1 : 0;
      }
    }
    return found;
  }
}
