package io.sifr.model;

import io.sifr.config.StoreOptions;
import io.sifr.internal.compaction.cut.Cuts.FlushCutter;
import io.sifr.internal.compaction.cut.Cuts.OutputCuts;
import io.sifr.internal.compaction.cut.SstSizes;
import io.sifr.internal.compaction.cut.StepPlanner;
import io.sifr.internal.compaction.cut.StepPlanner.Step;
import io.sifr.internal.compaction.cut.Stretch.KeySamples;
import io.sifr.internal.sst.read.SstSlice;
import io.sifr.internal.state.Extensions.Tuning;
import io.sifr.testing.SstMetas;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import java.util.SplittableRandom;
import java.util.stream.Stream;

/**
 * Counts the bytes a split forest writes under a load, with the real {@link FlushCutter}, {@link
 * StepPlanner} and {@link OutputCuts} and real keys, but without values and files.
 *
 * <p>{@code main} runs loads at the size of the papers: {@code SplitForestSimulation 10000000
 * ASCENDING RANDOM}; without names it runs all.
 */
final class SplitForestSimulation {

  /** With and without the rules under test. */
  enum Rules {
    /** A flush is split evenly, stretches of overlapping SSTs are merged, all others moved. */
    PAPER,
    /** {@link FlushCutter} and {@link StepPlanner}. */
    CUT,
    /** The same with SSTs that may grow with the store, which has too few for that. */
    NOT_YET_GROWING,
    /** The same with SSTs that grow with the store, from {@link #GROWING_FROM} on. */
    GROWING
  }

  static final int USER_BYTES_PER_TEN_ENTRIES = 1235;
  private static final int WRITE_BUFFER = 4 << 20;
  private static final int FLUSH_ENTRIES = WRITE_BUFFER * 10 / USER_BYTES_PER_TEN_ENTRIES;
  private static final long SPLIT_UNIT = 2 << 20;
  private static final SstSizes FIXED = new SstSizes(SPLIT_UNIT, SPLIT_UNIT, WRITE_BUFFER, 0);

  /** All sizes are divided, so that a few GB show what a terabyte would. */
  static final int GROWING_FROM = 500;

  private static final StoreOptions DEFAULTS =
      StoreOptions.builder().writeBufferBytes(WRITE_BUFFER).splitUnitBytes(SPLIT_UNIT).build();

  private static final StoreOptions GROWING =
      StoreOptions.builder()
          .writeBufferBytes(WRITE_BUFFER)
          .splitUnitBytes(128 << 10)
          .maxSstBytes(4 << 20)
          .build();

  private static final int GROWTH_FACTOR = 4;
  private static final int PAGE = 4096;

  private final Workload workload;
  private final Rules rules;
  private final List<List<List<Sst>>> stages = new ArrayList<>();
  private final IdentityHashMap<SstSlice, Sst> bySlice = new IdentityHashMap<>();
  private long writtenBytes;
  private long flushedBytes;
  private long entries;
  private int mostSsts;
  long cutNanos;
  long planNanos;

  private SplitForestSimulation(Workload workload, Rules rules) {
    this.workload = workload;
    this.rules = rules;
    stages.add(new ArrayList<>());
  }

  static SplitForestSimulation run(Workload workload, Rules rules, long entries) {
    var simulation = new SplitForestSimulation(workload, rules);
    var random = new SplittableRandom(42);
    long[] memtable = new long[FLUSH_ENTRIES];
    for (long first = 0; first + FLUSH_ENTRIES <= entries; first += FLUSH_ENTRIES) {
      for (int i = 0; i < FLUSH_ENTRIES; i++) {
        memtable[i] = workload.number(first + i, entries, random) ^ Long.MIN_VALUE;
      }
      simulation.entries += FLUSH_ENTRIES;
      simulation.flush(sortedDistinct(memtable.clone()));
    }
    return simulation;
  }

  /** SST bytes written, by flushes and merges, per byte of user data. */
  double writeAmplification() {
    return writtenBytes / userBytes();
  }

  long flushes() {
    return entries / FLUSH_ENTRIES;
  }

  /** The SST bytes of all flushes, without the merges. */
  long flushedBytes() {
    return flushedBytes;
  }

  double userBytes() {
    return entries * USER_BYTES_PER_TEN_ENTRIES / 10.0;
  }

  long ssts() {
    return all().size();
  }

  /** The most SSTs there have been. */
  int mostSsts() {
    return mostSsts;
  }

  private SstSizes sizes() {
    long bytes = all().stream().mapToLong(Sst::bytes).sum();
    return switch (rules) {
      case GROWING -> SstSizes.of(GROWING, GROWING_FROM, bytes);
      case NOT_YET_GROWING -> SstSizes.of(DEFAULTS, Tuning.DEFAULT.sstsBeforeGrowth(), bytes);
      default -> FIXED;
    };
  }

  /**
   * The bytes written, and for each tree and SST the keys it begins and ends with, and its size.
   */
  List<List<Long>> shape() {
    List<List<Long>> shape = new ArrayList<>(List.of(List.of(writtenBytes)));
    for (List<List<Sst>> stage : stages) {
      for (List<Sst> tree : stage) {
        shape.add(
            tree.stream()
                .flatMap(sst -> Stream.of(sst.smallest(), sst.largest(), sst.bytes()))
                .toList());
      }
    }
    return shape;
  }

  /** How many SSTs of a split unit the data would fill. */
  long idealSsts() {
    return all().stream().mapToLong(sst -> sst.dataBytes).sum() / SPLIT_UNIT + 1;
  }

  long smallSsts() {
    return all().stream().filter(sst -> sst.bytes < SPLIT_UNIT / 4).count();
  }

  List<Integer> treesPerStage() {
    return stages.stream().map(List::size).toList();
  }

  private List<Sst> all() {
    return stages.stream().flatMap(List::stream).flatMap(List::stream).toList();
  }

  private void flush(long[] keys) {
    List<Sst> tree = new ArrayList<>();
    if (rules == Rules.PAPER) {
      write(keys, 0, keys.length, evenTarget(keys), tree);
    } else {
      int from = 0;
      int[] cuts = cuts(keys);
      for (int i = 0; i <= cuts.length; i++) {
        int to = i < cuts.length ? cuts[i] : keys.length;
        tree.add(written(new Sst(this, keys, from, to)));
        from = to;
      }
    }
    stages.get(0).add(tree);
    flushedBytes += tree.stream().mapToLong(Sst::bytes).sum();
    for (int stage = 0; stage < stages.size(); stage++) {
      if (stages.get(stage).size() == GROWTH_FACTOR) {
        compact(stage);
      }
    }
    mostSsts = Math.max(mostSsts, all().size());
  }

  private int[] cuts(long[] keys) {
    byte[][] bytes = new byte[keys.length][];
    for (int i = 0; i < keys.length; i++) {
      bytes[i] = key(keys[i]);
    }
    SstSizes sizes = sizes();
    long start = System.nanoTime();
    var cutter = new FlushCutter(keys.length);
    for (int i = 0; i < keys.length; i++) {
      cutter.add(bytes[i], 0, bytes[i].length, entryBytes(keys[i]));
    }
    int[] cuts = cutter.finish(sizes);
    cutNanos += System.nanoTime() - start;
    return cuts;
  }

  private void compact(int stage) {
    SstSizes sizes = sizes();
    List<List<Sst>> trees = List.copyOf(stages.get(stage));
    stages.get(stage).clear();
    if (stage + 1 == stages.size()) {
      stages.add(new ArrayList<>());
    }
    long start = System.nanoTime();
    List<Step> steps =
        rules == Rules.PAPER
            ? paperSteps(trees)
            : StepPlanner.plan(
                trees.stream().map(tree -> tree.stream().map(sst -> sst.slice).toList()).toList(),
                sizes);
    planNanos += System.nanoTime() - start;
    IdentityHashMap<Sst, Integer> treeOf = new IdentityHashMap<>();
    for (int i = 0; i < trees.size(); i++) {
      for (Sst sst : trees.get(i)) {
        treeOf.put(sst, i);
      }
    }
    List<Sst> tree = new ArrayList<>();
    for (Step step : steps) {
      if (step instanceof Step.Move move) {
        tree.add(bySlice.get(move.slice()));
      } else if (step instanceof Step.Rewrite merge) {
        List<Sst> inputs = merge.inputs().stream().map(bySlice::remove).toList();
        long[] keys = merged(inputs);
        if (rules == Rules.PAPER) {
          write(keys, 0, keys.length, merge.outputBytes(), tree);
        } else {
          double entriesPerByte =
              (double) keys.length / inputs.stream().mapToLong(Sst::bytes).sum();
          writeCut(
              keys,
              OutputCuts.of(
                  samples(inputs, treeOf, sizes), sizes, merge.outputBytes(), entriesPerByte),
              tree);
        }
      }
    }
    for (int i = 1; i < tree.size(); i++) {
      if (tree.get(i).smallest() <= tree.get(i - 1).largest()) {
        throw new AssertionError("outputs " + (i - 1) + " and " + i + " overlap");
      }
    }
    stages.get(stage + 1).add(tree);
  }

  private KeySamples samples(
      List<Sst> inputs, IdentityHashMap<Sst, Integer> treeOf, SstSizes sizes) {
    long step = KeySamples.step(inputs.stream().mapToLong(Sst::bytes).sum(), sizes);
    KeySamples samples = new KeySamples();
    for (Sst sst : inputs) {
      int tree = Objects.requireNonNull(treeOf.get(sst));
      byte[] first = key(sst.smallest());
      long bytes = 0;
      for (int i = sst.from; i < sst.to; i++) {
        if (bytes >= step) {
          samples.add(first, tree, bytes);
          first = fence(key(sst.keys[i - 1]), key(sst.keys[i]));
          bytes = 0;
        }
        bytes += entryBytes(sst.keys[i]);
      }
      samples.add(first, tree, bytes);
    }
    return samples;
  }

  /** What an index has between two blocks. */
  private static byte[] fence(byte[] low, byte[] high) {
    return Arrays.copyOf(high, Arrays.mismatch(low, high) + 1);
  }

  private void writeCut(long[] keys, OutputCuts cuts, List<Sst> tree) {
    int from = 0;
    long bytes = 0;
    for (int i = 0; i < keys.length; i++) {
      byte[] key = key(keys[i]);
      // The target was told with padding.
      if (cuts.isBefore(key, 0, key.length, bytes * 100 / 98, keys.length - i)) {
        tree.add(written(new Sst(this, keys, from, i)));
        from = i;
        bytes = 0;
      }
      bytes += entryBytes(keys[i]);
    }
    tree.add(written(new Sst(this, keys, from, keys.length)));
  }

  private static List<Step> paperSteps(List<List<Sst>> trees) {
    List<Sst> ssts = new ArrayList<>();
    trees.forEach(ssts::addAll);
    ssts.sort((a, b) -> Long.compare(a.smallest(), b.smallest()));
    List<Step> steps = new ArrayList<>();
    for (int from = 0, to; from < ssts.size(); from = to) {
      long largest = ssts.get(from).largest();
      long bytes = ssts.get(from).bytes;
      for (to = from + 1; to < ssts.size() && ssts.get(to).smallest() <= largest; to++) {
        largest = Math.max(largest, ssts.get(to).largest());
        bytes += ssts.get(to).bytes;
      }
      if (to == from + 1) {
        steps.add(new Step.Move(ssts.get(from).slice));
      } else {
        long pieces = Math.max(1, Math.round((double) bytes / SPLIT_UNIT));
        List<SstSlice> slices = new ArrayList<>();
        ssts.subList(from, to).forEach(sst -> slices.add(sst.slice));
        steps.add(new Step.Rewrite(slices, bytes / pieces));
      }
    }
    return steps;
  }

  private static long[] merged(List<Sst> ssts) {
    long[] keys = new long[ssts.stream().mapToInt(sst -> sst.to - sst.from).sum()];
    int count = 0;
    for (Sst sst : ssts) {
      System.arraycopy(sst.keys, sst.from, keys, count, sst.to - sst.from);
      count += sst.to - sst.from;
    }
    return sortedDistinct(keys);
  }

  private static long[] sortedDistinct(long[] keys) {
    Arrays.sort(keys);
    int count = 0;
    for (int i = 0; i < keys.length; i++) {
      if (i == 0 || keys[i] != keys[i - 1]) {
        keys[count++] = keys[i];
      }
    }
    return count == keys.length ? keys : Arrays.copyOf(keys, count);
  }

  private static long evenTarget(long[] keys) {
    long bytes = 0;
    for (long key : keys) {
      bytes += entryBytes(key);
    }
    return bytes / Math.max(1, Math.round((double) bytes / SPLIT_UNIT));
  }

  private void write(long[] keys, int start, int end, long outputBytes, List<Sst> tree) {
    int from = start;
    long bytes = 0;
    long total = 0;
    for (int i = start; i < end; i++) {
      total += entryBytes(keys[i]);
    }
    long done = 0;
    for (int i = start; i < end; i++) {
      bytes += entryBytes(keys[i]);
      done += entryBytes(keys[i]);
      // What is left would be a sliver: the sizes were told with padding, and keys may have merged.
      if (bytes >= outputBytes * 98 / 100 && total - done > outputBytes / 8) {
        tree.add(written(new Sst(this, keys, from, i + 1)));
        from = i + 1;
        bytes = 0;
      }
    }
    tree.add(written(new Sst(this, keys, from, end)));
  }

  private Sst written(Sst sst) {
    writtenBytes += sst.bytes;
    return sst;
  }

  private byte[] key(long number) {
    return workload.key(number ^ Long.MIN_VALUE);
  }

  /** What an entry takes in a block: a value of 1 to 200 bytes, the rest of the key, its header. */
  private static long entryBytes(long number) {
    return 18 + 1 + (Workload.mix(number) >>> 1) % 200;
  }

  /** An SST without values: its keys, as numbers whose signed order is the keys' order. */
  private static final class Sst {
    private final long[] keys;
    private final int from;
    private final int to;
    private final long dataBytes;
    private final long bytes;

    /** As the planner sees it. */
    private final io.sifr.internal.sst.read.Sst slice;

    Sst(SplitForestSimulation simulation, long[] keys, int from, int to) {
      this.keys = keys;
      this.from = from;
      this.to = to;
      long data = 0;
      for (int i = from; i < to; i++) {
        data += entryBytes(keys[i]);
      }
      dataBytes = data;
      // Blocks are padded by 1.5 %; a block's fence takes about 24 bytes of the index.
      long blocks = (data * 1015 / 1000 + PAGE - 1) / PAGE;
      bytes = (blocks + (blocks * 24 + PAGE - 1) / PAGE) * PAGE;
      byte[] smallestKey = simulation.key(smallest());
      byte[] largestKey = simulation.key(largest());
      slice =
          new io.sifr.internal.sst.read.Sst(
              SstMetas.of(1, 1, bytes, 1, 0, 0, data, 0, 1, 1, smallestKey, largestKey));
      simulation.bySlice.put(slice, this);
    }

    long smallest() {
      return keys[from];
    }

    long largest() {
      return keys[to - 1];
    }

    long bytes() {
      return bytes;
    }
  }

  @Override
  public String toString() {
    return String.format(
        Locale.ROOT,
        "%-24s %-15s WA %5.3f  SSTs %6d (most %6d, ideal %4d, small %5d)  trees %s",
        workload,
        rules,
        writeAmplification(),
        ssts(),
        mostSsts,
        idealSsts(),
        smallSsts(),
        treesPerStage());
  }

  public static void main(String[] args) {
    long entries = args.length > 0 ? Long.parseLong(args[0]) : 10_000_000;
    List<Workload> workloads =
        args.length > 1
            ? Arrays.stream(args).skip(1).map(Workload::valueOf).toList()
            : List.of(Workload.values());
    for (Workload workload : workloads) {
      for (Rules rules : Rules.values()) {
        long start = System.nanoTime();
        var simulation = run(workload, rules, entries);
        System.out.printf(
            Locale.ROOT,
            "%s  cut %.2f ms/flush plan %.1f ms, %.1f s%n",
            simulation,
            simulation.cutNanos / 1e6 / (entries / (double) FLUSH_ENTRIES),
            simulation.planNanos / 1e6,
            (System.nanoTime() - start) / 1e9);
      }
    }
  }
}
