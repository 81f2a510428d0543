package io.sifr.corpus;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.util.stream.Stream;
import java.util.zip.Deflater;
import java.util.zip.ZipEntry;
import java.util.zip.ZipInputStream;
import java.util.zip.ZipOutputStream;

/** Directories as one file each: segments of the log are mostly zeros. */
final class Zip {
  private static final FileTime TIME = FileTime.from(CorpusStore.WRITTEN);

  private Zip() {}

  static void pack(Path directory, Path zip) throws IOException {
    try (ZipOutputStream out = new ZipOutputStream(Files.newOutputStream(zip));
        Stream<Path> files = Files.walk(directory)) {
      out.setLevel(Deflater.BEST_COMPRESSION);
      for (Path file : files.filter(Files::isRegularFile).sorted().toList()) {
        String name = directory.relativize(file).toString().replace('\\', '/');
        out.putNextEntry(new ZipEntry(name).setLastModifiedTime(TIME));
        Files.copy(file, out);
        out.closeEntry();
      }
    }
  }

  /** Into an empty directory. */
  static void unpack(Path zip, Path directory) {
    try (InputStream file = Files.newInputStream(zip);
        ZipInputStream in = new ZipInputStream(file)) {
      for (ZipEntry entry = in.getNextEntry(); entry != null; entry = in.getNextEntry()) {
        Path target = directory.resolve(entry.getName()).normalize();
        if (!target.startsWith(directory)) {
          throw new IOException(entry.getName() + " is not below " + directory);
        }
        Files.createDirectories(target.resolveSibling("."));
        Files.copy(in, target);
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
