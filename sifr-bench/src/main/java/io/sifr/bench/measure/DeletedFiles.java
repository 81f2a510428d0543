package io.sifr.bench.measure;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;
import java.util.OptionalLong;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Deleted files that still take space because this process has them open or mapped. No directory
 * lists them.
 */
public final class DeletedFiles {
  private static final Path MAPPINGS = Path.of("/proc/self/maps");
  private static final Path DESCRIPTORS = Path.of("/proc/self/fd");
  private static final String DELETED = " (deleted)";

  // "from-to permissions offset device inode   path (deleted)"
  private static final Pattern MAPPING =
      Pattern.compile(
          "(?<from>[0-9a-f]+)-(?<to>[0-9a-f]+) \\S+ (?<offset>[0-9a-f]+) \\S+ (?<inode>\\d+) +(?<path>/.*)");

  private DeletedFiles() {}

  /**
   * Bytes of the deleted files of a directory that this process has open or mapped, rounded up to
   * pages where they are mapped; empty where there is no {@code /proc}.
   */
  public static OptionalLong heldBytes(Path directory) {
    if (!Files.isReadable(MAPPINGS)) {
      return OptionalLong.empty();
    }
    // By inode: one file may be open and mapped.
    Map<Long, Long> bytes = new HashMap<>();
    try {
      String prefix = directory.toRealPath() + "/";
      addMapped(prefix, bytes);
      addOpen(prefix, bytes);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    return OptionalLong.of(bytes.values().stream().mapToLong(Long::longValue).sum());
  }

  private static void addMapped(String prefix, Map<Long, Long> bytes) throws IOException {
    for (String line : Files.readAllLines(MAPPINGS, StandardCharsets.ISO_8859_1)) {
      Matcher mapping = MAPPING.matcher(line);
      if (mapping.matches() && isDeleted(mapping.group("path"), prefix)) {
        long length = hex(mapping.group("to")) - hex(mapping.group("from"));
        long inode = Long.parseLong(mapping.group("inode"));
        bytes.merge(inode, hex(mapping.group("offset")) + length, Math::max);
      }
    }
  }

  private static long hex(String digits) {
    return Long.parseUnsignedLong(digits, 16);
  }

  private static void addOpen(String prefix, Map<Long, Long> bytes) throws IOException {
    try (DirectoryStream<Path> descriptors = Files.newDirectoryStream(DESCRIPTORS)) {
      for (Path descriptor : descriptors) {
        try {
          if (isDeleted(Files.readSymbolicLink(descriptor).toString(), prefix)) {
            long inode = ((Number) Files.getAttribute(descriptor, "unix:ino")).longValue();
            bytes.merge(inode, Files.size(descriptor), Math::max);
          }
        } catch (IOException e) {
          // Closed meanwhile: it takes no space any more.
        }
      }
    }
  }

  private static boolean isDeleted(String path, String prefix) {
    return path.startsWith(prefix) && path.endsWith(DELETED);
  }
}
