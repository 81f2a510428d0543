package io.sifr.inspect.salvage;

import static org.assertj.core.api.Assertions.assertThat;

import io.sifr.internal.forest.Catalog;
import io.sifr.internal.forest.Forest;
import io.sifr.internal.forest.ForestEdit;
import io.sifr.internal.forest.LogicalTree;
import io.sifr.internal.sst.read.SstSlice;
import io.sifr.internal.util.Key;
import io.sifr.testing.RandomEdits;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class ForestsLeftTest {
  private static final int SEEDS = 400;

  private static Map<Long, SourceSst> byNumber(StoreKnowledge knowledge) {
    Map<Long, SourceSst> byNumber = new TreeMap<>();
    knowledge.ssts().forEach(sst -> byNumber.put(sst.number(), sst));
    assertThat(byNumber).hasSameSizeAs(knowledge.ssts());
    return byNumber;
  }

  @Test
  void withAllRecordsTheForestsAreThoseOfTheCatalog() {
    for (long seed = 0; seed < SEEDS; seed++) {
      RandomEdits edits = new RandomEdits(new Random(seed));
      ForestsLeft left = new ForestsLeft();
      for (int i = 0; i < 40; i++) {
        left.record(edits.next());
      }
      Catalog catalog = edits.catalog();

      StoreKnowledge knowledge = left.knowledge();

      assertThat(knowledge.isWhole()).isTrue();
      assertThat(knowledge.log().firstSegment()).isEqualTo(catalog.firstSegment());
      Map<Long, SourceSst> found = byNumber(knowledge);
      int slices = 0;
      for (Forest forest : catalog.forests()) {
        int id = forest.databaseId();
        assertThat(knowledge.databases().names()).containsEntry(id, forest.name());
        assertThat(knowledge.databases().flushed()).containsEntry(id, forest.flushedSequence());
        for (LogicalTree tree : forest.byPriority()) {
          slices += tree.slices().size();
          for (SstSlice slice : tree.slices()) {
            SourceSst sst = found.get(slice.sst().number());
            assertThat(sst).describedAs("seed %d", seed).isNotNull();
            assertThat(sst.databaseId()).isEqualTo(id);
            assertThat(sst.meta()).isSameAs(slice.sst().meta());
            assertThat(sst.bounds().asRanges())
                .contains(Key.closed(slice.smallestKey(), slice.largestKey()));
          }
        }
      }
      assertThat(found.values().stream().mapToInt(sst -> sst.bounds().asRanges().size()).sum())
          .isEqualTo(slices);
      assertThat(knowledge.databases().names()).hasSameSizeAs(catalog.forests());
    }
  }

  /**
   * Whatever is lost: what is needed is either told by the records that are left, with all keys
   * that are needed, or named by none of them, and then taken because it is there.
   */
  @Test
  void withoutSomeRecordsNothingThatIsNeededIsTakenForObsolete() {
    for (long seed = 0; seed < SEEDS; seed++) {
      Random random = new Random(seed);
      RandomEdits edits = new RandomEdits(random);
      ForestsLeft left = new ForestsLeft();
      boolean lost = false;
      int from = random.nextInt(40);
      int to = from + 1 + random.nextInt(5);
      for (int i = 0; i < 60; i++) {
        List<ForestEdit> group = edits.next();
        if (i >= from && i < to) {
          left.gap();
          lost = true;
        } else {
          left.record(group);
        }
      }
      StoreKnowledge knowledge = left.knowledge();
      assertThat(knowledge.isWhole()).isEqualTo(!lost);
      Map<Long, SourceSst> found = byNumber(knowledge);
      for (Forest forest : edits.catalog().forests()) {
        assertThat(knowledge.databases().dropped()).doesNotContain(forest.databaseId());
        for (LogicalTree tree : forest.byPriority()) {
          for (SstSlice slice : tree.slices()) {
            requireTaken(seed, slice, found.get(slice.sst().number()), knowledge);
          }
        }
      }
    }
  }

  private static void requireTaken(
      long seed, SstSlice slice, @Nullable SourceSst sst, StoreKnowledge knowledge) {
    long number = slice.sst().number();
    if (sst == null) {
      assertThat(knowledge.namedSsts())
          .describedAs("seed %d, SST %d", seed, number)
          .doesNotContain(number);
      return;
    }
    // At both ends, and so in between: what is cut out of an SST lies in a span of its own.
    List<byte[]> ends = new ArrayList<>(List.of(slice.smallestKey(), slice.largestKey()));
    for (byte[] key : ends) {
      assertThat(sst.takes(key, 0, key.length))
          .describedAs("seed %d, SST %d", seed, number)
          .isTrue();
    }
  }

  /** A merge whose end is known took its inputs with it, also after a gap. */
  @Test
  void afterAGapInputsOfMergesAreKnownToBeObsolete() {
    int obsolete = 0;
    for (long seed = 0; seed < SEEDS; seed++) {
      RandomEdits edits = new RandomEdits(new Random(seed));
      ForestsLeft left = new ForestsLeft();
      left.gap();
      for (int i = 0; i < 60; i++) {
        left.record(edits.next());
      }
      StoreKnowledge knowledge = left.knowledge();
      // Nothing was lost, so nothing is left to be guessed.
      List<Long> needed = new ArrayList<>();
      edits.catalog().forests().forEach(f -> f.ssts().forEach(sst -> needed.add(sst.number())));
      assertThat(byNumber(knowledge).keySet())
          .describedAs("seed %d", seed)
          .containsExactlyInAnyOrderElementsOf(needed);
      obsolete += knowledge.namedSsts().size() - needed.size();
    }
    assertThat(obsolete).isGreaterThan(SEEDS);
  }
}
