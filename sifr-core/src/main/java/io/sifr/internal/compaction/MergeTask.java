package io.sifr.internal.compaction;

import io.sifr.internal.entry.EntryIterator;
import io.sifr.internal.entry.MergingIterator;
import io.sifr.internal.entry.VersionFilter;
import io.sifr.internal.forest.LogicalTree;
import io.sifr.internal.sst.OutdatedRunException;
import io.sifr.internal.sst.RunIterator;
import io.sifr.internal.sst.Sst;
import io.sifr.internal.util.Bytes;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/**
 * Turns the trees of a plan into one (TPDS §4.1, §4.3): SSTs that overlap no other input are moved
 * by metadata alone, the others are merged and rewritten, without what no reader can see any more.
 */
public final class MergeTask {
  /**
   * What a merge made. The written SSTs are durable and open.
   *
   * @param written ascending
   * @param moved input SSTs that belong to the output as they are
   * @param droppedEntries entries that were not written again
   */
  public record Result(List<Sst> written, List<Sst> moved, long droppedEntries) {}

  /** The last SST of a merge has at least this share, one in so many, of the bytes aimed at. */
  private static final int SMALLEST_LAST_SHARE = 4;

  private final TaskEnvironment environment;
  private final CompactionPlan plan;
  private final long[] snapshots;
  private long droppedEntries;

  /**
   * @param environment what the task needs of the store
   * @param plan which trees
   * @param snapshots sequence numbers that must stay readable, ascending
   */
  public MergeTask(TaskEnvironment environment, CompactionPlan plan, long[] snapshots) {
    this.environment = environment;
    this.plan = plan;
    this.snapshots = snapshots;
  }

  /**
   * Does it.
   *
   * @throws java.util.concurrent.CancellationException when the environment says so; nothing is
   *     left behind then
   */
  public Result run() {
    List<Sst> moved = new ArrayList<>();
    try (OutputWriter output = new OutputWriter(environment)) {
      for (MergeStep<SstExtent> step : steps()) {
        if (step instanceof MergeStep.Merge<SstExtent> merge) {
          merge(merge.inputs().stream().map(SstExtent::sst).toList(), merge.outputBytes(), output);
        } else {
          step.inputs().forEach(extent -> moved.add(extent.sst()));
        }
      }
      return new Result(output.finish(), moved, droppedEntries);
    } catch (OutdatedRunException e) {
      // Inputs go away beneath a merge only when their database is dropped, which cancels it.
      environment.checkCancelled();
      throw e;
    }
  }

  private List<MergeStep<SstExtent>> steps() {
    List<List<SstExtent>> trees =
        plan.inputs().stream()
            .map(tree -> tree.ssts().stream().map(SstExtent::new).toList())
            .toList();
    if (plan.rewritesAll()) {
      List<SstExtent> all = trees.stream().flatMap(List::stream).toList();
      return List.of(new MergeStep.Merge<>(all, environment.splitUnitBytes()));
    }
    return MergePlanner.plan(trees, environment.splitUnitBytes());
  }

  /** An SST as the planner sees it. */
  private record SstExtent(Sst sst) implements Extent {
    @Override
    public byte[] smallestKey() {
      return sst.meta().smallestKey();
    }

    @Override
    public byte[] largestKey() {
      return sst.meta().largestKey();
    }

    @Override
    public long bytes() {
      return sst.meta().fileBytes();
    }
  }

  private void merge(List<Sst> ssts, long outputBytes, OutputWriter output) {
    long unread = ssts.stream().mapToLong(sst -> sst.meta().entries()).sum();
    long bytes = ssts.stream().mapToLong(sst -> sst.meta().fileBytes()).sum();
    // What is left must be worth an SST of its own, or the last one joins the one before it.
    long fewestEntries = (long) ((double) unread * outputBytes / bytes / SMALLEST_LAST_SHARE);
    try (EntryIterator entries = iterator(ssts)) {
      VersionFilter filter = new VersionFilter(snapshots, new OlderTrees(plan.older())::mayHold);
      for (boolean more = entries.seekToFirst(); more; more = entries.next()) {
        boolean keep =
            filter.keep(
                entries.keyArray(), entries.keyOffset(), entries.keyLength(), entries.trailer());
        if (keep) {
          // I3: all versions of a key stay in one SST.
          if (filter.isFirstOfKey()
              && output.currentBytes() >= outputBytes
              && unread >= fewestEntries) {
            output.cut();
          }
          output.add(entries);
        } else {
          droppedEntries++;
        }
        unread--;
      }
    }
    output.cut();
  }

  /** Walks those SSTs of all input trees in internal order. */
  private EntryIterator iterator(List<Sst> ssts) {
    Set<Sst> chosen = new HashSet<>(ssts);
    List<EntryIterator> runs = new ArrayList<>();
    byte[] smallest = ssts.get(0).meta().smallestKey();
    byte[] largest = ssts.get(0).meta().largestKey();
    for (LogicalTree tree : plan.inputs()) {
      List<Sst> part = tree.ssts().stream().filter(chosen::contains).toList();
      if (!part.isEmpty()) {
        runs.add(new RunIterator(new LogicalTree(tree.id(), part), () -> false));
        smallest = smaller(smallest, part.get(0).meta().smallestKey());
        largest = larger(largest, part.get(part.size() - 1).meta().largestKey());
      }
    }
    int shared = Bytes.commonPrefix(smallest, 0, smallest.length, largest, 0, largest.length);
    return new MergingIterator(runs, shared);
  }

  private static byte[] smaller(byte[] a, byte[] b) {
    return Bytes.compare(a, 0, a.length, b, 0, b.length) <= 0 ? a : b;
  }

  private static byte[] larger(byte[] a, byte[] b) {
    return Bytes.compare(a, 0, a.length, b, 0, b.length) >= 0 ? a : b;
  }
}
