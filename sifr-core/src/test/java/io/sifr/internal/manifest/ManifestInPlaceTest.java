package io.sifr.internal.manifest;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sifr.error.StoreIoException;
import io.sifr.internal.forest.Catalog;
import io.sifr.internal.forest.ForestEdit;
import io.sifr.internal.format.FileKind;
import io.sifr.internal.io.RandomReadFile;
import io.sifr.internal.io.RandomWriteFile;
import io.sifr.internal.io.StoreFileSystem;
import io.sifr.testing.CatalogText;
import io.sifr.testing.CrashDisk;
import io.sifr.testing.CrashDisk.Moment;
import io.sifr.testing.FaultyFileSystem;
import io.sifr.testing.FaultyFileSystem.Fault;
import io.sifr.testing.FaultyFileSystem.Operation;
import io.sifr.testing.FrozenDisk;
import io.sifr.testing.LeakCountingFileSystem;
import io.sifr.testing.RewrittenRanges;
import io.sifr.testing.TestManifests;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** A manifest whose end is not certain is continued in its own file where there is no space. */
class ManifestInPlaceTest {
  private static final Path DIRECTORY = Path.of("/store");
  private static final Path FILE = FileKind.MANIFEST.path(DIRECTORY, 1);
  private static final int CRASHES = 20;

  /** A disk without space, with what a process leaves that is killed while it appends. */
  private CrashDisk full = new CrashDisk();

  /** The group it was appending is whole, but not synced. */
  @BeforeEach
  void killInAppend() {
    CrashDisk disk = CrashDisk.with(DIRECTORY);
    List<FrozenDisk> left = new ArrayList<>();
    List<ForestEdit> initial = List.of(new ForestEdit.DatabaseCreated(1, "default"));
    try (Manifest manifest = TestManifests.create(disk.fileSystem(), DIRECTORY, 1, initial)) {
      manifest.append(List.of(new ForestEdit.LogStart(8)));
      disk.watch(
          (call, moment) -> {
            if (moment == Moment.BEFORE && call.operation().equals("sync")) {
              left.add(disk.freeze());
            }
          });
      manifest.append(List.of(new ForestEdit.LogStart(9)));
    }
    full = left.get(0).kill();
    full.setCapacity(full.usedBytes());
  }

  private static Manifest resume(StoreFileSystem files) {
    return Manifest.resumeInPlace(files, DIRECTORY, Manifest.recover(files, DIRECTORY));
  }

  private static Catalog catalog(CrashDisk disk) {
    return Manifest.recover(disk.fileSystem(), DIRECTORY).catalog();
  }

  private static byte[] read(StoreFileSystem files) {
    byte[] bytes = new byte[(int) files.size(FILE)];
    try (RandomReadFile file = files.openForRead(FILE)) {
      file.readFully(ByteBuffer.wrap(bytes), 0);
    }
    return bytes;
  }

  private static void write(StoreFileSystem files, byte[] bytes, int from) {
    try (RandomWriteFile file = files.openForWrite(FILE, files.size(FILE))) {
      file.write(bytes, 0, bytes.length, from);
    }
  }

  @Test
  void itTakesEditsWithoutSpace() {
    StoreFileSystem files = full.fileSystem();
    try (Manifest manifest = resume(files)) {
      assertThat(manifest.bytes() + manifest.room()).isEqualTo(files.size(FILE));
      manifest.append(List.of(new ForestEdit.LogStart(10)));
    }
    assertThat(catalog(full).firstSegment()).isEqualTo(10);
    assertThat(files.list(DIRECTORY)).containsExactlyInAnyOrder("000000000001.manifest", "CURRENT");
  }

  @Test
  void whatWasReadSurvivesAPowerLoss() {
    int lost = 0;
    for (int seed = 0; seed < CRASHES; seed++) {
      lost += catalog(full.crash(new Random(seed))).firstSegment() == 9 ? 0 : 1;
    }
    assertThat(lost).as("power losses that undo the group before").isPositive();
    resume(full.fileSystem()).close();
    for (int seed = 0; seed < CRASHES; seed++) {
      assertThat(catalog(full.crash(new Random(seed))).firstSegment()).isEqualTo(9);
    }
  }

  /**
   * After a sync that has failed the kernel may have dropped pages without telling the next one.
   */
  @Test
  void everythingAfterTheSnapshotIsWrittenAgain() {
    RewrittenRanges files = new RewrittenRanges(full.fileSystem());
    int snapshot = (int) Manifest.recover(files, DIRECTORY).current().snapshotBytes();
    byte[] before = read(files);
    resume(files).close();
    assertThat(files.holds(FILE, snapshot, before.length)).isTrue();
    assertThat(catalog(full).firstSegment()).isEqualTo(9);
  }

  /** Else they might be read after the next record. */
  @Test
  void zerosFollowItsEnd() {
    StoreFileSystem files = full.fileSystem();
    byte[] torn = new byte[100];
    new Random(1).nextBytes(torn);
    write(files, torn, (int) Manifest.recover(files, DIRECTORY).end());
    write(files, torn, (int) files.size(FILE) - torn.length);
    assertThat(Manifest.recover(files, DIRECTORY).isTorn()).isTrue();
    resume(files).close();
    Recovered again = Manifest.recover(files, DIRECTORY);
    assertThat(again.isTorn()).isFalse();
    assertThat(again.isLastSynced()).isTrue();
    assertThat(again.catalog().firstSegment()).isEqualTo(9);
  }

  @Test
  void aCrashMeanwhileLosesNothingThatWasDurable() {
    List<FrozenDisk> images = new ArrayList<>();
    full.watch((call, moment) -> images.add(full.freeze()));
    resume(full.fileSystem()).close();
    full.watch((call, moment) -> {});
    String whole = CatalogText.of(catalog(full));
    Random random = new Random(2);
    for (FrozenDisk image : images) {
      assertThat(CatalogText.of(catalog(image.kill()))).isEqualTo(whole);
      for (int i = 0; i < CRASHES; i++) {
        assertThat(catalog(image.crash(random)).firstSegment()).isIn(8L, 9L);
      }
    }
    assertThat(images).hasSizeGreaterThan(5);
  }

  @Test
  void aFailureLeavesItAsItWas() {
    for (Operation operation :
        List.of(Operation.READ, Operation.WRITE, Operation.SYNC, Operation.SYNC_DIRECTORY)) {
      FaultyFileSystem faulty = new FaultyFileSystem(full.fileSystem());
      LeakCountingFileSystem files = new LeakCountingFileSystem(faulty);
      Recovered found = Manifest.recover(files, DIRECTORY);
      faulty.failOnce(operation, FaultyFileSystem.ANY_PATH, 1, Fault.EIO);
      assertThatThrownBy(() -> Manifest.resumeInPlace(files, DIRECTORY, found))
          .as("%s", operation)
          .isInstanceOf(StoreIoException.class);
      files.assertNothingOpen();
      assertThat(catalog(full).firstSegment()).isEqualTo(9);
    }
  }
}
