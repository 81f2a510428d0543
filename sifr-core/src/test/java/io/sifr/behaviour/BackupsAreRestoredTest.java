package io.sifr.behaviour;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sifr.Backups;
import io.sifr.Store;
import io.sifr.TestBackups;
import io.sifr.TestStores;
import io.sifr.config.WriteOptions;
import io.sifr.error.CorruptionException;
import io.sifr.error.StoreFullException;
import io.sifr.inspect.CheckProgress;
import io.sifr.inspect.check.StoreCheck;
import io.sifr.internal.io.DiskFileSystem;
import io.sifr.testing.FaultyFileSystem;
import io.sifr.testing.FaultyFileSystem.Fault;
import io.sifr.testing.FaultyFileSystem.Operation;
import io.sifr.testing.NoSyncFileSystem;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Each point of a backup can be restored, whatever happened to the others; damage is noticed. */
class BackupsAreRestoredTest {
  @TempDir Path directory;

  private Path source() {
    return directory.resolve("store");
  }

  private Path place() {
    return directory.resolve("backups");
  }

  private Backups backups() {
    return TestBackups.in(place(), new NoSyncFileSystem(new DiskFileSystem()));
  }

  private Map<String, String> restored(long number) {
    Path target = directory.resolve("restored-" + number + "-" + System.nanoTime());
    backups().restore(number, target);
    assertThat(StoreCheck.run(target, CheckProgress.NONE).findings()).isEmpty();
    try (Store store = SmallStores.open(target)) {
      return SmallStores.content(store.database());
    }
  }

  /** All files below a directory. */
  private static List<Path> files(Path below) throws IOException {
    try (Stream<Path> files = Files.walk(below)) {
      return files
          .filter(Files::isRegularFile)
          .filter(file -> !file.endsWith("LOCK"))
          .sorted()
          .toList();
    }
  }

  @Test
  void eachPointIsWhatTheStoreHeld() throws IOException {
    try (Store store = SmallStores.open(source())) {
      store.openOrCreateDatabase("other").put(SmallStores.key(1), SmallStores.value(1, 1));
      SmallStores.fill(store.database(), 0, 2000, 1);
      store.awaitIdle();
      assertThat(backups().create(store).number()).isEqualTo(1);
      SmallStores.fill(store.database(), 1900, 2100, 2);
      store.database().put(SmallStores.key(0), SmallStores.value(0, 2), WriteOptions.UNLOGGED);
      Backups.Point second = backups().create(store);
      assertThat(second.number()).isEqualTo(2);
      assertThat(second.databases()).containsExactly("default", "other");
      SmallStores.fill(store.database(), 0, 100, 3);
      assertThat(backups().create(store).number()).isEqualTo(3);
      assertThat(backups().list()).extracting(Backups.Point::number).containsExactly(1L, 2L, 3L);
      assertThat(backups().point(2)).isEqualTo(second);
    }
    var expected = SmallStores.filled(0, 2000, 1);
    assertThat(restored(1)).isEqualTo(expected);
    expected.putAll(SmallStores.filled(1900, 2100, 2));
    expected.putAll(SmallStores.filled(0, 1, 2));
    assertThat(restored(2)).isEqualTo(expected);
    for (long number = 1; number <= 3; number++) {
      backups().verify(number, Backups.Progress.NONE);
    }
    backups().delete(2);
    backups().delete(1);
    expected.putAll(SmallStores.filled(0, 100, 3));
    assertThat(restored(3)).isEqualTo(expected);
    backups().delete(3);
    assertThat(backups().numbers()).isEmpty();
    assertThat(files(place())).containsExactly(place().resolve("BACKUP"));
  }

  @Test
  void noNumberIsGivenTwice() {
    try (Store store = SmallStores.open(source())) {
      SmallStores.fill(store.database(), 0, 10, 1);
      for (long number = 1; number <= 3; number++) {
        assertThat(backups().create(store).number()).isEqualTo(number);
        backups().delete(number);
        assertThat(backups().numbers()).isEmpty();
      }
      backups().create(store);
      backups().create(store);
      backups().delete(5);
      backups().delete(4);
      assertThat(backups().create(store).number()).isEqualTo(6);
      assertThat(place().resolve("points")).isDirectoryContaining("glob:**6");
    }
    assertThat(restored(6)).isEqualTo(SmallStores.filled(0, 10, 1));
  }

  @Test
  void whatAnotherPointHoldsIsNotCopied() throws IOException {
    try (Store store = SmallStores.open(source())) {
      SmallStores.fill(store.database(), 0, 3000, 1);
      store.flush();
      store.awaitIdle();
      Backups.Point first = backups().create(store);
      assertThat(first.copiedBytes()).isEqualTo(first.bytes());
      List<Path> before = files(place().resolve("ssts"));
      Backups.Point second = backups().create(store);
      assertThat(second.ssts()).isEqualTo(first.ssts()).isGreaterThan(5);
      assertThat(second.copiedBytes()).isLessThan(first.bytes() / 4);
      assertThat(files(place().resolve("ssts"))).isEqualTo(before);
    }
  }

  @Test
  void severalStoresMayHaveOne() {
    Path other = directory.resolve("other");
    try (Store store = SmallStores.open(source());
        Store second = SmallStores.open(other)) {
      SmallStores.fill(store.database(), 0, 1000, 1);
      SmallStores.fill(second.database(), 500, 1500, 2);
      backups().create(store);
      backups().create(second);
    }
    assertThat(restored(1)).isEqualTo(SmallStores.filled(0, 1000, 1));
    assertThat(restored(2)).isEqualTo(SmallStores.filled(500, 1500, 2));
  }

  @Test
  void theStoreIsWrittenToMeanwhile() throws InterruptedException {
    var stopped = new AtomicBoolean();
    List<Integer> least = new ArrayList<>();
    try (Store store = SmallStores.open(source())) {
      int[] written = {0};
      Thread writer =
          new Thread(
              () -> {
                for (int i = 0; !stopped.get(); i++) {
                  SmallStores.fill(store.database(), i, i + 1, 1);
                  synchronized (written) {
                    written[0] = i + 1;
                  }
                }
              });
      writer.start();
      for (int i = 0; i < 4; i++) {
        synchronized (written) {
          least.add(written[0]);
        }
        backups().create(store);
      }
      stopped.set(true);
      writer.join();
    }
    for (int i = 0; i < least.size(); i++) {
      Map<String, String> content = restored(i + 1);
      assertThat(content).isEqualTo(SmallStores.filled(0, content.size(), 1));
      assertThat(content.size()).isGreaterThanOrEqualTo(least.get(i));
    }
  }

  /** One flipped bit in any file is named, and nothing is restored from it. */
  @Test
  void damageOfAnyFileIsNamed() throws IOException {
    long seed = System.nanoTime();
    System.out.println("seed " + seed);
    Random random = new Random(seed);
    try (Store store = SmallStores.open(source())) {
      SmallStores.fill(store.database(), 0, 1000, 1);
      backups().create(store);
    }
    Path target = directory.resolve("target");
    for (Path file : files(place())) {
      byte[] content = Files.readAllBytes(file);
      if (file.endsWith("BACKUP")) {
        continue; // only its name counts
      }
      byte[] damaged = content.clone();
      damaged[random.nextInt(damaged.length)] ^= (byte) (1 << random.nextInt(8));
      for (byte[] wrong : List.of(damaged, new byte[0])) {
        Files.write(file, wrong);
        assertDamaged(file, target);
      }
      Files.delete(file);
      if (file.endsWith("POINT")) {
        assertThat(backups().numbers()).isEmpty();
      } else {
        assertDamaged(file, target);
      }
      Files.write(file, content);
    }
    assertThat(restored(1)).isEqualTo(SmallStores.filled(0, 1000, 1));
  }

  private void assertDamaged(Path file, Path target) {
    assertThatThrownBy(() -> backups().verify(1, Backups.Progress.NONE))
        .isInstanceOf(CorruptionException.class)
        .hasMessageContaining(String.valueOf(file.getFileName()));
    assertThatThrownBy(() -> backups().restore(1, target))
        .isInstanceOf(CorruptionException.class)
        .hasMessageContaining(String.valueOf(file.getFileName()));
    assertThat(target).doesNotExist();
  }

  /** What a damaged list may name stays; the point can be deleted all the same. */
  @Test
  void aDamagedPointHarmsNoOther() throws IOException {
    try (Store store = SmallStores.open(source())) {
      SmallStores.fill(store.database(), 0, 1000, 1);
      store.flush();
      backups().create(store);
      Path list = place().resolve("points/000000000001/POINT");
      byte[] content = Files.readAllBytes(list);
      Files.write(list, new byte[10]);
      store.database().compact();
      backups().create(store);
      assertThat(restored(2)).isEqualTo(SmallStores.filled(0, 1000, 1));
      Files.write(list, content);
      assertThat(restored(1)).isEqualTo(SmallStores.filled(0, 1000, 1));
      Files.write(list, new byte[10]);
      backups().delete(1);
      assertThat(backups().numbers()).containsExactly(2L);
    }
    assertThat(restored(2)).isEqualTo(SmallStores.filled(0, 1000, 1));
  }

  /** Nobody gives up a point of a directory late, so it is no attempt but damaged. */
  @Test
  void ofAPointWithoutCurrentNothingIsDeleted() throws IOException {
    try (Store store = SmallStores.open(source())) {
      SmallStores.fill(store.database(), 0, 1000, 1);
      store.flush();
      backups().create(store);
      Path folder = place().resolve("points/000000000001");
      Path current = folder.resolve("CURRENT");
      byte[] content = Files.readAllBytes(current);
      Files.delete(current);
      List<Path> left = files(place());
      assertThat(backups().numbers()).containsExactly(1L);
      assertDamaged(current, directory.resolve("target"));
      SmallStores.fill(store.database(), 0, 1000, 2);
      store.database().compact();
      backups().create(store);
      backups().deleteUnfinished();
      assertThat(backups().numbers()).containsExactly(1L, 2L);
      assertThat(files(place())).containsAll(left);
      Files.write(current, content);
      assertThat(restored(1)).isEqualTo(SmallStores.filled(0, 1000, 1));
      Files.delete(current);
      backups().delete(1);
      assertThat(backups().numbers()).containsExactly(2L);
      assertThat(folder).doesNotExist();
    }
    assertThat(restored(2)).isEqualTo(SmallStores.filled(0, 1000, 2));
  }

  /** What is large may lie on another disk. */
  @Test
  void theFolderOfSstsMayBeALink() throws IOException {
    Path folder = place().resolve("ssts");
    Path disk = directory.resolve("disk");
    try (Store store = SmallStores.open(source())) {
      SmallStores.fill(store.database(), 0, 3000, 1);
      store.flush();
      store.awaitIdle();
      Backups.Point first = backups().create(store);
      Files.move(folder, disk);
      Files.createSymbolicLink(folder, disk);
      List<Path> before = files(disk);
      assertThat(backups().create(store).copiedBytes()).isLessThan(first.bytes() / 4);
      assertThat(files(disk)).isEqualTo(before).hasSizeGreaterThan(5);
      SmallStores.fill(store.database(), 0, 3000, 2);
      store.database().compact();
      backups().create(store);
      assertThat(files(disk)).containsAll(before).hasSizeGreaterThan(before.size());
    }
    backups().verify(3, Backups.Progress.NONE);
    backups().delete(1);
    assertThat(restored(2)).isEqualTo(SmallStores.filled(0, 3000, 1));
    assertThat(restored(3)).isEqualTo(SmallStores.filled(0, 3000, 2));
    backups().delete(2);
    backups().delete(3);
    assertThat(files(disk)).isEmpty();
    assertThat(folder).isSymbolicLink();
  }

  @Test
  void aFolderOfSomebodyElseIsNotInTheWay() throws IOException {
    try (Store store = SmallStores.open(source())) {
      SmallStores.fill(store.database(), 0, 100, 1);
      backups().create(store);
      Path notes = Files.createDirectory(place().resolve("points/my notes"));
      backups().create(store);
      assertThat(backups().list()).extracting(Backups.Point::number).containsExactly(1L, 2L);
      backups().delete(1);
      backups().deleteUnfinished();
      assertThat(backups().numbers()).containsExactly(2L);
      assertThat(notes).isEmptyDirectory();
    }
    assertThat(restored(2)).isEqualTo(SmallStores.filled(0, 100, 1));
  }

  @Test
  void anSstThatIsMissingIsCopiedAgain() throws IOException {
    try (Store store = SmallStores.open(source())) {
      SmallStores.fill(store.database(), 0, 1000, 1);
      store.flush();
      store.awaitIdle();
      backups().create(store);
      Files.delete(files(place().resolve("ssts")).get(0));
      backups().create(store);
    }
    assertThat(restored(1)).isEqualTo(SmallStores.filled(0, 1000, 1));
  }

  /** As a disk may have left it that lost its power. */
  @ParameterizedTest
  @ValueSource(ints = {-1, -4096, 1})
  void anSstOfAnotherSizeIsCopiedAgain(int more) throws IOException {
    try (Store store = SmallStores.open(source())) {
      SmallStores.fill(store.database(), 0, 1000, 1);
      store.flush();
      store.awaitIdle();
      backups().create(store);
      Path sst = files(place().resolve("ssts")).get(0);
      byte[] content = Files.readAllBytes(sst);
      Files.write(sst, Arrays.copyOf(content, content.length + more));
      Backups.Point second = backups().create(store);
      assertThat(second.copiedBytes()).isGreaterThanOrEqualTo(content.length);
      assertThat(sst).hasBinaryContent(content);
    }
    backups().verify(2, Backups.Progress.NONE);
    assertThat(restored(1)).isEqualTo(SmallStores.filled(0, 1000, 1));
  }

  @Test
  void aDamagedSstOfTheStoreIsNotBackedUp() throws IOException {
    try (Store store = SmallStores.open(source())) {
      SmallStores.fill(store.database(), 0, 1000, 1);
    }
    Path sst = SmallStores.files(source(), ".sst").get(0);
    byte[] content = Files.readAllBytes(sst);
    content[content.length / 3] ^= 1;
    Files.write(sst, content);
    try (Store store = SmallStores.open(source())) {
      assertThatThrownBy(() -> backups().create(store))
          .isInstanceOf(CorruptionException.class)
          .hasMessageContaining(String.valueOf(sst.getFileName()));
      assertThat(backups().numbers()).isEmpty();
      assertThat(files(place())).hasSize(1);
    }
  }

  @Test
  void onAFullDiskThePointsThereWereStay() throws IOException {
    var disk = new FaultyFileSystem(new NoSyncFileSystem(new DiskFileSystem()));
    Backups backups = TestBackups.in(place(), disk);
    try (Store store = TestStores.open(source(), SmallStores.options().build(), disk)) {
      SmallStores.fill(store.database(), 0, 1000, 1);
      backups.create(store);
      List<Path> before = files(place());
      SmallStores.fill(store.database(), 0, 1000, 2);
      store.flush();
      disk.failOnce(Operation.APPEND, path -> path.startsWith(place()), 3, Fault.ENOSPC);
      assertThatThrownBy(() -> backups.create(store)).isInstanceOf(StoreFullException.class);
      assertThat(files(place())).isEqualTo(before);
      assertThat(backups.create(store).number()).isEqualTo(3); // 2 was given to what failed
    }
    assertThat(restored(1)).isEqualTo(SmallStores.filled(0, 1000, 1));
    assertThat(restored(3)).isEqualTo(SmallStores.filled(0, 1000, 2));
  }

  /** The list cannot be made durable, and then only one of two files be deleted. */
  @Test
  void whatIsGivenUpByHalfIsNoDamagedPoint() {
    var disk = new FaultyFileSystem(new NoSyncFileSystem(new DiskFileSystem()));
    Backups backups = TestBackups.in(place(), disk);
    try (Store store = SmallStores.open(source())) {
      SmallStores.fill(store.database(), 0, 100, 1);
      backups.create(store);
      Path folder = place().resolve("points/000000000002");
      Path list = folder.resolve("POINT");
      disk.failOnce(
          Operation.SYNC_DIRECTORY,
          path -> path.equals(folder) && Files.exists(list),
          1,
          Fault.EIO);
      disk.failOnce(
          Operation.DELETE,
          path -> path.equals(list) || path.equals(folder.resolve("CURRENT")),
          2,
          Fault.EIO);
      assertThatThrownBy(() -> backups.create(store))
          .hasMessageContaining("not known whether there is point 2");
      assertThat(backups.numbers()).containsExactly(1L);
      assertThat(folder.resolve("CURRENT")).exists(); // the second one
      assertThat(backups.create(store).number()).isEqualTo(3);
      backups.deleteUnfinished();
      assertThat(backups.numbers()).containsExactly(1L, 3L);
      assertThat(folder).doesNotExist();
    }
    assertThat(restored(3)).isEqualTo(SmallStores.filled(0, 100, 1));
  }

  @Test
  void otherPlacesAreRefused() throws IOException {
    Path used = Files.createDirectory(directory.resolve("used"));
    Files.writeString(used.resolve("notes"), "mine");
    try (Store store = SmallStores.open(source())) {
      assertThatIllegalArgumentException()
          .isThrownBy(() -> Backups.in(used).create(store))
          .withMessageContaining("holds no backup");
      assertThatIllegalArgumentException()
          .isThrownBy(() -> Backups.in(source().resolve("backup")).create(store))
          .withMessageContaining("inside");
      assertThatIllegalArgumentException()
          .isThrownBy(() -> Backups.in(used).list())
          .withMessageContaining("holds no backup");
      assertThatIllegalArgumentException().isThrownBy(() -> backups().list());
      SmallStores.fill(store.database(), 0, 10, 1);
      backups().create(store);
    }
    assertThatIllegalArgumentException()
        .isThrownBy(() -> backups().restore(1, used))
        .withMessageContaining("not empty");
    assertThatIllegalArgumentException()
        .isThrownBy(() -> backups().restore(1, place().resolve("inside")))
        .withMessageContaining("inside");
    assertThatIllegalArgumentException()
        .isThrownBy(() -> backups().restore(2, directory.resolve("new")))
        .withMessageContaining("holds no point 2; it holds [1]");
    assertThatIllegalArgumentException().isThrownBy(() -> backups().delete(2));
    assertThat(used).isDirectoryContaining("glob:**notes");
    assertThat(directory.resolve("new")).doesNotExist();
  }
}
