package io.sifr.internal.backup;

import io.sifr.error.CorruptionException;
import io.sifr.error.UnsupportedFormatException;
import io.sifr.internal.backup.BackupPoint.CopiedFile;
import io.sifr.internal.backup.BackupPoint.SharedFile;
import io.sifr.internal.format.Checksums;
import io.sifr.internal.format.FileKind;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.DateTimeException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** The text file that lists a point of a backup; the point exists when the file has its name. */
final class PointFile {
  /** Its name in the directory of the point. */
  static final String NAME = "POINT";

  /** No list has more bytes. */
  static final int MOST_BYTES = 1 << 30;

  private static final String FIRST_LINE = "sifr backup 1";
  private static final Pattern VERSION = Pattern.compile("sifr backup ([0-9]{1,9})");
  private static final String CRC = "crc ";
  private static final int CRC_LINE_BYTES = CRC.length() + 8 + 1;

  private static final Pattern NUMBER = Pattern.compile("point ([0-9]{1,18})");
  private static final Pattern TAKEN = Pattern.compile("taken ([-+0-9TZ:.]{1,40})");
  private static final Pattern COPIED = Pattern.compile("copied ([0-9]{1,18})");
  private static final Pattern DATABASE = Pattern.compile("database (.{1,255})", Pattern.DOTALL);
  private static final Pattern SHARED =
      Pattern.compile(
          "(sst|values) ([0-9]{1,18}) ([0-9a-f]{16}) ([0-9]{1,18}) ([0-9a-f]{8})( [0-9]{1,18})?");
  private static final Pattern FILE =
      Pattern.compile("file ([0-9A-Za-z]+(?:[.][0-9A-Za-z]+)*) ([0-9]{1,18}) ([0-9a-f]{8})");

  private PointFile() {}

  /** The content of the file. */
  static byte[] encode(BackupPoint point) {
    StringBuilder text = new StringBuilder(FIRST_LINE).append('\n');
    text.append("point ").append(point.number()).append('\n');
    text.append("taken ").append(point.taken()).append('\n');
    text.append("copied ").append(point.copiedBytes()).append('\n');
    for (String database : point.databases()) {
      text.append("database ").append(database).append('\n');
    }
    for (SharedFile file : point.shared()) {
      text.append(
          String.format(
              Locale.ROOT,
              "%s %d %016x %d %08x%s%n",
              file.kind().name().toLowerCase(Locale.ROOT),
              file.number(),
              file.uniqueId(),
              file.bytes(),
              file.checksum(),
              file.upload() == 0 ? "" : " " + file.upload()));
    }
    for (CopiedFile file : point.files()) {
      text.append(
          String.format(
              Locale.ROOT, "file %s %d %08x%n", file.name(), file.bytes(), file.checksum()));
    }
    byte[] body = text.toString().replace("\r\n", "\n").getBytes(StandardCharsets.UTF_8);
    byte[] check = check(body, body.length).getBytes(StandardCharsets.UTF_8);
    return ByteBuffer.allocate(body.length + check.length).put(body).put(check).array();
  }

  private static String check(byte[] content, int length) {
    return String.format(Locale.ROOT, "%s%08x\n", CRC, Checksums.crc32c(content, 0, length));
  }

  /**
   * Reads the file of a point.
   *
   * @param path for messages
   * @throws CorruptionException when it is damaged
   */
  static BackupPoint decode(Path path, byte[] content, long number) {
    if (content.length < CRC_LINE_BYTES) {
      throw new CorruptionException(path, 0, "the file has " + content.length + " bytes");
    }
    int bodyBytes = content.length - CRC_LINE_BYTES;
    String check = new String(content, bodyBytes, CRC_LINE_BYTES, StandardCharsets.UTF_8);
    if (!check.equals(check(content, bodyBytes))) {
      throw new CorruptionException(path, bodyBytes, "the checksum does not match");
    }
    String body = new String(content, 0, bodyBytes, StandardCharsets.UTF_8);
    BackupPoint point = new Lines(path, body).parse();
    if (point.number() != number) {
      throw new CorruptionException(path, 0, "it is of point " + point.number());
    }
    return point;
  }

  /** The lines of a file whose checksum is right. */
  private static final class Lines {
    private final Path path;
    private final String[] lines;
    private int next;

    Lines(Path path, String body) {
      this.path = path;
      this.lines = body.split("\n", -1);
    }

    BackupPoint parse() {
      String first = lines[next++];
      Matcher version = VERSION.matcher(first);
      if (version.matches() && Integer.parseInt(version.group(1)) > 1) {
        throw new UnsupportedFormatException(
            path, "format version is " + version.group(1) + ", supported: 1");
      }
      if (!first.equals(FIRST_LINE)) {
        throw wrong();
      }
      long number = Long.parseLong(one(NUMBER).group(1));
      Instant taken = instant(one(TAKEN).group(1));
      long copied = Long.parseLong(one(COPIED).group(1));
      List<String> databases = new ArrayList<>();
      for (Matcher line : all(DATABASE)) {
        databases.add(line.group(1));
      }
      List<SharedFile> shared = new ArrayList<>();
      for (Matcher line : all(SHARED)) {
        shared.add(
            new SharedFile(
                line.group(1).equals("sst") ? FileKind.SST : FileKind.VALUES,
                Long.parseLong(line.group(2)),
                Long.parseUnsignedLong(line.group(3), 16),
                Long.parseLong(line.group(4)),
                Integer.parseUnsignedInt(line.group(5), 16),
                line.group(6) == null ? 0 : Long.parseLong(line.group(6).strip())));
      }
      List<CopiedFile> files = new ArrayList<>();
      for (Matcher line : all(FILE)) {
        files.add(
            new CopiedFile(
                line.group(1),
                Long.parseLong(line.group(2)),
                Integer.parseUnsignedInt(line.group(3), 16)));
      }
      if (next != lines.length - 1 || !lines[next].isEmpty()) {
        throw wrong();
      }
      return new BackupPoint(
          number, taken, List.copyOf(databases), copied, List.copyOf(shared), List.copyOf(files));
    }

    private Instant instant(String text) {
      try {
        return Instant.parse(text);
      } catch (DateTimeException e) {
        throw wrong();
      }
    }

    private Matcher one(Pattern pattern) {
      Matcher line = pattern.matcher(next < lines.length ? lines[next] : "");
      if (!line.matches()) {
        throw wrong();
      }
      next++;
      return line;
    }

    private List<Matcher> all(Pattern pattern) {
      List<Matcher> all = new ArrayList<>();
      while (next < lines.length && pattern.matcher(lines[next]).matches()) {
        all.add(one(pattern));
      }
      return all;
    }

    private CorruptionException wrong() {
      return new CorruptionException(path, 0, "line " + next + " has another form");
    }
  }
}
