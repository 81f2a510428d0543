package io.sifr.bench.micro;

import com.google.common.io.MoreFiles;
import com.google.common.io.RecursiveDeleteOption;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/** A directory for the files of one benchmark, deleted with all that is in it when closed. */
final class ScratchDirectory implements AutoCloseable {
  static final String PREFIX = "sifr-micro-";

  private final Path path;

  /** Creates one in the directory of the property {@code java.io.tmpdir}. */
  ScratchDirectory() throws IOException {
    path = Files.createTempDirectory(Path.of(System.getProperty("java.io.tmpdir")), PREFIX);
  }

  Path path() {
    return path;
  }

  @Override
  public void close() throws IOException {
    // Insecure if others can create links in the directory meanwhile; only the owner can access it.
    MoreFiles.deleteRecursively(path, RecursiveDeleteOption.ALLOW_INSECURE);
  }
}
