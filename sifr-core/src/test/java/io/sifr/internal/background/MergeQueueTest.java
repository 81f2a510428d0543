package io.sifr.internal.background;

import static org.assertj.core.api.Assertions.assertThat;

import io.sifr.config.MergeTrigger;
import io.sifr.internal.compaction.SplitForestPolicy;
import io.sifr.internal.forest.Forest;
import io.sifr.internal.forest.ForestEdit.CompactionBegun;
import io.sifr.internal.memtable.Memtable;
import io.sifr.internal.state.DatabaseHandle;
import io.sifr.internal.state.Lifecycle;
import io.sifr.internal.view.StoreView;
import io.sifr.internal.view.ViewHolder;
import io.sifr.internal.view.WriteBuffer;
import io.sifr.testing.ForestDrawing;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class MergeQueueTest {
  private static final int NO_LIMIT = Integer.MAX_VALUE;

  private final List<DatabaseHandle> databases = new ArrayList<>();
  private final MergeQueue queue =
      new MergeQueue(new SplitForestPolicy(2, MergeTrigger.EAGER), () -> databases);
  private final Lifecycle store = new Lifecycle();

  private DatabaseHandle database(String name, String drawing) {
    return database(name, ForestDrawing.parse(drawing));
  }

  private DatabaseHandle database(String name, Forest forest) {
    StoreView view = new StoreView(new WriteBuffer(new Memtable(1)), List.of(), forest);
    DatabaseHandle database =
        new DatabaseHandle(store, databases.size() + 1, name, new ViewHolder(view));
    databases.add(database);
    return database;
  }

  private String next(int stageLimit) {
    MergeJob job = queue.next(stageLimit);
    return job == null ? "none" : job.database() + " " + job.plan().sourceStage();
  }

  @Test
  void ofStagesAsFullAsEachOtherTheLowestIsNext() {
    database("a", "S1: [e] | S2: [d] [c] | S3: [b] [a]");
    assertThat(next(NO_LIMIT)).isEqualTo("a 2");
    assertThat(next(3)).isEqualTo("a 2");
    assertThat(next(2)).isEqualTo("none");
    assertThat(queue.lowestDue()).isEqualTo(2);
  }

  /** Else trees would pile up there as long as each flush makes a merge of a low stage due. */
  @Test
  void aStageThatIsFullerThanThoseBelowIsNext() {
    database("a", "S1: [g] [f] | S2: [e] [d] [c] | S3: [b] [a]");
    assertThat(next(NO_LIMIT)).isEqualTo("a 2");
    assertThat(next(2)).isEqualTo("a 1");
    assertThat(queue.lowestDue()).isEqualTo(1);
  }

  @Test
  void theDatabaseWithTheFullestStageIsNext() {
    database("a", "S1: [c] [b] [a]");
    DatabaseHandle b = database("b", "S1: [a] | S2: [e] [d] [c] [b]");
    assertThat(next(NO_LIMIT)).isEqualTo("b 2");
    assertThat(next(2)).isEqualTo("a 1");
    b.markDropped();
    assertThat(next(NO_LIMIT)).isEqualTo("a 1");
  }

  @Test
  void aMergeThatHasBegunIsNextOfItsStage() {
    Forest forest = ForestDrawing.parse("S1: [d] [c] [b] [a]");
    database("a", forest.withBegun(new CompactionBegun(1, 9, List.of(3L, 4L), 1, 2, false)));
    MergeJob job = queue.next(NO_LIMIT);
    assertThat(job).isNotNull();
    assertThat(job.begun()).isNotNull();
    assertThat(job.plan().inputs()).extracting(ForestDrawing::print).containsExactly("[b]", "[a]");
  }

  @Test
  void nothingIsDueWhereNoStageIsFull() {
    database("a", "S1: [c] | S2: [b] | S3: [a]");
    assertThat(next(NO_LIMIT)).isEqualTo("none");
    assertThat(queue.lowestDue()).isEqualTo(NO_LIMIT);
  }

  @Test
  void noStageFromTheClosedOneOnIsNext() {
    DatabaseHandle a = database("a", "S1: [e] | S2: [d] [c] | S3: [b] [a]");
    assertThat(queue.close(a)).isTrue();
    assertThat(queue.close(a)).isFalse();
    queue.closeFrom(a, 2);
    assertThat(next(NO_LIMIT)).isEqualTo("none");
    queue.open(a);
    assertThat(next(NO_LIMIT)).isEqualTo("a 2");
  }
}
