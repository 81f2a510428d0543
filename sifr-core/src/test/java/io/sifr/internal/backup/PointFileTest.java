package io.sifr.internal.backup;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sifr.error.CorruptionException;
import io.sifr.error.UnsupportedFormatException;
import io.sifr.internal.backup.BackupPoint.CopiedFile;
import io.sifr.internal.backup.BackupPoint.SharedFile;
import io.sifr.internal.format.Checksums;
import io.sifr.internal.format.FileKind;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Instant;
import java.util.List;
import org.junit.jupiter.api.Test;

/** The lines of the list of a point, as the page on the format of backups shows them. */
class PointFileTest {
  private static final BackupPoint POINT =
      new BackupPoint(
          3,
          Instant.parse("2026-03-01T12:00:00.123Z"),
          List.of("Äpfel und Birnen", "default"),
          123456,
          List.of(
              new SharedFile(FileKind.SST, 7, 0x00f1e2d3c4b5a697L, 8192, 0x1a2b3c4d, 0),
              new SharedFile(FileKind.VALUES, 1_000_000_000_007L, -1, 4096, -1, 12)),
          List.of(new CopiedFile("CURRENT", 83, 0x1a2b3c4d)));

  private static final String TEXT =
      """
      sifr backup 1
      point 3
      taken 2026-03-01T12:00:00.123Z
      copied 123456
      database Äpfel und Birnen
      database default
      sst 7 00f1e2d3c4b5a697 8192 1a2b3c4d
      values 1000000000007 ffffffffffffffff 4096 ffffffff 12
      file CURRENT 83 1a2b3c4d
      """;

  private static byte[] sealed(String body) {
    byte[] bytes = body.getBytes(StandardCharsets.UTF_8);
    String crc = String.format("crc %08x\n", Checksums.crc32c(bytes, 0, bytes.length));
    return (body + crc).getBytes(StandardCharsets.UTF_8);
  }

  private static BackupPoint read(byte[] content) {
    return PointFile.decode(Path.of("POINT"), content, 3);
  }

  @Test
  void isWrittenAndReadAsDescribed() {
    assertThat(PointFile.encode(POINT)).isEqualTo(sealed(TEXT));
    assertThat(read(sealed(TEXT))).isEqualTo(POINT);
    assertThat(POINT.shared().get(0).name()).isEqualTo("000000000007-00f1e2d3c4b5a697.sst");
    assertThat(POINT.shared().get(1).name()).isEqualTo("1000000000007-ffffffffffffffff-12.values");
    assertThat(POINT.bytes()).isEqualTo(8192 + 4096 + 83);
  }

  /** Whatever a name holds that a database may have. */
  @Test
  void namesOfDatabasesMayHoldWhatSeparatesLinesElsewhere() {
    List<String> names = List.of("a\u2028b", "\u2029", "\ud83c\udf52".repeat(127), " ");
    BackupPoint point =
        new BackupPoint(
            3, POINT.taken(), names, POINT.copiedBytes(), POINT.shared(), POINT.files());
    assertThat(read(PointFile.encode(point))).isEqualTo(point);
  }

  @Test
  void everyFlippedBitIsNoticed() {
    byte[] content = sealed(TEXT);
    for (int bit = 0; bit < 8 * content.length; bit++) {
      byte[] damaged = content.clone();
      damaged[bit / 8] ^= (byte) (1 << bit % 8);
      assertThatThrownBy(() -> read(damaged))
          .as("bit %d", bit)
          .isInstanceOf(CorruptionException.class);
    }
  }

  @Test
  void otherLinesAreRefused() {
    for (String body :
        List.of(
            "",
            "\n",
            TEXT.replace("point 3", "point 4"),
            TEXT.replace("point 3\n", ""),
            TEXT.replace("copied 123456", "copied -1"),
            TEXT.replace("taken 2026-03", "taken 2026-13"),
            TEXT.replace("file CURRENT", "file ../CURRENT"),
            TEXT.replace("file CURRENT", "file .."),
            TEXT.replace("ffffffff 12", "ffffffff -12"),
            TEXT.replace("sst 7 00f1", "sst 7 00F1"),
            TEXT + "more\n",
            TEXT.replace("backup 1", "copy 1"))) {
      assertThatThrownBy(() -> read(sealed(body))).as(body).isInstanceOf(CorruptionException.class);
    }
    assertThatThrownBy(() -> read(sealed(TEXT.replace("backup 1", "backup 2"))))
        .isInstanceOf(UnsupportedFormatException.class);
  }
}
