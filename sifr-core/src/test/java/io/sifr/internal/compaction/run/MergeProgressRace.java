package io.sifr.internal.compaction.run;

import io.sifr.internal.compaction.merge.PartTask;
import io.sifr.internal.forest.Compaction;
import io.sifr.internal.forest.CompactionPlan;
import io.sifr.internal.forest.Forest;
import io.sifr.internal.forest.ForestEdit;
import io.sifr.internal.forest.KeySpan;
import io.sifr.internal.forest.LogicalTree;
import io.sifr.internal.memtable.Memtable;
import io.sifr.internal.sst.read.Sst;
import io.sifr.internal.state.DatabaseHandle;
import io.sifr.internal.state.Lifecycle;
import io.sifr.internal.view.ReadEpochs;
import io.sifr.internal.view.StoreView;
import io.sifr.internal.view.WriteBuffer;
import io.sifr.testing.SstMetas;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Expect;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.I_Result;

/**
 * A merge moves its frontier past a key and lets go of the input that held it, while somebody looks
 * for the key and finds an SST that is there: views are published before inputs are let go of (I4).
 */
public class MergeProgressRace {
  private static final byte[] KEY = {5};
  private static final byte[] LAST = {9};
  private static final long OUTPUT_TREE = 30;

  /** How long a reader uses what it has found. */
  private static final int SPINS_OF_USE = 20;

  private static final int GONE_UNDER_READER = 3;
  private static final int GONE_AT_SECOND_LOOK = 4;
  private static final int NOWHERE = 5;

  private static Sst sst(long number, byte[] key) {
    return new Sst(SstMetas.of(number, number, 4096, 1, 0, 0, 1, 0, 1, 1, key, key));
  }

  /** A merge of two SSTs in one tree, which is about to come through the first of them. */
  private static final class Merge {
    private final Sst input = sst(1, KEY);
    private final Sst output = sst(3, KEY);
    private final ReadEpochs epochs = new ReadEpochs();
    private final StoreView.Holder views;
    private final PartTask.Progress part;

    /** Plain on purpose: whoever may use the input sees it there without an ordering of its own. */
    private boolean inputIsGone;

    private Merge() {
      Forest forest =
          Forest.empty(1, "default").withTree(1, new LogicalTree(20, List.of(input, sst(2, LAST))));
      views =
          new StoreView.Holder(new StoreView(new WriteBuffer(new Memtable(1)), List.of(), forest));
      part =
          new Journal(
                  CompactionPlan.intoNewTree(
                      forest, forest.stage(1), KeySpan.ALL, 1, Compaction.Shape.REWRITES))
              .part(KeySpan.ALL);
    }

    void progress() {
      part.written(output);
      part.reached(KEY, 0);
    }

    @Nullable Sst find() {
      for (LogicalTree tree : views.get().forest().byPriority()) {
        Sst found = tree.find(KEY, 0, 1);
        if (found != null) {
          return found;
        }
      }
      return null;
    }

    int use(Sst sst) {
      for (int i = 0; i < SPINS_OF_USE; i++) {
        Thread.onSpinWait();
      }
      return sst == output ? 2 : inputIsGone ? GONE_UNDER_READER : 1;
    }

    /** Commits to the views. */
    private final class Journal extends CompactionJournal {
      Journal(CompactionPlan plan) {
        super(new DatabaseHandle(new Lifecycle(), 1, "default", views), plan, OUTPUT_TREE);
      }

      @Override
      long cleaningThresholdBytes() {
        return 0;
      }

      @Override
      Change publish(List<ForestEdit> edits, List<Sst> made) {
        Forest before = views.get().forest();
        Forest after = before;
        for (ForestEdit edit : edits) {
          if (edit instanceof ForestEdit.CompactionBegun begun) {
            after = after.apply(begun);
          } else if (edit instanceof ForestEdit.CompactionProgressed progressed) {
            after = after.apply(progressed);
          }
        }
        Forest committed = after;
        views.update(view -> view.withForest(committed));
        return new Change(before, committed);
      }

      @Override
      void retire(Set<Sst> inputs) {
        epochs.retire(() -> inputs.forEach(sst -> sst.markObsolete(() -> inputIsGone = true)));
      }

      @Override
      void begins(long bytes) {}

      @Override
      void ended(long bytes) {}

      @Override
      void countWritten(Sst sst) {}

      @Override
      void countCopied(long bytes) {}

      @Override
      void countMoved(Sst sst) {}

      @Override
      void delete(List<Sst> made) {}
    }
  }

  /** Point reads are protected by their epoch. */
  @JCStressTest
  @Outcome(id = "1", expect = Expect.ACCEPTABLE, desc = "the input")
  @Outcome(id = "2", expect = Expect.ACCEPTABLE, desc = "the output")
  @Outcome(expect = Expect.FORBIDDEN, desc = "nowhere, or an input that is gone")
  @State
  public static class WithPointRead {
    private final Merge merge = new Merge();

    /** The frontier comes to the key. */
    @Actor
    public void merger() {
      merge.progress();
    }

    /** A get. */
    @Actor
    public void reader(I_Result result) {
      int ticket = merge.epochs.enter();
      Sst found = merge.find();
      result.r1 = found == null ? NOWHERE : merge.use(found);
      merge.epochs.exit(ticket);
    }
  }

  /** A cursor that comes too late for the input finds the output at its second look. */
  @JCStressTest
  @Outcome(id = "1", expect = Expect.ACCEPTABLE, desc = "the input")
  @Outcome(id = "2", expect = Expect.ACCEPTABLE, desc = "the output")
  @Outcome(expect = Expect.FORBIDDEN, desc = "nowhere, or an input that is gone")
  @State
  public static class WithCursor {
    private final Merge merge = new Merge();

    /** The frontier comes to the key. */
    @Actor
    public void merger() {
      merge.progress();
    }

    /** A cursor that enters an SST. */
    @Actor
    public void cursor(I_Result result) {
      result.r1 = GONE_AT_SECOND_LOOK;
      for (int look = 0; look < 2; look++) {
        Sst found = merge.find();
        if (found == null) {
          result.r1 = NOWHERE;
        } else if (found.tryPin()) {
          result.r1 = merge.use(found);
          found.unpin();
          return;
        }
      }
    }
  }
}
