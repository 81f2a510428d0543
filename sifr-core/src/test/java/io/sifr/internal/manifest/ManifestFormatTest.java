package io.sifr.internal.manifest;

import static io.sifr.internal.manifest.MemoryDisk.DIRECTORY;
import static org.assertj.core.api.Assertions.assertThat;

import io.sifr.internal.entry.ExpiringKind;
import io.sifr.internal.forest.Catalog;
import io.sifr.internal.forest.ForestEdit;
import io.sifr.internal.forest.ForestEdit.Totals;
import io.sifr.internal.format.FileKind;
import io.sifr.internal.sst.format.KeySketch;
import io.sifr.internal.sst.format.SstMeta;
import io.sifr.internal.sst.read.Sst;
import io.sifr.testing.CatalogText;
import io.sifr.testing.CompactionEdits;
import io.sifr.testing.SstMetas;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

/**
 * The worked example of {@code src-docs/format/manifest.md} is what this program reads and writes.
 */
class ManifestFormatTest {
  private static final Path DOCUMENT = Path.of("..", "src-docs", "format", "manifest.md");
  private static final Pattern DUMP_LINE =
      Pattern.compile("^([0-9a-f]{4})  ((?:[0-9a-f]{2} )+)", Pattern.MULTILINE);
  private static final Pattern CURRENT_LINE =
      Pattern.compile("^(sifr 1 manifest [0-9].*\n)", Pattern.MULTILINE);
  private static final long NUMBER = 7;
  private static final long UNIQUE_ID = 0x00F1E2D3C4B5A697L;
  private static final List<ForestEdit> FLUSH =
      List.of(new ForestEdit.FlushedTo(1, 1300), new ForestEdit.LogStart(12));
  private static final List<ForestEdit> COMPACTION =
      List.of(
          CompactionEdits.begun(9, List.of(6L), CompactionEdits.span("- fig"), 9, 2),
          CompactionEdits.progress(9, CompactionEdits.span("- fig"), List.of(), 5L),
          new ForestEdit.CompactionEnded(1, 9));

  private static Catalog snapshot() {
    SstMeta meta =
        SstMetas.of(
                5,
                0x1122334455667788L,
                8192,
                300,
                2,
                1,
                9000,
                0,
                1,
                1000,
                bytes("apple"),
                bytes("fig"))
            .with(new SstMeta.Times(1_700_000_000_000L, ExpiringKind.NEVER))
            .with(KeySketch.of(8, new long[] {0x2468ACF0}));
    return Catalog.EMPTY.apply(
        List.of(
            new ForestEdit.DatabaseCreated(1, "default"),
            new ForestEdit.TreeAdded(1, 1, 6, List.of(new Sst(meta))),
            new ForestEdit.LogStart(4),
            new ForestEdit.TotalsReached(new Totals(9000, 9400, 8192, 0, 0, 0))));
  }

  private static byte[] bytes(String text) {
    return text.getBytes(StandardCharsets.UTF_8);
  }

  @Test
  void writesTheWorkedExample() throws IOException {
    MemoryDisk disk = new MemoryDisk();
    try (Manifest manifest = Manifest.write(disk, DIRECTORY, NUMBER, UNIQUE_ID, snapshot(), 0)) {
      Current.swap(disk, DIRECTORY);
      manifest.append(FLUSH);
      manifest.append(COMPACTION);
    }

    byte[] written = disk.read(FileKind.MANIFEST.path(DIRECTORY, NUMBER));
    byte[] records = Arrays.copyOf(written, dump().length);

    assertThat(HexFormat.of().formatHex(records)).isEqualTo(HexFormat.of().formatHex(dump()));
    assertThat(Arrays.copyOfRange(written, records.length, written.length)).containsOnly(0);
    assertThat(disk.read(Current.path(DIRECTORY))).asString().isEqualTo(currentLine());
  }

  @Test
  void readsTheWorkedExample() throws IOException {
    MemoryDisk disk = new MemoryDisk();
    disk.write(FileKind.MANIFEST.path(DIRECTORY, NUMBER), dump());
    disk.write(Current.path(DIRECTORY), bytes(currentLine()));

    Catalog expected =
        snapshot().apply(new ForestEdit.NumbersReserved(8)).apply(FLUSH).apply(COMPACTION);
    assertThat(CatalogText.of(Manifest.recover(disk, DIRECTORY).catalog()))
        .isEqualTo(CatalogText.of(expected));
  }

  private static byte[] dump() throws IOException {
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    for (MatchResult line : DUMP_LINE.matcher(Files.readString(DOCUMENT)).results().toList()) {
      assertThat(line.group(1)).isEqualTo(String.format("%04x", bytes.size()));
      bytes.writeBytes(HexFormat.of().parseHex(line.group(2).replace(" ", "")));
    }
    return bytes.toByteArray();
  }

  private static String currentLine() throws IOException {
    return CURRENT_LINE
        .matcher(Files.readString(DOCUMENT))
        .results()
        .findFirst()
        .orElseThrow()
        .group(1);
  }
}
