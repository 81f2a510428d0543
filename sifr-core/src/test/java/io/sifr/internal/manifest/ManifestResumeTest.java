package io.sifr.internal.manifest;

import static io.sifr.internal.manifest.MemoryDisk.DIRECTORY;
import static org.assertj.core.api.Assertions.assertThat;

import io.sifr.error.StoreIoException;
import io.sifr.internal.forest.Catalog;
import io.sifr.internal.forest.ForestEdit;
import io.sifr.internal.format.FileKind;
import io.sifr.internal.format.RecordFrame;
import io.sifr.testing.CatalogText;
import io.sifr.testing.RandomEdits;
import io.sifr.testing.TestManifests;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import org.junit.jupiter.api.Test;

/** A manifest that was read is appended to when it is certain where it ends, and only then. */
class ManifestResumeTest {
  private static final List<ForestEdit> INITIAL =
      List.of(new ForestEdit.DatabaseCreated(1, "default"));
  private static final Path FILE = FileKind.MANIFEST.path(DIRECTORY, 1);

  /** Bytes of the record that tells of a sync. */
  private static final int SYNCED_BYTES = RecordFrame.HEADER_BYTES + Long.BYTES;

  private MemoryDisk disk = new MemoryDisk();

  private void createWithOneEdit() {
    try (Manifest manifest = TestManifests.create(disk, DIRECTORY, 1, INITIAL)) {
      manifest.append(List.of(new ForestEdit.LogStart(8)));
    }
  }

  private Optional<Manifest> resume() {
    return Manifest.resume(disk, DIRECTORY, Manifest.recover(disk, DIRECTORY));
  }

  @Test
  void goesOnWithoutWritingAnything() {
    createWithOneEdit();
    int changes = disk.changes();
    long end = Manifest.recover(disk, DIRECTORY).end();
    try (Manifest manifest = resume().orElseThrow()) {
      assertThat(disk.changes()).isEqualTo(changes);
      assertThat(manifest.bytes()).isEqualTo(end);
      assertThat(manifest.bytes() + manifest.room()).isEqualTo(disk.size(FILE));
      manifest.append(List.of(new ForestEdit.LogStart(9)));
    }
    assertThat(Manifest.recover(disk, DIRECTORY).catalog().firstSegment()).isEqualTo(9);
    assertThat(disk.list(DIRECTORY)).containsExactly("000000000001.manifest", "CURRENT");
    assertThat(disk.openFiles()).isZero();
  }

  @Test
  void deletesWhatACrashHasLeftOfANewOne() {
    createWithOneEdit();
    Manifest.write(disk, DIRECTORY, 2, 22, Catalog.EMPTY.apply(INITIAL), 0).close();
    assertThat(disk.list(DIRECTORY)).contains("000000000002.manifest", "CURRENT.tmp");
    resume().orElseThrow().close();
    assertThat(disk.list(DIRECTORY)).containsExactly("000000000001.manifest", "CURRENT");
  }

  /** The directory may not have been synced since CURRENT named it. */
  @Test
  void notWhenNothingWasEverAppended() {
    TestManifests.create(disk, DIRECTORY, 1, INITIAL).close();
    assertThat(resume()).isEmpty();
  }

  /** A killed process leaves such a group, and the kernel need not have written it yet. */
  @Test
  void notWhenTheLastGroupMayNotBeDurable() {
    createWithOneEdit();
    byte[] bytes = disk.read(FILE);
    int end = (int) Manifest.recover(disk, DIRECTORY).end();
    Arrays.fill(bytes, end - SYNCED_BYTES, end, (byte) 0);
    disk.write(FILE, bytes);
    assertThat(Manifest.recover(disk, DIRECTORY).catalog().firstSegment()).isEqualTo(8);
    assertThat(resume()).isEmpty();
  }

  @Test
  void notWhenAnythingLiesAfterTheEnd() {
    createWithOneEdit();
    byte[] bytes = disk.read(FILE);
    for (int at : new int[] {(int) Manifest.recover(disk, DIRECTORY).end(), bytes.length - 1}) {
      byte[] torn = bytes.clone();
      torn[at] = 1;
      disk.write(FILE, torn);
      assertThat(resume()).describedAs("byte at %d", at).isEmpty();
    }
  }

  /**
   * Opened again and again, after a close, the end of the process or a loss of power; in the last
   * life a call fails. What was acknowledged is there, and of what was not all or nothing.
   */
  @Test
  void manyLivesKeepWhatWasAcknowledged() {
    List<MemoryDisk.Failure> failures = List.of(MemoryDisk.Failure.values());
    int resumed = 0;
    for (int seed = 0; seed < 400; seed++) {
      Random random = new Random(seed);
      disk = new MemoryDisk();
      RandomEdits edits = new RandomEdits(new Random(seed));
      Manifest manifest = TestManifests.create(disk, DIRECTORY, 1_000_000, edits.next());
      long number = 1_000_000;
      for (int life = 1 + random.nextInt(8); life > 0; life--) {
        Catalog before = edits.catalog();
        Catalog after = before;
        if (life == 1) {
          disk.failAt(random.nextInt(12), failures.get(random.nextInt(3)));
        }
        try {
          for (int i = random.nextInt(4); i > 0; i--) {
            List<ForestEdit> group = edits.next();
            before = after;
            after = edits.catalog();
            manifest.append(group);
            before = after;
          }
        } catch (StoreIoException e) {
          assertThat(life).isOne();
        }
        if (random.nextInt(3) > 0) {
          manifest.close();
        }
        if (random.nextBoolean()) {
          disk = disk.crashed(random);
        }
        Recovered found = Manifest.recover(disk, DIRECTORY);
        assertThat(CatalogText.of(withNumbers(found.catalog())))
            .describedAs("seed %d", seed)
            .isIn(CatalogText.of(withNumbers(before)), CatalogText.of(withNumbers(after)));
        if (life > 1) {
          Optional<Manifest> same = Manifest.resume(disk, DIRECTORY, found);
          resumed += same.isPresent() ? 1 : 0;
          number++;
          manifest =
              same.isPresent()
                  ? same.get()
                  : Manifest.startNew(disk, DIRECTORY, number, found.catalog());
        }
      }
    }
    assertThat(resumed).isGreaterThan(200);
  }

  /** Manifests count their own numbers as used. */
  private static Catalog withNumbers(Catalog catalog) {
    return catalog.apply(new ForestEdit.NumbersReserved(1_000_000_000));
  }
}
