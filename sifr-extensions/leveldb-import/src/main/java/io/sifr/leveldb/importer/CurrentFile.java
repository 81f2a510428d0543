package io.sifr.leveldb.importer;

import static java.nio.charset.StandardCharsets.ISO_8859_1;

import io.sifr.importer.SourceException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/** The file CURRENT, which names the MANIFEST, and what else shows whose directory it is. */
final class CurrentFile {
  private static final String NAME = "CURRENT";
  private static final Pattern CONTENT = Pattern.compile("MANIFEST-[0-9]+\n");

  /** The beginning of CURRENT in a Sifr store. */
  private static final String SIFR = "sifr ";

  private static final int MOST_BYTES = 100;

  private CurrentFile() {}

  /** Refuses what is no directory of LevelDB. */
  static void requireLevelDb(Path directory) throws IOException {
    if (!Files.isDirectory(directory)) {
      throw new SourceException("there is no such directory");
    } else if (read(directory).startsWith(SIFR)) {
      throw new SourceException("it is a Sifr store already");
    }
    try (Stream<Path> files = Files.list(directory)) {
      for (Path file : files.toList()) {
        String name = file.getFileName().toString();
        if (name.equals("IDENTITY") || name.startsWith("OPTIONS-")) {
          throw new SourceException(
              "it is a RocksDB directory, by its file "
                  + name
                  + "; sifr-import-rocksdb imports it");
        }
      }
    }
  }

  /** What it says; in Latin-1, so that every byte counts. */
  static String read(Path directory) throws IOException {
    Path file = directory.resolve(NAME);
    try {
      long bytes = Files.size(file);
      if (bytes > MOST_BYTES) {
        throw new SourceException(file + " has " + bytes + " bytes, which is too much for a name");
      }
      return new String(Files.readAllBytes(file), ISO_8859_1);
    } catch (NoSuchFileException e) {
      throw new SourceException("it is no LevelDB directory: it has no file CURRENT", e);
    }
  }

  /** The MANIFEST that it names. */
  static Path manifest(Path directory) throws IOException {
    Path file = directory.resolve(NAME);
    String content = read(directory);
    if (content.endsWith("\r\n")) {
      throw new SourceException(
          file
              + " ends with CR LF, and LevelDB reads it only with LF: an editor, or a copy as text,"
              + " has changed it, and perhaps other files");
    } else if (!CONTENT.matcher(content).matches()) {
      throw SourceException.damaged(
          file, 0, "it does not name a MANIFEST and end with a line feed");
    }
    Path manifest = directory.resolve(content.strip());
    if (!Files.exists(manifest)) {
      throw new SourceException(file + " names " + manifest.getFileName() + ", which is not there");
    }
    return manifest;
  }
}
