package io.sifr.internal.compaction.run;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sifr.error.StoreFullException;
import io.sifr.event.CompactionReason;
import io.sifr.internal.compaction.merge.PartTask;
import io.sifr.internal.forest.Catalog;
import io.sifr.internal.forest.Compaction;
import io.sifr.internal.forest.CompactionPlan;
import io.sifr.internal.forest.Forest;
import io.sifr.internal.forest.ForestEdit;
import io.sifr.internal.forest.KeySpan;
import io.sifr.internal.memtable.Memtable;
import io.sifr.internal.sst.read.Sst;
import io.sifr.internal.state.DatabaseHandle;
import io.sifr.internal.state.Lifecycle;
import io.sifr.internal.view.StoreView;
import io.sifr.internal.view.WriteBuffer;
import io.sifr.testing.SstMetas;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;

/**
 * What is committed, and what is finished then. In a store that runs, a mistake here may show as a
 * merge or a read that never ends; here it shows at once.
 */
class CompactionJournalTest {
  private static final long NUMBER = 30;
  private final DatabaseHandle database =
      new DatabaseHandle(
          new Lifecycle(),
          1,
          "default",
          new StoreView.Holder(
              new StoreView(
                  new WriteBuffer(new Memtable(1)), List.of(), Forest.empty(1, "default"))));

  private final Sst first = sst(1, "a", "f");
  private final Sst second = sst(2, "h", "m");
  private final List<String> happened = new ArrayList<>();
  private Catalog catalog =
      Catalog.EMPTY.apply(
          List.of(
              new ForestEdit.DatabaseCreated(1, "default"),
              new ForestEdit.TreeAdded(1, 1, 20, List.of(first, second))));
  private final CompactionJournal journal =
      new Journal(
          CompactionPlan.intoNewTree(
              forest(), forest().stage(1), KeySpan.ALL, 1, Compaction.Shape.REWRITES));
  private long cleaningThresholdBytes = Long.MAX_VALUE;
  private long spaceLeft = Long.MAX_VALUE;
  private long reservedBytes;
  private final PartTask.Progress part = journal.part(KeySpan.ALL);

  private static Sst sst(long number, String smallest, String largest) {
    return new Sst(
        SstMetas.of(number, number, 4096, 1, 0, 0, 1, 0, 1, 1, key(smallest), key(largest)));
  }

  private static byte[] key(String key) {
    return key.getBytes(UTF_8);
  }

  private Forest forest() {
    return catalog.forest(1).orElseThrow();
  }

  @Test
  void whatFollowsTheLastCommitIsCommittedWithTheEnd() {
    part.written(sst(3, "a", "f"));
    part.reached(key("f"), 0);
    journal.commit();
    part.written(sst(4, "h", "m"));
    part.reached(key("m"), 0);
    journal.end();
    assertThat(happened)
        .containsExactly(
            "CompactionBegun, CompactionProgressed",
            "finished [1]",
            "CompactionProgressed, CompactionEnded",
            "finished [2]");
    assertThat(forest().byPriority()).hasToString("[tree 30[3, 4]]");
    assertThat(forest().compactions()).isEmpty();
  }

  @Test
  void bytesSinceTheLastCommitCountNotSsts() {
    cleaningThresholdBytes = 10_000;
    for (int i = 0; i < 3; i++) {
      assertThat(happened).isEmpty();
      String k = "b" + i;
      part.written(sst(3 + i, k, k)); // 4096 bytes each
      part.reached(key(k), 0);
    }
    assertThat(happened).containsExactly("CompactionBegun, CompactionProgressed", "finished []");
    part.written(sst(6, "c", "c"));
    part.reached(key("c"), 0);
    assertThat(happened).hasSize(2);
  }

  @Test
  void anInputOfWhichASliceIsLeftIsNotFinished() {
    part.written(sst(3, "a", "c"));
    part.reached(key("c"), 0);
    journal.commit();
    assertThat(happened).endsWith("finished []");
    part.written(sst(4, "d", "f"));
    part.reached(key("f"), 0);
    journal.commit();
    assertThat(happened).endsWith("finished [1]");
  }

  @Test
  void anInputThatIsMovedIsNotFinished() {
    part.moved(first);
    part.reached(key("f"), 0);
    part.written(sst(3, "h", "m"));
    part.reached(key("m"), 0);
    journal.end();
    assertThat(happened).endsWith("finished [2]");
    assertThat(forest().byPriority()).hasToString("[tree 30[1, 3]]");
  }

  /** Of all trees, which first become trees of stage 3. */
  private CompactionJournal gathering() {
    return new Journal(
        new CompactionPlan(
            null,
            new CompactionPlan.Inputs(
                forest().byPriority(), List.of(KeySpan.ALL), List.of(), List.of()),
            null,
            new CompactionPlan.Stages(1, 3),
            Compaction.Shape.MOVES,
            CompactionReason.SPACE,
            true));
  }

  @Test
  void inputsAreGatheredByTheEditThatBeginsTheCompaction() {
    CompactionJournal gathering = gathering();
    gathering.begin();
    assertThat(happened).containsExactly("TreesMoved, CompactionBegun", "finished []");
    assertThat(forest().stageOf(20)).isEqualTo(3);
    assertThat(forest().stageOf(NUMBER)).isEqualTo(3);
    gathering.end();
    assertThat(happened).endsWith("CompactionEnded", "finished []");
  }

  /** Else writes would be refused, for space that nobody is going to use. */
  @Test
  void spaceIsReservedForNoLongerThanAnSstIsWritten() {
    part.begins(4000);
    PartTask.Progress other = journal.part(KeySpan.ALL);
    other.begins(500);
    assertThat(reservedBytes).isEqualTo(4500);
    part.written(sst(3, "a", "f"));
    assertThat(reservedBytes).isEqualTo(500);
    part.begins(6000);
    part.reached(key("f"), 0);
    assertThat(reservedBytes).isEqualTo(6500);
    journal.discard(); // as when the compaction has failed
    assertThat(reservedBytes).isZero();
  }

  @Test
  void spaceThatIsRefusedIsNotGivenBack() {
    part.begins(4000);
    part.written(sst(3, "a", "f"));
    spaceLeft = 5000;
    assertThatThrownBy(() -> part.begins(6000)).isInstanceOf(StoreFullException.class);
    journal.discard();
    assertThat(reservedBytes).isZero();
  }

  /** Nobody would close and delete them else. */
  @Test
  void sstsOfEditsThatDoNotFitAreDeleted() {
    part.written(sst(3, "a", "f"));
    part.reached(key("f"), 0);
    journal.commit();
    part.written(sst(4, "b", "c")); // outside what the part has left
    part.reached(key("m"), 0);
    assertThatThrownBy(journal::end).isExactlyInstanceOf(IllegalArgumentException.class);
    assertThat(happened).endsWith("deleted [4]");
    journal.discard();
    assertThat(happened).endsWith("finished [1]", "deleted [4]");
  }

  @Test
  void aCompactionThatCannotBeginBecauseOfATreeThatCameLaterIsOutdated() {
    CompactionJournal gathering = gathering();
    catalog = catalog.apply(List.of(new ForestEdit.TreeAdded(1, 3, 21, List.of(sst(5, "x", "z")))));
    assertThatThrownBy(gathering::begin)
        .isExactlyInstanceOf(IllegalArgumentException.class); // no view shows the tree
    database.view().update(view -> view.withForest(forest()));
    assertThatThrownBy(gathering::begin).isInstanceOf(OutdatedPlanException.class);
  }

  /** The journal of a store whose commits all succeed. */
  private final class Journal extends CompactionJournal {
    Journal(CompactionPlan plan) {
      super(database, plan, NUMBER);
    }

    @Override
    long cleaningThresholdBytes() {
      return cleaningThresholdBytes;
    }

    @Override
    Change publish(List<ForestEdit> edits, List<Sst> made) {
      Forest before = forest();
      catalog = catalog.apply(edits);
      happened.add(
          String.join(", ", edits.stream().map(edit -> edit.getClass().getSimpleName()).toList()));
      return new Change(before, forest());
    }

    @Override
    void retire(Set<Sst> inputs) {
      happened.add("finished " + inputs.stream().map(Sst::number).sorted().toList());
    }

    @Override
    void begins(long bytes) {
      if (bytes > spaceLeft) {
        throw new StoreFullException(
            Path.of("store"), "write to", new IOException("No space left"));
      }
      reservedBytes += bytes;
    }

    @Override
    void ended(long bytes) {
      reservedBytes -= bytes;
    }

    @Override
    void countWritten(Sst sst) {}

    @Override
    void countCopied(long bytes) {}

    @Override
    void countMoved(Sst sst) {}

    @Override
    void delete(List<Sst> made) {
      if (!made.isEmpty()) {
        happened.add("deleted " + made.stream().map(Sst::number).toList());
      }
    }
  }
}
