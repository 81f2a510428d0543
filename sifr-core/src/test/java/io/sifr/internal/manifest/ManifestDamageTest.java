package io.sifr.internal.manifest;

import static io.sifr.internal.manifest.MemoryDisk.DIRECTORY;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sifr.error.CorruptionException;
import io.sifr.error.SifrException;
import io.sifr.error.UnsupportedFormatException;
import io.sifr.internal.forest.ForestEdit;
import io.sifr.internal.format.Checksums;
import io.sifr.internal.format.FileHeader;
import io.sifr.internal.format.FileKind;
import io.sifr.internal.format.RecordFrame;
import io.sifr.internal.io.RandomReadFile;
import io.sifr.testing.CatalogText;
import io.sifr.testing.ForestDrawing;
import io.sifr.testing.TestManifests;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

@Tag("damage")
class ManifestDamageTest {
  private static final Path CURRENT = DIRECTORY.resolve("CURRENT");
  private static final Path MANIFEST = FileKind.MANIFEST.path(DIRECTORY, 7);
  private static final long OTHER_ID = 0x0123456789ABCDEFL;

  /** Bytes of the record without edits that follows each one that was synced. */
  private static final int SYNCED_BYTES = RecordFrame.HEADER_BYTES + Long.BYTES;

  private final MemoryDisk disk = new MemoryDisk();
  private byte[] whole = {};
  private byte[] line = {};
  private int snapshotEnd;
  private int lastAt;
  private int lastEnd;
  private String withoutLast = "";
  private String withLast = "";

  @BeforeEach
  void writeAManifestWithTwoAppendedRecords() {
    List<ForestEdit> initial = List.of(new ForestEdit.DatabaseCreated(1, "default"));
    int end;
    try (Manifest manifest = TestManifests.create(disk, DIRECTORY, 7, initial)) {
      snapshotEnd = (int) manifest.bytes();
      manifest.append(
          List.of(new ForestEdit.TreeAdded(1, 1, 8, List.of(ForestDrawing.sst(9, "a-f")))));
      lastAt = (int) manifest.bytes();
      withoutLast = recover();
      manifest.append(
          List.of(new ForestEdit.FlushedTo(1, 77), new ForestEdit.DatabaseCreated(2, "second")));
      withLast = recover();
      end = (int) manifest.bytes();
    }
    whole = Arrays.copyOf(disk.read(MANIFEST), end);
    lastEnd = whole.length - SYNCED_BYTES;
    line = disk.read(CURRENT);
  }

  private String recover() {
    return CatalogText.of(Manifest.recover(disk, DIRECTORY).catalog());
  }

  @Test
  void ignoresATornLastRecord() {
    for (int size = lastAt; size < lastEnd - 7; size++) {
      disk.write(MANIFEST, Arrays.copyOf(whole, size));
      assertLastIsMissing("cut to " + size);
      disk.write(MANIFEST, Arrays.copyOf(Arrays.copyOf(whole, size), whole.length + 100));
      if (size < lastEnd - 16) {
        assertLastIsMissing("cut to " + size + ", zeros after");
      }
    }
  }

  @Test
  void findsABitAnywhereInTheRoomAfter() {
    byte[] room = Arrays.copyOf(whole, whole.length + 400_003);
    disk.write(MANIFEST, room);
    assertThat(Manifest.recover(disk, DIRECTORY).isTorn()).isFalse();
    for (int after = 0; whole.length + after < room.length; after += 1009) {
      byte[] touched = room.clone();
      touched[room.length - 1 - after] = 1;
      disk.write(MANIFEST, touched);
      Recovered recovered = Manifest.recover(disk, DIRECTORY);
      assertThat(recovered.isTorn()).describedAs("%d before the end", after).isTrue();
      assertThat(CatalogText.of(recovered.catalog())).isEqualTo(withLast);
    }
  }

  private void assertLastIsMissing(String what) {
    Recovered recovered = Manifest.recover(disk, DIRECTORY);
    assertThat(CatalogText.of(recovered.catalog())).describedAs(what).isEqualTo(withoutLast);
    assertThat(recovered.end()).describedAs(what).isEqualTo(lastAt);
  }

  @Test
  void needsNotBeToldThatTheLastRecordWasSynced() {
    for (int size = lastEnd; size < whole.length; size++) {
      disk.write(MANIFEST, Arrays.copyOf(whole, size));
      assertThat(recover()).describedAs("cut to %d", size).isEqualTo(withLast);
    }
  }

  @Test
  void refusesATornSnapshot() {
    for (int size = 0; size < snapshotEnd - 7; size++) {
      disk.write(MANIFEST, Arrays.copyOf(whole, size));
      assertThatThrownBy(this::recover)
          .describedAs("cut to %d", size)
          .isInstanceOf(CorruptionException.class)
          .hasMessageContaining(MANIFEST + " is damaged at offset ");
    }
  }

  /**
   * Damage is noticed, but for two places, and there it changes nothing: zeros between records are
   * never read, and what tells that a record was synced is needed only when that is damaged.
   */
  @Test
  void noticesEveryFlippedBit() {
    for (int at = 0; at < whole.length; at++) {
      for (int bit = 0; bit < 8; bit++) {
        byte[] damaged = whole.clone();
        damaged[at] ^= (byte) (1 << bit);
        disk.write(MANIFEST, damaged);
        String outcome = outcome();
        if (isPadding(at) || isSyncedRecord(at)) {
          assertThat(outcome).describedAs("bit %d of byte %d", bit, at).isEqualTo(withLast);
        } else {
          assertThat(outcome)
              .describedAs("bit %d of byte %d", bit, at)
              .startsWith("refused: " + MANIFEST);
        }
      }
    }
  }

  private boolean isSyncedRecord(int at) {
    return at >= lastEnd || (at >= lastAt - SYNCED_BYTES && at < lastAt);
  }

  /** Both are synced together, so one of them may be lost. */
  @Test
  void takesARecordAfterALostOneWithoutEdits() {
    byte[] damaged = whole.clone();
    Arrays.fill(damaged, lastAt - SYNCED_BYTES, lastAt, (byte) 0);
    disk.write(MANIFEST, damaged);
    assertThat(recover()).isEqualTo(withLast);

    for (int size = lastAt; size < lastEnd - 7; size++) {
      disk.write(MANIFEST, Arrays.copyOf(damaged, size));
      assertThat(recover()).describedAs("cut to %d", size).isEqualTo(withoutLast);
    }
  }

  private String outcome() {
    try {
      return recover();
    } catch (CorruptionException | UnsupportedFormatException e) {
      return "refused: " + e.getMessage();
    }
  }

  private boolean isPadding(int at) {
    ByteBuffer bytes = ByteBuffer.wrap(whole);
    int begin = FileHeader.BYTES;
    while (true) {
      int payloadEnd = begin + RecordFrame.HEADER_BYTES + bytes.getInt(begin);
      int end = begin + (int) RecordFrame.bytes(bytes.getInt(begin));
      if (at < end) {
        return at >= payloadEnd;
      }
      begin = end;
    }
  }

  @Test
  void namesTheDamagedRecordAndTheOneAfterIt() {
    byte[] damaged = whole.clone();
    damaged[snapshotEnd + 20] ^= 1;
    disk.write(MANIFEST, damaged);

    assertThatThrownBy(this::recover)
        .isInstanceOfSatisfying(
            CorruptionException.class,
            e -> {
              assertThat(e.file()).isEqualTo(MANIFEST);
              assertThat(e.offset()).isEqualTo(snapshotEnd);
            })
        .hasMessageContaining("one follows at " + (lastAt - SYNCED_BYTES));
  }

  /** The second of two damaged records began to be appended, so the first one was synced. */
  @Test
  void refusesDamageInFrontOfATornRecord() {
    byte[] damaged = Arrays.copyOf(whole, lastAt + RecordFrame.HEADER_BYTES + Long.BYTES);
    damaged[snapshotEnd + 20] ^= 1;
    disk.write(MANIFEST, damaged);

    assertThatThrownBy(this::recover).isInstanceOf(CorruptionException.class);
  }

  @Test
  void readsRecordsLargerThanAPieceAndFindsThemAfterDamage() {
    String name = "n".repeat(700_000);
    disk.delete(CURRENT);
    int middle;
    List<ForestEdit> large = List.of(new ForestEdit.DatabaseCreated(1, name));
    try (Manifest small = TestManifests.create(disk, DIRECTORY, 7, large);
        // Large enough for more of that size.
        Manifest manifest = small.rewrite(8, Manifest.recover(disk, DIRECTORY).catalog())) {
      manifest.append(List.of(new ForestEdit.DatabaseCreated(2, name + 2)));
      middle = (int) manifest.bytes();
      manifest.append(List.of(new ForestEdit.DatabaseCreated(3, "third")));
    }
    assertThat(Manifest.recover(disk, DIRECTORY).catalog().forests()).hasSize(3);

    Path file = FileKind.MANIFEST.path(DIRECTORY, 8);
    byte[] damaged = disk.read(file);
    damaged[middle - 100] ^= 1;
    disk.write(file, damaged);
    assertThatThrownBy(this::recover)
        .isInstanceOf(CorruptionException.class)
        .hasMessageContaining("one follows at " + (middle - SYNCED_BYTES));

    // As it is when its write is cut off.
    disk.write(file, Arrays.copyOf(damaged, middle - SYNCED_BYTES));
    assertThat(Manifest.recover(disk, DIRECTORY).catalog().forests()).hasSize(1);
  }

  /** The record after the damage lies where an int no longer reaches. */
  @Test
  void looksForRecordsAfterDamageInAFileOfAnySize() {
    long recordAt = (5L << 29) + 8;
    long uniqueId = Current.read(disk, DIRECTORY).uniqueId();
    RandomReadFile file =
        new RandomReadFile() {
          @Override
          public long size() {
            return recordAt + 64;
          }

          @Override
          public void readFully(ByteBuffer target, long position) {
            byte[] bytes = new byte[target.remaining()];
            for (int i = 0; i < bytes.length && position + i < lastAt; i++) {
              bytes[i] = whole[(int) position + i];
            }
            target.put(bytes);
            long markAt = recordAt + RecordFrame.HEADER_BYTES;
            if (position <= markAt && markAt + Long.BYTES <= position + bytes.length) {
              target.putLong((int) (markAt - position), uniqueId + recordAt);
            }
          }

          @Override
          public void close() {}
        };
    MemoryDisk huge =
        new MemoryDisk() {
          @Override
          public RandomReadFile openForRead(Path path) {
            return path.equals(MANIFEST) ? file : super.openForRead(path);
          }
        };
    huge.write(MANIFEST, whole);
    huge.write(CURRENT, line);

    assertThatThrownBy(() -> Manifest.recover(huge, DIRECTORY))
        .isInstanceOfSatisfying(
            CorruptionException.class, e -> assertThat(e.offset()).isEqualTo(lastAt))
        .hasMessageContaining("one follows at " + recordAt);
  }

  /** Whatever stands after the snapshot, reading ends in a catalog or an error of ours. */
  @Test
  void readsOrRefusesAnyBytes() {
    long seed = 5;
    Random random = new Random(seed);
    for (int round = 0; round < 3000; round++) {
      byte[] damaged = Arrays.copyOf(whole, random.nextInt(2 * whole.length));
      int from = random.nextInt(damaged.length + 1);
      int to = from + random.nextInt(damaged.length - from + 1);
      for (int i = from; i < to; i++) {
        damaged[i] = (byte) random.nextInt();
      }
      disk.write(MANIFEST, damaged);
      String outcome = outcome();
      assertThat(outcome.startsWith("refused: "))
          .describedAs("seed %d round %d: %s", seed, round, outcome)
          .isEqualTo(
              !outcome.equals(withLast)
                  && !outcome.equals(withoutLast)
                  && !outcome.startsWith("database"));
    }
  }

  @Test
  void refusesAnEditThatDoesNotFit() {
    disk.delete(CURRENT);
    long at;
    try (Manifest manifest = TestManifests.create(disk, DIRECTORY, 7, List.of())) {
      at = manifest.bytes();
      manifest.append(List.of(new ForestEdit.DatabaseDropped(9)));
    }

    assertThatThrownBy(this::recover)
        .isInstanceOfSatisfying(
            CorruptionException.class, e -> assertThat(e.offset()).isEqualTo(at))
        .hasMessageContaining("there is no database with id 9");
  }

  @Test
  void refusesAnSstThatIsInTwoTrees() {
    disk.delete(CURRENT);
    try (Manifest manifest = TestManifests.create(disk, DIRECTORY, 7, List.of())) {
      manifest.append(
          List.of(
              new ForestEdit.DatabaseCreated(1, "default"),
              new ForestEdit.TreeAdded(1, 1, 8, List.of(ForestDrawing.sst(9, "a-f"))),
              new ForestEdit.TreeAdded(1, 1, 10, List.of(ForestDrawing.sst(9, "a-f")))));
    }

    assertThatThrownBy(this::recover)
        .isInstanceOf(CorruptionException.class)
        .hasMessageContaining("SST 9 is in a forest twice");
  }

  @Test
  void refusesAMissingOrForeignManifest() {
    disk.delete(MANIFEST);
    assertThatThrownBy(this::recover)
        .isInstanceOf(CorruptionException.class)
        .hasMessageContaining(MANIFEST + " is damaged at offset 0: the file is missing");

    byte[] foreign = whole.clone();
    FileHeader.of(FileKind.MANIFEST, 7, OTHER_ID).encodeTo(ByteBuffer.wrap(foreign), 0);
    disk.write(MANIFEST, foreign);
    assertThatThrownBy(this::recover).isInstanceOf(CorruptionException.class);

    disk.write(MANIFEST, Arrays.copyOf(foreign, FileHeader.BYTES));
    assertThatThrownBy(this::recover)
        .isInstanceOf(CorruptionException.class)
        .hasMessageContaining("unique id is 0123456789abcdef, CURRENT says ");
  }

  @Test
  void refusesANewerVersion() {
    byte[] newer = whole.clone();
    new FileHeader(FileKind.MANIFEST, 2, 7, OTHER_ID, 0, 0).encodeTo(ByteBuffer.wrap(newer), 0);
    disk.write(MANIFEST, newer);
    assertThatThrownBy(this::recover)
        .isInstanceOf(UnsupportedFormatException.class)
        .hasMessageContaining("format version is 2");

    disk.write(CURRENT, line("sifr 2 anything else"));
    assertThatThrownBy(this::recover)
        .isInstanceOf(UnsupportedFormatException.class)
        .hasMessageContaining("format version is 2");
  }

  @Test
  void refusesEveryChangeOfCurrent() {
    for (int at = 0; at < line.length; at++) {
      for (int bit = 0; bit < 8; bit++) {
        byte[] damaged = line.clone();
        damaged[at] ^= (byte) (1 << bit);
        assertCurrentRefused(damaged);
      }
      assertCurrentRefused(Arrays.copyOf(line, at));
    }
    assertCurrentRefused(Arrays.copyOf(line, line.length + 1));
    assertCurrentRefused(new byte[10_000]);
    assertCurrentRefused(
        line("sifr 1 manifest 9999999999999999999 id 0123456789abcdef snapshot 1"));
    assertCurrentRefused(line("sifr 0 manifest 7 id 0123456789abcdef snapshot 1"));
    assertCurrentRefused(line(""));
  }

  private void assertCurrentRefused(byte[] bytes) {
    disk.write(CURRENT, bytes);
    assertThatThrownBy(this::recover)
        .describedAs(new String(bytes, StandardCharsets.ISO_8859_1))
        .isInstanceOf(CorruptionException.class)
        .hasMessageContaining(CURRENT.toString());
  }

  private static byte[] line(String body) {
    byte[] bytes = body.getBytes(StandardCharsets.ISO_8859_1);
    String check = String.format(" crc %08x\n", Checksums.crc32c(bytes, 0, bytes.length));
    return (body + check).getBytes(StandardCharsets.ISO_8859_1);
  }

  @Test
  void refusesADirectoryWhoseCurrentIsLost() {
    disk.delete(CURRENT);
    assertThatThrownBy(this::recover)
        .isInstanceOf(CorruptionException.class)
        .hasMessageContaining(CURRENT + " is damaged at offset 0: the file is missing");
    assertThat(Manifest.exists(disk, DIRECTORY)).isFalse();

    for (FileKind kind : List.of(FileKind.SST, FileKind.WAL)) {
      Path file = kind.path(DIRECTORY, 3);
      disk.write(file, new byte[1]);
      assertThatThrownBy(() -> Manifest.exists(disk, DIRECTORY))
          .isInstanceOf(SifrException.class)
          .isInstanceOf(CorruptionException.class)
          .hasMessageContaining(file.getFileName() + " belongs to a store");
      disk.delete(file);
    }
  }
}
