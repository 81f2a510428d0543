package io.sifr.behaviour;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.sifr.Cursor;
import io.sifr.Store;
import io.sifr.TestStores;
import io.sifr.config.Durability;
import io.sifr.config.StoreOptions;
import io.sifr.event.ForestShape;
import io.sifr.event.StoreListener;
import io.sifr.inspect.CheckProgress;
import io.sifr.inspect.check.StoreCheck;
import io.sifr.internal.compaction.pick.CompactionPicker;
import io.sifr.internal.compaction.pick.Policies;
import io.sifr.internal.entry.EntryKinds;
import io.sifr.internal.forest.Compaction;
import io.sifr.internal.forest.ForestEdit;
import io.sifr.internal.forest.KeySpan;
import io.sifr.internal.io.DiskFileSystem;
import io.sifr.internal.io.StoreFileSystem;
import io.sifr.internal.manifest.Manifest;
import io.sifr.internal.sst.format.BlockCodecs;
import io.sifr.internal.state.Extensions;
import io.sifr.internal.state.Extensions.Tuning;
import io.sifr.testing.LeveledPolicy;
import io.sifr.testing.NoSyncFileSystem;
import io.sifr.testing.PolicyRules;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What a policy can say beyond the split forest, from end to end. */
class PolicyMergesSpansTest {
  private static final CompactionPicker LEVELED = PolicyRules.of(new LeveledPolicy(2, 64 << 10));
  private static final StoreOptions OPTIONS =
      StoreOptions.builder()
          .durability(Durability.NONE)
          .writeBufferBytes(64 << 10)
          .splitUnitBytes(16 << 10)
          .compactionThreads(2)
          .build();

  @TempDir Path directory;
  private final StoreFileSystem files = new NoSyncFileSystem(new DiskFileSystem());
  private final Map<String, String> expected = new TreeMap<>();
  private final Random random = new Random(5);

  private Store open(CompactionPicker policy) {
    return TestStores.open(
        directory,
        OPTIONS,
        files,
        StoreListener.NONE,
        new Extensions(EntryKinds.STANDARD, BlockCodecs.STANDARD, policy)
            .with(Tuning.DEFAULT.withCleaningThresholdBytes(4096)));
  }

  private void put(Store store, int number) {
    String key = String.format("key%06d", number);
    byte[] value = new byte[200];
    random.nextBytes(value);
    store.database().put(key.getBytes(UTF_8), value);
    expected.put(key, new String(value, UTF_8));
  }

  private void check(Store store) {
    List<String> found = new ArrayList<>();
    try (Cursor cursor = store.database().cursor()) {
      while (cursor.next()) {
        String key = new String(cursor.key(), UTF_8);
        found.add(key);
        assertThat(new String(cursor.value(), UTF_8)).as(key).isEqualTo(expected.get(key));
      }
    }
    assertThat(found).isEqualTo(List.copyOf(expected.keySet()));
  }

  /** All edits that the manifest has had since it was started last. */
  private List<ForestEdit> edits() {
    List<ForestEdit> edits = new ArrayList<>();
    long number = Manifest.recover(files, directory).current().number();
    var unused =
        Manifest.forEachRecord(
            files, directory, number, (offset, bytes, group, offsets) -> edits.addAll(group));
    return edits;
  }

  private List<Compaction> begun() {
    return edits().stream()
        .filter(ForestEdit.CompactionBegun.class::isInstance)
        .map(edit -> ((ForestEdit.CompactionBegun) edit).compaction())
        .toList();
  }

  @Test
  void spansAreMergedIntoTheTreesOfTheStagesBelow() {
    try (Store store = open(LEVELED)) {
      for (int i = 0; i < 6000; i++) {
        put(store, random.nextInt(8000));
      }
      store.flush();
      store.awaitIdle();
      check(store);
      List<ForestShape.Stage> stages = store.database().forest().stages();
      assertThat(stages).hasSizeGreaterThanOrEqualTo(3);
      for (ForestShape.Stage stage : stages.subList(1, stages.size())) {
        assertThat(stage.trees()).as("stage %d", stage.number()).hasSizeLessThanOrEqualTo(1);
      }
    }
    List<Compaction> begun = begun();
    assertThat(begun)
        .anyMatch(one -> one.outputTreeId() != one.number() && one.remaining().size() == 1)
        .anyMatch(one -> one.remaining().stream().noneMatch(PolicyMergesSpansTest::hasNoEnd));
    assertThat(edits())
        .filteredOn(ForestEdit.CompactionEnded.class::isInstance)
        .hasSameSizeAs(begun);
    assertThat(StoreCheck.run(directory, CheckProgress.NONE).findings()).isEmpty();
  }

  private static boolean hasNoEnd(KeySpan span) {
    return span.last() == null;
  }

  /** Tombstones that nothing lies below are moved as they are, and then dropped unread. */
  @Test
  void whatHoldsNothingIsDropped() {
    try (Store store = open(LEVELED)) {
      for (int flush = 0; flush < 2; flush++) {
        for (int i = 0; i < 1500; i++) {
          store.database().delete(String.format("gone%d-%06d", flush, i).getBytes(UTF_8));
          put(store, 2000 * flush + i);
        }
        store.flush();
        store.awaitIdle();
      }
      check(store);
    }
    try (Store store = open(LEVELED)) {
      store.awaitIdle();
      check(store);
    }
    assertThat(StoreCheck.run(directory, CheckProgress.NONE).findings()).isEmpty();
  }

  /** A forest that another policy has left is brought into form. */
  @Test
  void policiesTakeOverFromEachOther() {
    for (int life = 0; life < 6; life++) {
      CompactionPicker policy =
          life % 2 == 0 ? PolicyRules.withReads(Policies.of(OPTIONS)) : LEVELED;
      try (Store store = open(policy)) {
        for (int i = 0; i < 2500; i++) {
          put(store, random.nextInt(6000));
        }
        store.flush();
        store.awaitIdle();
        check(store);
        if (life == 3) {
          store.database().compact();
          assertThat(
                  store.database().forest().stages().stream()
                      .flatMap(stage -> stage.trees().stream()))
              .hasSize(1);
        }
      }
      try (Store store = open(policy)) {
        check(store);
      }
    }
    assertThat(StoreCheck.run(directory, CheckProgress.NONE).findings()).isEmpty();
  }
}
