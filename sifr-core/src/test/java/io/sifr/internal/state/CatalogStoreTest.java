package io.sifr.internal.state;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sifr.error.StoreFailedException;
import io.sifr.error.StoreFullException;
import io.sifr.error.StoreIoException;
import io.sifr.internal.entry.EntryKind;
import io.sifr.internal.entry.Trailer;
import io.sifr.internal.forest.Catalog;
import io.sifr.internal.forest.ForestEdit;
import io.sifr.internal.io.DiskFileSystem;
import io.sifr.internal.manifest.Manifest;
import io.sifr.internal.memtable.Memtable;
import io.sifr.internal.sst.read.Sst;
import io.sifr.internal.util.Failures.FirstFailure;
import io.sifr.testing.FaultyFileSystem;
import io.sifr.testing.FaultyFileSystem.Fault;
import io.sifr.testing.FaultyFileSystem.Operation;
import io.sifr.testing.NoSyncFileSystem;
import io.sifr.testing.WrittenSsts;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class CatalogStoreTest {
  private final FaultyFileSystem disk =
      new FaultyFileSystem(new NoSyncFileSystem(new DiskFileSystem()));
  @TempDir Path directory;

  private CatalogStore open() {
    FirstFailure failure = new FirstFailure(directory);
    return Manifest.exists(disk, directory)
        ? CatalogStore.resume(disk, directory, failure, Manifest.recover(disk, directory))
        : CatalogStore.startFrom(disk, directory, failure, Catalog.EMPTY);
  }

  /** A crash is a catalog that nobody closes. */
  @Test
  void noNumberIsGivenTwiceHoweverOftenTheProcessDies() {
    Set<Long> given = new HashSet<>();
    long largest = 0;
    for (int life = 0; life < 6; life++) {
      CatalogStore catalog = open();
      for (int i = 0; i < (life % 2 == 0 ? 3 : 2700); i++) {
        long number = catalog.nextNumber();
        assertThat(given.add(number)).describedAs("number %d", number).isTrue();
        assertThat(number).isGreaterThan(largest);
        largest = number;
      }
      for (String name : disk.list(directory)) {
        if (name.endsWith(".manifest")) {
          given.add(Long.parseLong(name.substring(0, 12)));
        }
      }
    }
  }

  @Test
  void aChangeIsShownOnlyWhenItIsDurable() {
    CatalogStore catalog = open();
    List<Catalog> published = new ArrayList<>();
    List<ForestEdit> edit = List.of(new ForestEdit.DatabaseCreated(1, "default"));
    catalog.commit(
        edit,
        changed -> {
          assertThat(Manifest.recover(disk, directory).catalog().forest(1)).isPresent();
          published.add(changed);
        });
    assertThat(published).containsExactly(catalog.catalog());

    assertThatThrownBy(() -> catalog.commit(edit, published::add))
        .isInstanceOf(IllegalArgumentException.class);
    catalog.commit(List.of(new ForestEdit.LogStart(1)), changed -> {});

    disk.failOnce(Operation.WRITE, FaultyFileSystem.ANY_PATH, 1, Fault.EIO);
    List<ForestEdit> second = List.of(new ForestEdit.DatabaseCreated(2, "second"));
    assertThatThrownBy(() -> catalog.commit(second, published::add))
        .isInstanceOf(StoreIoException.class);
    assertThat(catalog.catalog().forest(2)).isEmpty();
    assertThatThrownBy(() -> catalog.commit(second, published::add))
        .isInstanceOf(StoreFailedException.class);
    assertThat(published).hasSize(1);
    catalog.close();
    assertThat(Manifest.recover(disk, directory).catalog().forest(2)).isEmpty();
  }

  /** It came to no file, so it says nothing about the disk. */
  @Test
  void whatCannotBeEncodedIsNoFailureOfTheStore() {
    FirstFailure failure = new FirstFailure(directory);
    CatalogStore catalog = CatalogStore.startFrom(disk, directory, failure, Catalog.EMPTY);
    List<String> first = manifests();
    int committed = 0;
    // Until a new manifest is begun, whose snapshot cannot be encoded either.
    while (manifests().equals(first)) {
      List<ForestEdit> bad = List.of(new ForestEdit.DatabaseCreated(1000, "\ud800"));
      assertThatThrownBy(() -> catalog.commit(bad))
          .isInstanceOf(IllegalArgumentException.class)
          .hasMessageContaining("a name is not valid text");
      assertThat(failure.isNoted()).isFalse();
      catalog.commit(List.of(new ForestEdit.LogStart(++committed)));
      assertThat(committed).isLessThan(100_000);
    }
    assertThat(manifests()).hasSize(1);
    catalog.close();
    assertThat(Manifest.recover(disk, directory).catalog().firstSegment()).isEqualTo(committed);
    assertThat(Manifest.recover(disk, directory).catalog().forests()).isEmpty();
  }

  /** A full disk keeps nobody from letting go of files: §3.2, number 11. */
  @Test
  void aFullDiskHasRoomForEditsForAWhileAndForMoreWhenThereIsSpace() {
    FirstFailure failure = new FirstFailure(directory);
    CatalogStore catalog = CatalogStore.startFrom(disk, directory, failure, Catalog.EMPTY);
    disk.failForGood(Operation.APPEND, FaultyFileSystem.ANY_PATH, 1, Fault.ENOSPC);
    int committed = 0;
    @Nullable StoreFullException full = null;
    while (full == null) {
      try {
        catalog.commit(List.of(new ForestEdit.LogStart(committed + 1)), changed -> {});
        committed++;
        assertThat(committed).isLessThan(100_000);
      } catch (StoreFullException e) {
        full = e;
      }
    }
    assertThat(committed).isGreaterThan(300);
    for (int i = 0; i < 1500; i++) {
      // However often it is tried, no numbers are used up by that.
      List<ForestEdit> edit = List.of(new ForestEdit.LogStart(committed + 1));
      assertThatThrownBy(() -> catalog.commit(edit, changed -> {}))
          .isInstanceOf(StoreFullException.class);
    }
    assertThat(failure.isNoted()).isFalse();
    assertThat(catalog.catalog().firstSegment()).isEqualTo(committed);
    assertThat(Manifest.recover(disk, directory).catalog().firstSegment()).isEqualTo(committed);

    disk.heal();
    catalog.commit(List.of(new ForestEdit.LogStart(committed + 1)), changed -> {});

    long number = catalog.nextNumber();
    catalog.close();
    Catalog recovered = Manifest.recover(disk, directory).catalog();
    assertThat(recovered.firstSegment()).isEqualTo(committed + 1);
    assertThat(recovered.nextNumber()).isGreaterThan(number);
  }

  @Test
  void aFlushAddsATreeUnlessAllWasShadowed() {
    CatalogStore catalog = open();
    Memtable memtable = new Memtable(4096);
    byte[] key = {1};
    memtable.add(Trailer.of(5, EntryKind.DELETE), key, 0, 1, key, 0, 0);
    assertThat(catalog.editsOfFlush(3, memtable, List.of()))
        .containsExactly(new ForestEdit.FlushedTo(3, 5));
    List<Sst> ssts = List.of(new WrittenSsts(directory).write("a5"));
    assertThat(catalog.editsOfFlush(3, memtable, ssts))
        .containsExactly(
            new ForestEdit.TreeAdded(3, 1, catalog.nextNumber() - 1, ssts),
            new ForestEdit.FlushedTo(3, 5));
    ssts.forEach(sst -> sst.markObsolete(() -> {}));
  }

  @Test
  void aGrownManifestIsWrittenAnewAndNothingIsLost() {
    CatalogStore catalog = open();
    catalog.commit(List.of(new ForestEdit.DatabaseCreated(1, "default")), changed -> {});
    List<String> first = manifests();
    for (int i = 2; manifests().equals(first); i++) {
      catalog.commit(
          List.of(
              new ForestEdit.DatabaseCreated(i, "n".repeat(200) + i),
              new ForestEdit.DatabaseDropped(i)),
          changed -> {});
      assertThat(i).isLessThan(100_000);
    }
    assertThat(manifests()).hasSize(1);
    Catalog recovered = Manifest.recover(disk, directory).catalog();
    assertThat(recovered.nextDatabaseId()).isEqualTo(catalog.catalog().nextDatabaseId());
    assertThat(recovered.forests()).hasSize(1);
    catalog.close();
    assertThatThrownBy(() -> catalog.commit(List.of(), changed -> {}))
        .isInstanceOf(IllegalStateException.class)
        .hasMessage("the store is closed");
  }

  private List<String> manifests() {
    return disk.list(directory).stream().filter(name -> name.endsWith(".manifest")).toList();
  }
}
