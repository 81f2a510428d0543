package io.sifr.internal.manifest;

import static io.sifr.internal.manifest.MemoryDisk.DIRECTORY;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sifr.error.CorruptionException;
import io.sifr.error.StoreFailedException;
import io.sifr.error.StoreFullException;
import io.sifr.error.StoreIoException;
import io.sifr.internal.forest.Catalog;
import io.sifr.internal.forest.Catalog.Totals;
import io.sifr.internal.forest.ForestEdit;
import io.sifr.internal.format.FileKind;
import io.sifr.internal.io.RandomReadFile;
import io.sifr.testing.CatalogText;
import io.sifr.testing.RandomEdits;
import io.sifr.testing.TestManifests;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class ManifestTest {
  private static final List<ForestEdit> INITIAL =
      List.of(new ForestEdit.DatabaseCreated(1, "default"));

  private final MemoryDisk disk = new MemoryDisk();

  @ParameterizedTest
  @ValueSource(longs = {1, 2, 3})
  void recoversWhatWasAppended(long seed) {
    Random random = new Random(seed);
    RandomEdits edits = new RandomEdits(random);
    long number = 1_000_000_000;
    Manifest manifest = TestManifests.create(disk, DIRECTORY, number, edits.next());
    for (int i = 0; i < 200; i++) {
      manifest.append(edits.next());
      Catalog expected = edits.catalog().apply(new ForestEdit.NumbersReserved(number + 1));
      Recovered recovered = Manifest.recover(disk, DIRECTORY);

      assertThat(CatalogText.of(recovered.catalog()))
          .describedAs("seed %d group %d", seed, i)
          .isEqualTo(CatalogText.of(expected));
      assertThat(recovered.current().number()).isEqualTo(number);
      assertThat(recovered.end()).isEqualTo(manifest.bytes());
      assertThat(recovered.isTorn()).isFalse();
      if (random.nextInt(20) == 0) {
        number++;
        manifest.close();
        manifest = Manifest.startNew(disk, DIRECTORY, number, recovered.catalog());
      } else if (random.nextInt(20) == 0) {
        number += 5;
        manifest = manifest.rewrite(number, edits.catalog());
      }
    }
    manifest.close();
  }

  @Test
  void holdsNoStoreBeforeItIsCreated() {
    assertThat(Manifest.exists(disk, DIRECTORY)).isFalse();

    TestManifests.create(disk, DIRECTORY, 1, INITIAL).close();

    assertThat(Manifest.exists(disk, DIRECTORY)).isTrue();
  }

  @Test
  void deletesOlderManifests() {
    Manifest first = TestManifests.create(disk, DIRECTORY, 1, INITIAL);
    Manifest second = first.rewrite(2, Manifest.recover(disk, DIRECTORY).catalog());

    assertThat(disk.list(DIRECTORY)).containsExactly("000000000002.manifest", "CURRENT");
    assertThat(second.number()).isEqualTo(2);
    assertThatThrownBy(() -> first.append(INITIAL))
        .isInstanceOf(IllegalStateException.class)
        .hasMessage("manifest 1 is closed");
    assertThatThrownBy(() -> second.rewrite(2, Catalog.EMPTY))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("the old one has 2");
    assertThatThrownBy(() -> Manifest.startNew(disk, DIRECTORY, 2, Catalog.EMPTY))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("CURRENT names 2");
    second.close();
  }

  @Test
  void countsItsNumberAsUsed() {
    TestManifests.create(disk, DIRECTORY, 41, INITIAL).close();

    assertThat(Manifest.recover(disk, DIRECTORY).catalog().nextNumber()).isEqualTo(42);
  }

  @Test
  void setsRoomAsideForEdits() {
    String name = "x".repeat(10_000);
    Manifest manifest = TestManifests.create(disk, DIRECTORY, 1, INITIAL);
    assertThat(manifest.room()).isEqualTo(1 << 14);
    manifest.append(List.of(new ForestEdit.DatabaseCreated(2, name)));
    assertThat(manifest.room()).isBetween(6_000L, 6_384L);
    int changes = disk.changes();

    assertThatThrownBy(() -> manifest.append(List.of(new ForestEdit.DatabaseCreated(3, name))))
        .isInstanceOf(StoreFullException.class);

    assertThat(disk.changes()).isEqualTo(changes);
    assertThat(manifest.hasFailed()).isFalse();
    manifest.append(List.of(new ForestEdit.DatabaseCreated(3, "third")));
    Catalog catalog = Manifest.recover(disk, DIRECTORY).catalog();
    assertThat(catalog.forests()).hasSize(3);
    manifest.close();
  }

  /** A store that does little has a small manifest; where edits come and come, it grows. */
  @Test
  void setsMoreAsideEachTimeItIsStartedAnew() {
    Catalog catalog = Catalog.EMPTY.apply(INITIAL);
    Manifest manifest = TestManifests.create(disk, DIRECTORY, 1, INITIAL);
    for (int number = 2; number < 6; number++) {
      manifest = manifest.rewrite(number, catalog);
      assertThat(manifest.room()).isEqualTo(Math.min(1 << 18, 1 << (14 + 2 * (number - 1))));
    }
    Catalog large = catalog.apply(new ForestEdit.DatabaseCreated(2, "x".repeat(170_000)));
    try (Manifest fresh = manifest.rewrite(6, large)) {
      assertThat(fresh.room()).isBetween(3 * 170_000L, 3 * 171_000L);
    }
  }

  /** Edits take the place of zeros, so that they need no space. */
  @Test
  void doesNotGrow() {
    Path file = FileKind.MANIFEST.path(DIRECTORY, 1);
    try (Manifest manifest = TestManifests.create(disk, DIRECTORY, 1, INITIAL)) {
      long size = disk.size(file);
      long end = manifest.bytes();
      manifest.append(List.of(new ForestEdit.LogStart(8)));
      assertThat(manifest.bytes()).isGreaterThan(end);
      assertThat(disk.size(file)).isEqualTo(size).isEqualTo(manifest.bytes() + manifest.room());
    }
  }

  @Test
  void setsLessAsideWhereLittleSpaceIsLeft() {
    MemoryDisk full =
        new MemoryDisk() {
          @Override
          void checkSpace(Path file, long bytes) {
            if (bytes > 100_000) {
              throw new StoreFullException(file, "append to", new IOException("made to fail"));
            }
          }
        };
    Catalog catalog = Catalog.EMPTY.apply(INITIAL);
    Manifest second = TestManifests.create(full, DIRECTORY, 1, INITIAL).rewrite(2, catalog);
    assertThat(second.room()).isEqualTo(1 << 16);
    try (Manifest manifest = second.rewrite(3, catalog)) {
      assertThat(manifest.room()).isEqualTo(1 << 16);
      manifest.append(List.of(new ForestEdit.LogStart(8)));
    }
    assertThat(full.list(DIRECTORY)).containsExactly("000000000003.manifest", "CURRENT");
    assertThat(full.openFiles()).isZero();
  }

  @Test
  void staysUsableAfterAGroupThatCannotBeEncoded() {
    Manifest manifest = TestManifests.create(disk, DIRECTORY, 1, INITIAL);

    assertThatThrownBy(() -> manifest.append(List.of(new ForestEdit.LogStart(-1))))
        .isInstanceOf(IllegalArgumentException.class);
    manifest.append(List.of(new ForestEdit.LogStart(8)));

    assertThat(Manifest.recover(disk, DIRECTORY).catalog().firstSegment()).isEqualTo(8);
    manifest.close();
  }

  @Test
  void appendsNothingAfterAFailedAppend() {
    Manifest manifest = TestManifests.create(disk, DIRECTORY, 1, INITIAL);
    disk.failAt(1, MemoryDisk.Failure.BEFORE);
    List<ForestEdit> group = List.of(new ForestEdit.LogStart(8));

    assertThatThrownBy(() -> manifest.append(group))
        .isInstanceOfSatisfying(
            StoreIoException.class,
            first -> {
              int changes = disk.changes();
              for (int i = 0; i < 2; i++) {
                assertThatThrownBy(() -> manifest.append(group))
                    .isInstanceOf(StoreFailedException.class)
                    .hasCause(first);
                assertThatThrownBy(() -> manifest.rewrite(2, Catalog.EMPTY))
                    .isInstanceOf(StoreFailedException.class)
                    .hasCause(first);
              }
              assertThat(disk.changes()).isEqualTo(changes);
            });
    manifest.close();
  }

  @Test
  void keepsTheOldManifestWhenTheNewOneReadsBackWrong() {
    MemoryDisk forgetful =
        new MemoryDisk() {
          @Override
          public RandomReadFile openForRead(Path file) {
            if (FileKind.MANIFEST.path(DIRECTORY, 2).equals(file)) {
              byte[] bytes = read(file);
              bytes[50] ^= 1; // an edit of the snapshot
              write(file, bytes);
            }
            return super.openForRead(file);
          }
        };
    try (Manifest manifest = TestManifests.create(forgetful, DIRECTORY, 1, INITIAL)) {
      assertThatThrownBy(() -> manifest.rewrite(2, Catalog.EMPTY))
          .isInstanceOf(CorruptionException.class);
      manifest.append(List.of(new ForestEdit.LogStart(8)));
    }

    assertThat(Manifest.recover(forgetful, DIRECTORY).catalog().firstSegment()).isEqualTo(8);
  }

  @Test
  void leavesNothingOfANewManifestThatCouldNotBeWritten() {
    try (Manifest manifest = TestManifests.create(disk, DIRECTORY, 1, INITIAL)) {
      disk.failAt(5, MemoryDisk.Failure.HALFWAY);

      assertThatThrownBy(() -> manifest.rewrite(2, Catalog.EMPTY))
          .isInstanceOf(StoreIoException.class);
      assertThat(disk.list(DIRECTORY)).containsExactly("000000000001.manifest", "CURRENT");
    }
    assertThat(disk.openFiles()).isZero();
  }

  @Test
  void showsItsRecords() {
    Manifest manifest = TestManifests.create(disk, DIRECTORY, 1, INITIAL);
    long offset = manifest.bytes();
    List<ForestEdit> group =
        List.of(
            new ForestEdit.LogStart(8), new ForestEdit.TotalsReached(new Totals(1, 2, 3, 4, 5, 6)));
    manifest.append(group);
    List<Long> offsets = new ArrayList<>();
    List<Long> ends = new ArrayList<>();
    List<ForestEdit> shown = new ArrayList<>();
    List<Long> shownAt = new ArrayList<>();

    ManifestScan.Result result =
        Manifest.forEachRecord(
            disk,
            DIRECTORY,
            1,
            (at, bytes, edits, editOffsets) -> {
              offsets.add(at);
              ends.add(at + bytes);
              shown.addAll(edits);
              shownAt.addAll(editOffsets);
            });

    long end = result.end();
    assertThat(end).isEqualTo(manifest.bytes());
    // After the group follows what tells that it was synced: the header of a record and a mark.
    assertThat(offsets).isSorted().startsWith(32L).endsWith(offset, end - 16);
    assertThat(offsets.subList(1, offsets.size())).isEqualTo(ends.subList(0, ends.size() - 1));
    assertThat(ends).endsWith(end);
    assertThat(shown).startsWith(INITIAL.get(0)).endsWith(group.get(0), group.get(1));
    // The record's header of 8 bytes, the mark of 8, the count of edits; tag, length, one byte.
    assertThat(shownAt).hasSameSizeAs(shown).endsWith(offset + 17, offset + 20);
    manifest.close();
  }
}
