package io.sifr.internal.forest;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sifr.internal.forest.Catalog.Totals;
import io.sifr.internal.forest.ForestEdit.DatabaseCreated;
import io.sifr.internal.forest.ForestEdit.DatabaseDropped;
import io.sifr.internal.forest.ForestEdit.DatabaseIdsUsed;
import io.sifr.internal.forest.ForestEdit.FlushedTo;
import io.sifr.internal.forest.ForestEdit.LogStart;
import io.sifr.internal.forest.ForestEdit.NumbersReserved;
import io.sifr.internal.forest.ForestEdit.SequencesReserved;
import io.sifr.internal.forest.ForestEdit.TotalsReached;
import io.sifr.internal.forest.ForestEdit.TreeAdded;
import io.sifr.internal.wal.WalEnd;
import io.sifr.testing.CatalogText;
import io.sifr.testing.ForestDrawing;
import io.sifr.testing.RandomEdits;
import java.util.List;
import java.util.Random;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class CatalogTest {
  private static final Catalog ONE = Catalog.EMPTY.apply(new DatabaseCreated(1, "default"));

  @ParameterizedTest
  @ValueSource(longs = {1, 2, 3, 4, 5})
  void isMadeAgainFromItsEdits(long seed) {
    RandomEdits edits = new RandomEdits(new Random(seed));
    for (int i = 0; i < 150; i++) {
      edits.next();
      Catalog catalog = edits.catalog();
      catalog.checkNothingIsUsedTwice();

      assertThat(catalog.bytes())
          .isEqualTo(catalog.forests().stream().mapToLong(Forest::bytes).sum());
      assertThat(CatalogText.of(Catalog.EMPTY.apply(CatalogEdits.of(catalog))))
          .describedAs("seed %d group %d", seed, i)
          .isEqualTo(CatalogText.of(catalog));
    }
  }

  @Test
  void neverGivesTheIdOfADroppedDatabaseAgain() {
    Catalog dropped = ONE.apply(new DatabaseDropped(1));

    assertThat(dropped.forests()).isEmpty();
    assertThat(Catalog.EMPTY.apply(CatalogEdits.of(dropped)).nextDatabaseId()).isEqualTo(2);
    assertRefused(dropped, new DatabaseCreated(1, "other"), "database id is 1");
    assertRefused(dropped, new DatabaseCreated(Integer.MAX_VALUE, "other"), "database id is");
  }

  @Test
  void countersNeverGoBack() {
    Catalog catalog =
        ONE.apply(
            List.of(
                new NumbersReserved(50),
                new NumbersReserved(40),
                new SequencesReserved(500),
                new SequencesReserved(400),
                new DatabaseIdsUsed(5),
                new DatabaseIdsUsed(4),
                new LogStart(9),
                new LogStart(8),
                new TotalsReached(new Totals(1, 2, 3, 4, 5, 6)),
                new TotalsReached(Totals.NONE)));

    assertThat(catalog.nextNumber()).isEqualTo(50);
    assertThat(catalog.nextSequence()).isEqualTo(500);
    assertThat(catalog.nextDatabaseId()).isEqualTo(5);
    assertThat(catalog.firstSegment()).isEqualTo(9);
    assertThat(catalog.totals()).isEqualTo(Totals.NONE);
  }

  @Test
  void theLogIsClosedUntilItIsStartedAgain() {
    WalEnd closed = new WalEnd(11, 4096);
    Catalog catalog = ONE.apply(List.of(new LogStart(9), new ForestEdit.LogClosed(closed)));

    assertThat(catalog.logClosed()).isEqualTo(closed);
    assertThat(catalog.apply(new FlushedTo(1, 7)).logClosed()).isEqualTo(closed);
    assertThat(Catalog.EMPTY.apply(CatalogEdits.of(catalog)).logClosed()).isEqualTo(closed);
    assertThat(catalog.apply(new LogStart(9)).logClosed()).isNull();
    assertRefused(catalog, new ForestEdit.LogClosed(new WalEnd(8, 4096)), "ends in segment 8");
  }

  /** A number given twice would let a cached block or a filter speak for another file. */
  @Test
  void countsBeyondWhatStandsInAForest() {
    Catalog added = ONE.apply(new TreeAdded(1, 1, 70, List.of(ForestDrawing.sst(60, "a-b"))));
    Catalog begun =
        added.apply(
            new ForestEdit.CompactionBegun(
                1,
                new Compaction(
                    80, List.of(70L), 79, Compaction.Shape.REWRITES, List.of(KeySpan.ALL)),
                2));
    Catalog merged =
        begun.apply(
            new ForestEdit.CompactionProgressed(
                1, 80, KeySpan.ALL, List.of(ForestDrawing.sst(90, "a-b")), List.of()));

    assertThat(begun.nextNumber()).isEqualTo(81);
    assertThat(added.nextNumber()).isEqualTo(71);
    assertThat(added.nextSequence()).isEqualTo(1001);
    assertThat(merged.nextNumber()).isEqualTo(91);
    assertThat(merged.apply(new FlushedTo(1, 2000)).nextSequence()).isEqualTo(2001);
  }

  @Test
  void refusesWhatDoesNotFit() {
    assertRefused(ONE, new DatabaseCreated(1, "second"), "database id is 1");
    assertRefused(ONE, new DatabaseDropped(2), "no database with id 2");
    assertRefused(ONE, new FlushedTo(2, 1), "no database with id 2");
    assertRefused(ONE, new TreeAdded(2, 1, 5, List.of()), "no database with id 2");
    assertRefused(ONE, new ForestEdit.CompactionEnded(2, 3), "no database with id 2");
  }

  @Test
  void noticesANameAnSstOrATreeIdUsedTwice() {
    Catalog two =
        ONE.apply(
            List.of(
                new DatabaseCreated(2, "second"),
                new TreeAdded(1, 1, 5, List.of(ForestDrawing.sst(6, "a-b")))));
    Catalog sstTwice = two.apply(new TreeAdded(2, 1, 7, List.of(ForestDrawing.sst(6, "a-b"))));
    Catalog treeTwice = two.apply(new TreeAdded(2, 1, 5, List.of(ForestDrawing.sst(8, "a-b"))));

    Catalog nameTwice = two.apply(new DatabaseCreated(3, "second"));

    two.checkNothingIsUsedTwice();
    assertThatThrownBy(nameTwice::checkNothingIsUsedTwice)
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("two databases second");
    assertThatThrownBy(sstTwice::checkNothingIsUsedTwice)
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("SST 6");
    assertThatThrownBy(treeTwice::checkNothingIsUsedTwice)
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("the id 5");
  }

  @Test
  void keepsManyDatabasesInTheOrderOfTheirIds() {
    Catalog catalog = ONE;
    for (int id = 2; id <= 1000; id++) {
      catalog = catalog.apply(new DatabaseCreated(id, "database" + id));
    }
    Catalog before = catalog;
    for (int id = 1; id <= 1000; id++) {
      catalog = catalog.apply(id % 10 == 0 ? new FlushedTo(id, id) : new DatabaseDropped(id));
    }
    assertThat(catalog.forests())
        .extracting(Forest::databaseId)
        .isEqualTo(IntStream.rangeClosed(1, 100).mapToObj(i -> 10 * i).toList());
    assertThat(catalog.forests())
        .allMatch(forest -> forest.flushedSequence() == forest.databaseId());
    assertThat(catalog.forest(11)).isEmpty();
    assertThat(before.forests()).hasSize(1000).allMatch(forest -> forest.flushedSequence() == 0);
  }

  private static void assertRefused(Catalog catalog, ForestEdit edit, String why) {
    assertThatThrownBy(() -> catalog.apply(edit))
        .describedAs("%s", edit)
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining(why);
  }
}
