package io.sifr.internal.compaction.merge;

import io.sifr.internal.compaction.cut.Cuts;
import io.sifr.internal.compaction.cut.Cuts.OutputCuts;
import io.sifr.internal.compaction.cut.SstSizes;
import io.sifr.internal.compaction.cut.StepPlanner.Step;
import io.sifr.internal.compaction.merge.OutputWriter.OutputCrashPoint;
import io.sifr.internal.compaction.merge.TaskEnvironment.YieldPoints;
import io.sifr.internal.entry.EntryIterator;
import io.sifr.internal.entry.ExpiringKind;
import io.sifr.internal.entry.ForwardIterator;
import io.sifr.internal.entry.JoinedVersions;
import io.sifr.internal.entry.MergingIterator;
import io.sifr.internal.entry.OutdatedException;
import io.sifr.internal.entry.VersionFilter;
import io.sifr.internal.entry.range.RangeTombstones;
import io.sifr.internal.forest.Compaction;
import io.sifr.internal.forest.CompactionPlan;
import io.sifr.internal.forest.Guards;
import io.sifr.internal.forest.KeySpan;
import io.sifr.internal.forest.LogicalTree;
import io.sifr.internal.sst.format.SstMeta.ValueUse;
import io.sifr.internal.sst.read.RunIterator;
import io.sifr.internal.sst.read.SliceTombstones;
import io.sifr.internal.sst.read.Sst;
import io.sifr.internal.sst.read.SstSlice;
import io.sifr.internal.util.Bytes;
import java.util.ArrayList;
import java.util.Collections;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * Compacts what several trees hold in a key range (TPDS §4.3): SSTs that overlap no other input are
 * moved by metadata alone, unless they are on another device; the others are compacted and
 * rewritten, without versions that no reader can see. Each piece of progress is handed over at
 * once, so that inputs can be deleted while it runs (early cleaning).
 */
public final class PartTask {
  /** Of compactions that write as few SSTs as possible: half of what the format allows. */
  private static final long WHOLE_SST_BYTES = 1 << 30;

  /** Split units it may read without writing anything before it reports a frontier. */
  private static final int SILENT_SPLIT_UNITS = 2;

  private final TaskEnvironment environment;
  private final CompactionPlan plan;
  private final KeySpan span;
  private final long[] snapshots;
  private final Progress progress;

  /** The value files that are emptied. */
  private final Set<Long> emptied;

  /** Where values are written; null before the first step. */
  private @Nullable SeparatedValues values;

  private long droppedEntries;

  /** About how many bytes the step had still to read when the last SST was cut off. */
  private long unreadBytes;

  /** Size aimed at for the SSTs of the step. */
  private long outputBytes;

  /** Of what the step refers to in files that are emptied: bytes that were not copied yet. */
  private long uncopiedBytes;

  /** Bytes of values that were written since the last frontier. */
  private long valueBytes;

  /** Bytes of SSTs that were handed over since then. */
  private long unreachedBytes;

  /**
   * @param environment what the task needs of the store
   * @param plan which trees
   * @param span which of their keys; all versions of a key are in it or none, since it ends with a
   *     user key (I3)
   * @param snapshots sequence numbers that must stay readable, ascending
   * @param progress receives the output
   */
  public PartTask(
      TaskEnvironment environment,
      CompactionPlan plan,
      KeySpan span,
      long[] snapshots,
      Progress progress) {
    this.environment = environment;
    this.plan = plan;
    this.span = span;
    this.snapshots = snapshots.clone();
    this.progress = progress;
    this.emptied =
        plan.emptied().stream()
            .filter(
                file ->
                    environment.files().access().values().recordBytes(file)
                        > 0) // else it is to be left
            .collect(Collectors.toSet());
  }

  /**
   * Runs the task. When it throws, nothing is left but what was handed over.
   *
   * @throws java.util.concurrent.CancellationException when the yield point throws it
   */
  public void run() {
    try {
      compact();
    } catch (OutdatedException e) {
      // Inputs of a running compaction vanish only when their database is dropped, which cancels
      // it.
      environment.progress().yieldPoint().run();
      throw e;
    }
  }

  private void compact() {
    List<LogicalTree> all = plan.inputs().stream().map(tree -> tree.within(span)).toList();
    byte[] end = span.last() == null ? largestKey(all) : span.last();
    Survivors survivors = new Survivors(all, snapshots, plan.older());
    if (plan.shape() != Compaction.Shape.DROPS) {
      survivors.dropUnread(hiding());
    }
    droppedEntries = survivors.droppedEntries();
    List<LogicalTree> inputs = survivors.trees();
    List<Step> steps = steps(inputs);
    if (steps.isEmpty() && survivors.drops()) {
      reached(end); // what no step takes is dropped with the frontier
    }
    try (OutputWriter output = new OutputWriter(environment, this::begins)) {
      YieldPoints yieldPoints = new YieldPoints(() -> yieldPoint(output));
      try (SeparatedValues begun =
          new SeparatedValues(
              environment, emptied, output::add, bytes -> wrote(bytes, yieldPoints))) {
        values = begun;
        for (int i = 0; i < steps.size(); i++) {
          run(steps.get(i), inputs, output, yieldPoints);
          // The last step reaches the end of the key range: after it there is nothing to compact.
          boolean isLast = i == steps.size() - 1;
          if (isLast) {
            begun.finish();
          }
          reached(isLast ? end : largestKey(steps.get(i)));
        }
      }
    }
  }

  private void run(
      Step step, List<LogicalTree> inputs, OutputWriter output, YieldPoints yieldPoints) {
    if (step instanceof Step.Drop) {
      droppedEntries += step.inputs().stream().mapToLong(SstSlice::entries).sum();
    } else if (step instanceof Step.Move move
        && move.slice() instanceof Sst sst
        && environment.files().isInPlace(sst)) {
      move(inputs, sst);
    } else {
      outputBytes = outputBytes(step);
      rewrite(inputs, step.inputs(), output, yieldPoints);
    }
  }

  private void wrote(int bytes, YieldPoints yieldPoints) {
    valueBytes += bytes;
    uncopiedBytes -= bytes;
    environment.progress().written().accept(bytes);
    yieldPoints.entry(bytes);
  }

  /**
   * The range tombstones of newer trees in the key range. What they hide need not be compacted
   * before it is dropped, for which there may be no space.
   */
  private @Nullable RangeTombstones hiding() {
    List<RangeTombstones> all = new ArrayList<>();
    for (LogicalTree tree : plan.newer()) {
      RangeTombstones some = SliceTombstones.readable(tree.within(span).slices());
      if (some != null) {
        all.add(some);
      }
    }
    return RangeTombstones.merged(all);
  }

  private void yieldPoint(OutputWriter output) {
    output.tellWritten();
    environment.progress().yieldPoint().run();
  }

  private void begins() {
    progress.begins(
        SstSizes.fileBytes(Math.min(unreadBytes, outputBytes)) + Math.max(0, uncopiedBytes));
  }

  private static byte[] largestKey(Step step) {
    byte[] largest = step.inputs().get(0).largestKey();
    for (SstSlice slice : step.inputs()) {
      largest = larger(largest, slice.largestKey());
    }
    return largest;
  }

  /** The largest key that the inputs hold, of which at least one is not empty. */
  private static byte[] largestKey(List<LogicalTree> inputs) {
    byte[] largest = Bytes.EMPTY;
    for (LogicalTree tree : inputs) {
      int slices = tree.slices().size();
      largest = slices == 0 ? largest : larger(largest, tree.slices().get(slices - 1).largestKey());
    }
    return largest;
  }

  /**
   * What was compacted may be committed. Values that were written are durable before that; they are
   * not made so after each SST, if that would leave many small files.
   */
  private void reached(byte[] frontier) {
    SeparatedValues open = values;
    if (open != null && open.currentBytes() > 0) {
      long unreached = unreachedBytes + open.currentBytes();
      if (unreached < environment.output().sizes().valueFileBytes()) {
        return;
      }
      open.finish();
    }
    if (valueBytes > 0) {
      progress.wroteValues(valueBytes);
      valueBytes = 0;
    }
    unreachedBytes = 0;
    progress.reached(frontier, droppedEntries);
    droppedEntries = 0;
  }

  private List<Step> steps(List<LogicalTree> inputs) {
    List<SstSlice> all = new ArrayList<>();
    inputs.forEach(tree -> all.addAll(tree.slices()));
    if (all.isEmpty()) {
      return List.of();
    }
    return switch (plan.shape()) {
      case MOVES -> Cuts.steps(inputs.stream().map(LogicalTree::slices).toList(), sizes(all));
      case REWRITES -> List.of(new Step.Rewrite(all, environment.output().sizes().targetBytes()));
      case WHOLE -> List.of(new Step.Rewrite(all, WHOLE_SST_BYTES));
      case DROPS -> List.of(new Step.Drop(all));
    };
  }

  private SstSizes sizes(List<SstSlice> all) {
    long bytes = all.stream().mapToLong(SstSlice::bytes).sum();
    return environment.output().sizes().forPart(bytes, plan.inputBytes());
  }

  private void move(List<LogicalTree> inputs, Sst sst) {
    byte[] key = sst.smallestKey();
    Long output = plan.output();
    if (output != null
        && inputs.stream()
            .anyMatch(tree -> tree.id() == output && tree.find(key, 0, key.length) == sst)) {
      progress.stays(sst);
    } else {
      progress.moved(sst);
    }
  }

  /** A clipped SST is rewritten even if it overlaps nothing. */
  private long outputBytes(Step step) {
    return step instanceof Step.Rewrite merge
        ? merge.outputBytes()
        : environment.output().sizes().targetBytes();
  }

  private void rewrite(
      List<LogicalTree> inputs,
      List<SstSlice> slices,
      OutputWriter output,
      YieldPoints yieldPoints) {
    long unread = slices.stream().mapToLong(SstSlice::entries).sum();
    unreadBytes = slices.stream().mapToLong(SstSlice::bytes).sum();
    double entriesPerByte = (double) unread / Math.max(1, unreadBytes);
    uncopiedBytes = emptied.isEmpty() ? 0 : bytesToCopy(slices);
    List<LogicalTree> merged = only(slices, inputs);
    OutputCuts cuts = outputCuts(merged, entriesPerByte);
    long mostSilent =
        (long)
            (entriesPerByte * environment.output().sizes().splitUnitBytes() * SILENT_SPLIT_UNITS);
    RangeTombstones ranges = SliceTombstones.of(slices);
    output.beginInputs(slices);
    output.beginRanges(Survivors.ranges(ranges, snapshots, plan.older()));
    try (ForwardIterator entries = environment.entries().kept(iterator(merged), snapshots)) {
      VersionFilter filter = environment.filter(snapshots, plan.older(), ranges);
      SeparatedValues into = Objects.requireNonNull(values);
      JoinedVersions joined = environment.joined(snapshots, plan.older(), into::add);
      Guards.Cuts guards = environment.output().guards().cuts();
      long silent = 0;
      for (boolean more = entries.seekToFirst(); more; more = entries.next()) {
        long trailer = ExpiringKind.trailerAt(entries, environment.entries().now());
        boolean keep =
            filter.keep(entries.keyArray(), entries.keyOffset(), entries.keyLength(), trailer);
        // I3: all versions of a key stay in one SST, and a frontier lies between two keys.
        if (filter.isFirstOfKey()) {
          joined.endKey();
          droppedEntries += joined.takeAbsorbed();
          long bytes = output.currentBytes();
          boolean isFull =
              cuts.isBefore(
                  entries.keyArray(), entries.keyOffset(), entries.keyLength(), bytes, unread);
          // Where all is deleted, range tombstones would be cut into many SSTs.
          boolean isSilent =
              bytes == 0 && silent > mostSilent && !output.hasRangesUpTo(filter.keyBefore());
          boolean isAtGuard =
              guards.isBefore(entries.keyArray(), entries.keyOffset(), entries.keyLength())
                  && bytes > 0;
          if (isFull || isSilent || isAtGuard) {
            handOver(output.cutAfter(filter.keyBefore()), output);
            reached(filter.keyBefore());
            silent = 0;
            unreadBytes = (long) (unread / entriesPerByte);
          }
        }
        if (keep) {
          joined.add(entries, trailer);
        } else {
          droppedEntries++;
        }
        unread--;
        silent++;
        yieldPoints.entry(entries.keyLength() + entries.valueLength());
      }
      joined.endKey();
      droppedEntries += joined.takeAbsorbed();
    }
    handOver(output.cut(), output);
  }

  private long bytesToCopy(List<SstSlice> slices) {
    return slices.stream()
        .map(SstSlice::sst)
        .distinct()
        .flatMap(sst -> sst.meta().values().stream())
        .filter(use -> emptied.contains(use.file()))
        .mapToLong(ValueUse::bytes)
        .sum();
  }

  /** What moves nothing need not be cut so that it can be moved. */
  private OutputCuts outputCuts(List<LogicalTree> inputs, double entriesPerByte) {
    SstSizes sizes = environment.output().sizes();
    return plan.shape() == Compaction.Shape.MOVES
        ? Cuts.ofMerge(inputs, sizes, outputBytes, entriesPerByte)
        : Cuts.ofMergeEvenly(sizes, outputBytes, entriesPerByte);
  }

  /**
   * The inputs are about to be deleted, so what was written from them is read back first: this is
   * the last chance to detect a fault.
   */
  private void handOver(@Nullable Sst written, OutputWriter output) {
    if (written != null) {
      try {
        environment.files().fileSystem().reached(OutputCrashPoint.COMPACTION_OUTPUT_SYNCED);
        output.readBack(written);
      } catch (RuntimeException | Error e) {
        environment.discard(written);
        throw e;
      }
      unreachedBytes += written.meta().fileBytes();
      progress.written(written);
    }
  }

  /** The trees with no other slices than those, and without trees that have none of them. */
  private static List<LogicalTree> only(List<SstSlice> slices, List<LogicalTree> trees) {
    Set<SstSlice> chosen = Collections.newSetFromMap(new IdentityHashMap<>());
    chosen.addAll(slices);
    byte[] smallest = slices.get(0).smallestKey();
    byte[] largest = slices.get(0).largestKey();
    for (SstSlice slice : slices) {
      smallest = smaller(smallest, slice.smallestKey());
      largest = larger(largest, slice.largestKey());
    }
    List<LogicalTree> found = new ArrayList<>();
    for (LogicalTree tree : trees) {
      // Not all slices of the tree: there may be thousands, and as many rewrites.
      int from = tree.firstEndingAtOrAfter(smallest, 0, smallest.length);
      int end = 1 + tree.lastBeginningAtOrBefore(largest, 0, largest.length);
      List<SstSlice> part =
          tree.slices().subList(from, end).stream().filter(chosen::contains).toList();
      if (!part.isEmpty()) {
        found.add(new LogicalTree(tree.id(), part));
      }
    }
    return found;
  }

  /** Iterates over all that the trees hold, in internal order. */
  private static EntryIterator iterator(List<LogicalTree> trees) {
    byte[] smallest = trees.get(0).slices().get(0).smallestKey();
    for (LogicalTree tree : trees) {
      smallest = smaller(smallest, tree.slices().get(0).smallestKey());
    }
    byte[] largest = largestKey(trees);
    int shared = Bytes.commonPrefix(smallest, 0, smallest.length, largest, 0, largest.length);
    return new MergingIterator(trees.stream().map(RunIterator::overAll).toList(), shared);
  }

  private static byte[] smaller(byte[] a, byte[] b) {
    return Bytes.compare(a, 0, a.length, b, 0, b.length) <= 0 ? a : b;
  }

  private static byte[] larger(byte[] a, byte[] b) {
    return Bytes.compare(a, 0, a.length, b, 0, b.length) >= 0 ? a : b;
  }

  /**
   * Receives the output of a {@link PartTask}, piece by piece, in key order. Called by the task's
   * thread.
   */
  public interface Progress {
    /**
     * The task is about to write an SST; it ends with {@link #written}, or with the task.
     *
     * @param bytes about its size, at most
     * @throws io.sifr.error.StoreFullException if there is no space for it
     */
    void begins(long bytes);

    /**
     * The task wrote an SST. Its content is durable and was read back, its name is not durable; it
     * is open, and belongs to the receiver from now on, even when this throws.
     */
    void written(Sst sst);

    /** Values were written to value files, and are durable. */
    void wroteValues(long bytes);

    /** An input SST is moved to the output as it is. */
    void moved(Sst sst);

    /** An SST stays as it is in the output tree, which is an input too. */
    void stays(Sst sst);

    /**
     * The task has compacted a part of its key range.
     *
     * @param frontier whatever the inputs hold at or below this key, within the key range, is in
     *     the SSTs handed over so far, or not needed; larger than any before, and within the range
     * @param droppedEntries how many entries were not written again since the last call
     */
    void reached(byte[] frontier, long droppedEntries);
  }
}
