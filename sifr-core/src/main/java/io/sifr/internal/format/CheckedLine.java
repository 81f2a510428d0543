package io.sifr.internal.format;

import io.sifr.error.CorruptionException;
import io.sifr.error.UnsupportedFormatException;
import io.sifr.internal.io.RandomReadFile;
import io.sifr.internal.io.StoreFileSystem;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * A file of one line of human-readable text, in UTF-8, with its version and a checksum of what is
 * before it:
 *
 * <pre>sifr 1 manifest 7 id 00f1e2d3c4b5a697 snapshot 4128 crc 1a2b3c4d</pre>
 */
public final class CheckedLine {
  private static final String CRC_FIELD = " crc ";
  private static final int CRC_BYTES = CRC_FIELD.length() + 8 + 1;
  private static final Pattern VERSION = Pattern.compile("sifr ([0-9]{1,9}) .*");

  private CheckedLine() {}

  /** The bytes of a file with a line, which begins with "sifr 1 ". */
  public static byte[] encode(String line) {
    byte[] bytes = line.getBytes(StandardCharsets.UTF_8);
    return (line + check(bytes, bytes.length)).getBytes(StandardCharsets.UTF_8);
  }

  private static String check(byte[] bytes, int length) {
    return String.format(Locale.ROOT, "%s%08x\n", CRC_FIELD, Checksums.crc32c(bytes, 0, length));
  }

  /**
   * Reads a file.
   *
   * @param mostBytes that it may have
   * @param form of the line
   * @return its fields
   * @throws CorruptionException when it is not what {@link #encode} makes of such a line
   * @throws UnsupportedFormatException when a newer version wrote it
   */
  public static Matcher read(StoreFileSystem fileSystem, Path path, int mostBytes, Pattern form) {
    try (RandomReadFile file = fileSystem.openForRead(path)) {
      if (file.size() > mostBytes) {
        throw new CorruptionException(
            path, 0, "the file has " + file.size() + " bytes, at most " + mostBytes + " expected");
      }
      ByteBuffer bytes = ByteBuffer.allocate((int) file.size());
      file.readFully(bytes, 0);
      return decode(path, bytes.array(), form);
    }
  }

  /** As above, of the bytes of a file. */
  public static Matcher decode(Path path, byte[] bytes, Pattern form) {
    int length = bytes.length - CRC_BYTES;
    if (length < 0) {
      throw new CorruptionException(path, 0, "the file has only " + bytes.length + " bytes");
    }
    String line = new String(bytes, 0, length, StandardCharsets.UTF_8);
    String check = new String(bytes, length, CRC_BYTES, StandardCharsets.UTF_8);
    if (!check.equals(check(bytes, length))) {
      throw new CorruptionException(path, length, "the checksum does not match");
    }
    Matcher version = VERSION.matcher(line);
    if (version.matches() && Integer.parseInt(version.group(1)) > 1) {
      throw new UnsupportedFormatException(
          path, "format version is " + version.group(1) + ", supported: 1");
    }
    Matcher fields = form.matcher(line);
    if (!fields.matches()) {
      throw new CorruptionException(path, 0, "the line has another form");
    }
    return fields;
  }
}
