package io.sifr.internal.manifest;

import static io.sifr.internal.manifest.MemoryDisk.DIRECTORY;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sifr.error.StoreFailedException;
import io.sifr.error.StoreFullException;
import io.sifr.error.StoreIoException;
import io.sifr.internal.forest.Catalog;
import io.sifr.internal.forest.CatalogEdits;
import io.sifr.internal.forest.ForestEdit;
import io.sifr.testing.CatalogText;
import io.sifr.testing.RandomEdits;
import io.sifr.testing.TestManifests;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.function.IntConsumer;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * Every changing call on the disk fails once, before it does anything, half done and done, with and
 * without a power loss after it. What is there afterwards is the catalog after the last group that
 * was acknowledged, or the one after the group that was not; the former, if that was refused for
 * lack of space and the manifest goes on.
 */
@Tag("crash")
class ManifestFaultTest {
  private static final int CRASHES = 12;

  /** A store's life, as far as its manifest is concerned, with one failure in it. */
  private static final class Life {
    private final MemoryDisk disk;
    private final RandomEdits edits = new RandomEdits(new Random(11));
    private long number = 1_000_000;
    private Catalog acknowledged = Catalog.EMPTY;
    private Catalog attempted = Catalog.EMPTY;
    private boolean poisoned;

    /** Whether a group that is refused for lack of space is tried again, or the last one. */
    private final boolean triesAgain;

    /** Whether a group was refused without effect, and was the last one. */
    private boolean isOver;

    Life(MemoryDisk disk, boolean triesAgain) {
      this.disk = disk;
      this.triesAgain = triesAgain;
    }

    void run() {
      List<ForestEdit> initial = edits.next();
      attempted = edits.catalog();
      try {
        Manifest manifest = TestManifests.create(disk, DIRECTORY, number, initial);
        acknowledged = attempted;
        append(manifest);
        append(manifest);
        manifest = rewritten(manifest);
        append(manifest);
        append(manifest);
        if (!poisoned && !isOver) {
          manifest.close();
          Catalog recovered = Manifest.recover(disk, DIRECTORY).catalog();
          manifest = Manifest.startNew(disk, DIRECTORY, ++number, recovered);
          append(manifest);
        }
        manifest.close();
      } catch (StoreIoException e) {
        // Creating or reopening failed, so that there is nothing to append to.
        assertThat(poisoned).isFalse();
      }
    }

    private void append(Manifest to) {
      if (isOver) {
        return;
      }
      List<ForestEdit> group = edits.next();
      if (poisoned) {
        assertRefused(to, group);
        return;
      }
      attempted = edits.catalog();
      try {
        to.append(group);
        acknowledged = attempted;
      } catch (StoreFullException e) {
        if (to.hasFailed()) {
          poisoned = true;
          assertRefused(to, group);
        } else if (triesAgain) {
          to.append(group);
          acknowledged = attempted;
        } else {
          attempted = acknowledged; // nothing has changed
          isOver = true;
        }
      } catch (StoreIoException e) {
        poisoned = true;
        assertRefused(to, group);
      }
    }

    private void assertRefused(Manifest to, List<ForestEdit> group) {
      int changes = disk.changes();
      assertThatThrownBy(() -> to.append(group)).isInstanceOf(StoreFailedException.class);
      assertThat(disk.changes()).isEqualTo(changes);
    }

    /** The old one can still be appended to unless CURRENT may name the new one. */
    private Manifest rewritten(Manifest old) {
      if (poisoned || isOver) {
        return old;
      }
      int renames = disk.renames();
      try {
        return old.rewrite(++number, acknowledged);
      } catch (StoreFullException e) {
        poisoned = old.hasFailed();
        return old;
      } catch (StoreIoException e) {
        poisoned = disk.renames() > renames;
        return old;
      }
    }
  }

  @ParameterizedTest
  @EnumSource
  void leavesTheOldCatalogOrTheNewOne(MemoryDisk.Failure how) {
    forEachChange(
        at -> {
          Life life = new Life(new MemoryDisk(), true);
          life.disk.failAt(at, how);
          check(life, how + " change " + at);
        });
  }

  /** As a file system that copies on write does, whatever is written. */
  @ParameterizedTest
  @EnumSource
  void isLeftAsItWasWithoutSpace(MemoryDisk.Failure how) {
    forEachChange(
        at -> {
          for (boolean triesAgain : new boolean[] {false, true}) {
            Life life = new Life(new MemoryDisk(), triesAgain);
            life.disk.failAtForLackOfSpace(at, how);
            check(life, "no space: " + how + " change " + at + ", tried again: " + triesAgain);
          }
        });
  }

  private static void forEachChange(IntConsumer check) {
    Life whole = new Life(new MemoryDisk(), true);
    whole.run();
    int changes = whole.disk.changes();
    assertThat(changes).isGreaterThan(50);
    for (int at = 0; at < changes; at++) {
      check.accept(at);
    }
  }

  private static void check(Life life, String what) {
    life.run();
    assertThat(life.disk.openFiles()).describedAs(what).isZero();
    for (int seed = 0; seed < CRASHES; seed++) {
      MemoryDisk left = life.disk.crashed(new Random(seed));
      check(life, left, what + " crash " + seed);
    }
    check(life, life.disk, what);
  }

  private static void check(Life life, MemoryDisk disk, String what) {
    boolean exists = Manifest.exists(disk, DIRECTORY);
    List<String> allowed = new ArrayList<>();
    if (life.acknowledged == Catalog.EMPTY) {
      // Nothing was acknowledged: there may be no store, and then it can be created.
      if (!exists) {
        TestManifests.create(disk, DIRECTORY, life.number, CatalogEdits.of(life.attempted)).close();
      }
    } else {
      assertThat(exists).describedAs(what).isTrue();
      allowed.add(text(life.acknowledged));
    }
    allowed.add(text(life.attempted));
    Recovered recovered = Manifest.recover(disk, DIRECTORY);
    assertThat(text(recovered.catalog())).describedAs(what).isIn(allowed);

    // And it can be opened for writing, any number of times.
    long number = Math.max(life.number, recovered.catalog().nextNumber()) + 1;
    try (Manifest next = Manifest.startNew(disk, DIRECTORY, number, recovered.catalog())) {
      next.append(List.of(new ForestEdit.LogStart(1_000_000)));
    }
    Catalog reopened = Manifest.recover(disk, DIRECTORY).catalog();
    assertThat(reopened.firstSegment()).describedAs(what).isEqualTo(1_000_000);
    assertThat(disk.list(DIRECTORY)).describedAs(what).hasSize(2);
  }

  /** The manifests' own numbers, which the edits know nothing of, are left out. */
  private static String text(Catalog catalog) {
    return CatalogText.of(catalog).replaceFirst("number \\d+", "");
  }
}
