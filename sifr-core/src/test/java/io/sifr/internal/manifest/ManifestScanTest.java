package io.sifr.internal.manifest;

import static io.sifr.internal.manifest.MemoryDisk.DIRECTORY;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sifr.error.CorruptionException;
import io.sifr.internal.forest.ForestEdit;
import io.sifr.internal.format.FileHeader;
import io.sifr.internal.format.FileKind;
import io.sifr.testing.TestManifests;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class ManifestScanTest {
  private static final Path MANIFEST = FileKind.MANIFEST.path(DIRECTORY, 7);

  /** Groups that are appended. After each follows a record that tells that it was synced. */
  private static final int APPENDED = 6;

  /** A whole record of the undamaged manifest. */
  private record Whole(long offset, long end, List<ForestEdit> group) {}

  /** What a scan came upon. */
  private static final class Scanned implements ManifestScan.Visitor {
    private final List<List<ForestEdit>> groups = new ArrayList<>();
    private final List<Long> gaps = new ArrayList<>();

    @Override
    public void record(List<ForestEdit> group) {
      groups.add(group);
    }

    @Override
    public void gap(long offset, long bytes, String what) {
      gaps.add(offset);
      gaps.add(offset + bytes);
    }
  }

  private final MemoryDisk disk = new MemoryDisk();
  private final List<Whole> records = new ArrayList<>();
  private byte[] sound = {};

  @BeforeEach
  void write() {
    try (Manifest manifest =
        TestManifests.create(disk, DIRECTORY, 7, List.of(new ForestEdit.DatabaseCreated(1, "a")))) {
      for (int i = 0; i < APPENDED; i++) {
        manifest.append(
            List.of(
                new ForestEdit.FlushedTo(1, 10 + i), new ForestEdit.SequencesReserved(1000 + i)));
      }
    }
    int end = (int) Manifest.recover(disk, DIRECTORY).end();
    sound = Arrays.copyOf(disk.read(MANIFEST), end);
    Manifest.forEachRecord(
        disk,
        DIRECTORY,
        7,
        (offset, bytes, group, at) -> records.add(new Whole(offset, offset + bytes, group)));
  }

  private Scanned scan(@Nullable Long uniqueId) {
    Scanned scanned = new Scanned();
    ManifestScan.scan(disk, DIRECTORY, 7, uniqueId, scanned);
    return scanned;
  }

  private static List<List<ForestEdit>> groups(List<Whole> records) {
    return records.stream().map(Whole::group).toList();
  }

  @Test
  void aSoundManifestIsReadToItsEnd() {
    Scanned scanned = new Scanned();
    ManifestScan.Result result = ManifestScan.scan(disk, DIRECTORY, 7, null, scanned);

    assertThat(scanned.groups).isEqualTo(groups(records));
    assertThat(scanned.gaps).isEmpty();
    assertThat(result.end()).isEqualTo(sound.length);
    assertThat(result.isTorn()).isFalse();
    Current named = Current.read(disk, DIRECTORY);
    assertThat(named.number()).isEqualTo(7);
    assertThat(named.uniqueId()).isEqualTo(result.uniqueId());
    assertThat(named.snapshotBytes())
        .isEqualTo(records.get(records.size() - 2 * APPENDED).offset());
  }

  @Test
  void allRecordsButTheDamagedOnesAreRead() {
    for (int offset = FileHeader.BYTES; offset < sound.length; offset++) {
      byte[] damaged = sound.clone();
      damaged[offset] ^= 0x20;
      disk.write(MANIFEST, damaged);
      int at = offset;
      List<Whole> hit = records.stream().filter(r -> at >= r.offset() && at < r.end()).toList();
      List<Whole> left = new ArrayList<>(records);
      left.removeAll(hit);

      Scanned scanned = scan(null);

      if (scanned.groups.size() == records.size()) {
        // In the padding after the edits, which no checksum covers.
        assertThat(scanned.groups).isEqualTo(groups(records));
        assertThat(hit.get(0).end() - offset).isLessThan(8);
      } else if (hit.get(0).group().isEmpty()) {
        assertThat(scanned.groups).describedAs("offset %d", offset).isEqualTo(groups(left));
        assertThat(scanned.gaps).isEmpty();
      } else {
        assertThat(scanned.groups).describedAs("offset %d", offset).isEqualTo(groups(left));
        boolean isLast = hit.get(0).end() == sound.length;
        assertThat(scanned.gaps)
            .isEqualTo(isLast ? List.of() : List.of(hit.get(0).offset(), hit.get(0).end()));
      }
    }
  }

  @Test
  void aGapOfManyRecordsIsOne() {
    byte[] damaged = sound.clone();
    Whole first = records.get(2);
    Whole last = records.get(7);
    Arrays.fill(damaged, (int) first.offset(), (int) last.end(), (byte) 0);
    disk.write(MANIFEST, damaged);
    List<Whole> left = new ArrayList<>(records.subList(0, 2));
    left.addAll(records.subList(8, records.size()));

    Scanned scanned = scan(null);

    assertThat(scanned.groups).isEqualTo(groups(left));
    assertThat(scanned.gaps).containsExactly(first.offset(), last.end());
  }

  @Test
  void withADamagedHeaderTheUniqueIdIsTakenFromCurrentOrFromWhatIsLeftOfTheHeader() {
    long id = Current.read(disk, DIRECTORY).uniqueId();
    for (int offset = 0; offset < FileHeader.BYTES; offset++) {
      byte[] damaged = sound.clone();
      damaged[offset] ^= 0x20;
      disk.write(MANIFEST, damaged);
      boolean inId = offset >= 16 && offset < 24;
      assertThat(scan(id).groups).isEqualTo(groups(records));
      assertThat(scan(null).groups).isEqualTo(inId ? List.of() : groups(records));
    }
  }

  @Test
  void aManifestThatIsNoneIsRefused() {
    disk.write(MANIFEST, Arrays.copyOf(sound, 20));
    assertThatThrownBy(() -> scan(null)).isInstanceOf(CorruptionException.class);
    disk.delete(MANIFEST);
    assertThatThrownBy(() -> scan(null)).isInstanceOf(CorruptionException.class);
  }
}
