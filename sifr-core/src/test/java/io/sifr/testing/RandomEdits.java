package io.sifr.testing;

import io.sifr.internal.forest.Catalog;
import io.sifr.internal.forest.Compaction;
import io.sifr.internal.forest.Forest;
import io.sifr.internal.forest.ForestEdit;
import io.sifr.internal.forest.KeySpan;
import io.sifr.internal.forest.LogicalTree;
import io.sifr.internal.forest.Totals;
import io.sifr.internal.sst.Sst;
import io.sifr.internal.sst.SstMeta;
import io.sifr.internal.sst.SstSlice;
import io.sifr.internal.util.Bytes;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.Random;
import java.util.SortedSet;
import java.util.TreeSet;
import java.util.stream.IntStream;

/**
 * Draws groups of edits that fit a catalog: databases come and go, trees are flushed and merged
 * with some SSTs moved. The keys share prefixes, are empty, and end in zero bytes more often than
 * those of any user.
 */
public final class RandomEdits {
  private static final byte[] ALPHABET = {0, 'a', 'b', (byte) 0xFF};
  private static final Comparator<Sst> KEY_ORDER =
      (a, b) -> Arrays.compareUnsigned(a.meta().smallestKey(), b.meta().smallestKey());

  private final Random random;
  private Catalog catalog = Catalog.EMPTY;
  private long nextNumber = 1;
  private long nextSequence = 1;

  /** Draws from that source. */
  public RandomEdits(Random random) {
    this.random = random;
  }

  /** The catalog after all groups drawn so far. */
  public Catalog catalog() {
    return catalog;
  }

  /** Draws a group and applies it. */
  public List<ForestEdit> next() {
    List<ForestEdit> group = new ArrayList<>();
    do {
      List<ForestEdit> edits = draw();
      catalog = catalog.apply(edits);
      group.addAll(edits);
    } while (random.nextInt(4) == 0);
    return group;
  }

  private List<ForestEdit> draw() {
    List<Forest> forests = List.copyOf(catalog.forests());
    int kind = random.nextInt(20);
    if (forests.isEmpty() || kind == 0) {
      int id = catalog.nextDatabaseId() + random.nextInt(2);
      return List.of(new ForestEdit.DatabaseCreated(id, "db-ä" + id));
    }
    Forest forest = forests.get(random.nextInt(forests.size()));
    if (kind == 1 && forests.size() > 1) {
      return List.of(new ForestEdit.DatabaseDropped(forest.databaseId()));
    } else if (kind == 2) {
      return counters();
    } else if (kind < 6 && canMerge(forest)) {
      return List.of(compaction(forest));
    } else if (kind < 8 && canMerge(forest)) {
      return List.of(begun(forest));
    } else if (kind < 14 && !forest.merges().isEmpty()) {
      return List.of(progress(forest));
    }
    return flush(forest);
  }

  private static boolean canMerge(Forest forest) {
    return IntStream.rangeClosed(1, forest.stageCount())
        .anyMatch(stage -> !isBusy(forest, stage) && !forest.idleTrees(stage).isEmpty());
  }

  private static boolean isBusy(Forest forest, int sourceStage) {
    return forest.merges().stream().anyMatch(merge -> merge.sourceStage() == sourceStage);
  }

  /** Trees that a merge may take without changing the order of others: the oldest of a stage. */
  private List<LogicalTree> idle(Forest forest) {
    for (int stage = 1; stage <= forest.stageCount(); stage++) {
      List<LogicalTree> trees = forest.idleTrees(stage);
      if (!isBusy(forest, stage) && !trees.isEmpty() && random.nextBoolean()) {
        return trees.subList(random.nextInt(trees.size()), trees.size());
      }
    }
    return List.of();
  }

  private ForestEdit begun(Forest forest) {
    if (forest.merges().isEmpty() && random.nextInt(3) == 0) {
      int target = Math.max(2, forest.stageCount());
      return new ForestEdit.CompactionBegun(
          forest.databaseId(),
          nextNumber++,
          forest.byPriority().stream().map(LogicalTree::id).toList(),
          random.nextBoolean() ? target : 1, // any stage, in files of before
          target,
          true);
    }
    List<LogicalTree> inputs = List.of();
    while (inputs.isEmpty()) {
      inputs = idle(forest);
    }
    int stage = stageOf(forest, inputs.get(0));
    return new ForestEdit.CompactionBegun(
        forest.databaseId(),
        nextNumber++,
        inputs.stream().map(LogicalTree::id).toList(),
        stage,
        stage + 1,
        false);
  }

  private static int stageOf(Forest forest, LogicalTree tree) {
    int stage = 1;
    while (!forest.stage(stage).contains(tree)) {
      stage++;
    }
    return stage;
  }

  /** Comes through the beginning of some span that is left, or all of it. */
  private ForestEdit progress(Forest forest) {
    Compaction merge = forest.merges().get(random.nextInt(forest.merges().size()));
    List<SstSlice> slices =
        forest.trees(merge.inputTreeIds()).stream()
            .flatMap(tree -> tree.slices().stream())
            .sorted(Comparator.comparing(SstSlice::largestKey, Arrays::compareUnsigned))
            .toList();
    List<KeySpan> spans =
        merge.remaining().stream().filter(span -> !within(span, slices).isEmpty()).toList();
    KeySpan rest = spans.get(random.nextInt(spans.size()));
    List<SstSlice> within = within(rest, slices);
    byte[] last = within.get(random.nextInt(within.size())).largestKey();
    KeySpan wanted =
        random.nextInt(3) > 0 || last.length == 0
            ? KeySpan.upTo(last)
            : new KeySpan(Arrays.copyOf(last, last.length - 1), last);
    KeySpan span = rest.and(wanted).orElse(rest.last() == null ? wanted : rest);
    List<SstSlice> consumed = within(span, slices);
    List<Sst> written = new ArrayList<>();
    List<Long> moved = new ArrayList<>();
    if (consumed.size() == 1
        && consumed.get(0) instanceof Sst sst
        && span.contains(sst.smallestKey(), sst.largestKey())) {
      moved.add(sst.number());
    } else if (!consumed.isEmpty() && random.nextInt(4) > 0) {
      byte[] above = span.above();
      byte[] end = span.last();
      byte[] smallest = above == null ? new byte[0] : Bytes.successor(above);
      written.add(sst(smallest, end == null ? last : end));
    }
    return new ForestEdit.CompactionProgressed(
        forest.databaseId(), merge.outputTreeId(), span, written, moved);
  }

  private List<ForestEdit> counters() {
    return List.of(
        new ForestEdit.NumbersReserved(nextNumber + random.nextInt(100)),
        new ForestEdit.SequencesReserved(nextSequence + random.nextInt(100)),
        new ForestEdit.DatabaseIdsUsed(1 + random.nextInt(20)),
        new ForestEdit.LogStart(random.nextInt(1000)),
        new ForestEdit.LogClosed(1000 + random.nextInt(1000), random.nextInt(1 << 30)),
        new ForestEdit.TotalsReached(
            new Totals(random.nextInt(1 << 30), 2, 3, 4, random.nextLong() >>> 1, 6)));
  }

  private List<ForestEdit> flush(Forest forest) {
    List<byte[]> bounds = List.copyOf(keys(random, 2 * random.nextInt(6) + 2));
    List<Sst> ssts = new ArrayList<>();
    for (int i = 0; i + 1 < bounds.size(); i += 2) {
      ssts.add(sst(bounds.get(i), bounds.get(random.nextInt(4) == 0 ? i : i + 1)));
    }
    return List.of(
        new ForestEdit.TreeAdded(forest.databaseId(), 1, nextNumber++, ssts),
        new ForestEdit.FlushedTo(forest.databaseId(), nextSequence - 1));
  }

  private ForestEdit compaction(Forest forest) {
    List<LogicalTree> inputs = List.of();
    while (inputs.isEmpty()) {
      inputs = idle(forest);
    }
    int stage = stageOf(forest, inputs.get(0));
    List<Sst> written = new ArrayList<>();
    List<Long> moved = new ArrayList<>();
    for (List<Sst> cluster : clusters(inputs)) {
      int fate = random.nextInt(8);
      if (cluster.size() == 1 && fate > 1) {
        moved.add(cluster.get(0).number());
      } else if (fate > 0) {
        byte[] largest =
            cluster.stream()
                .map(sst -> sst.meta().largestKey())
                .max(Arrays::compareUnsigned)
                .orElseThrow();
        written.add(sst(cluster.get(0).meta().smallestKey(), largest));
      }
    }
    return new ForestEdit.CompactionCommitted(
        forest.databaseId(),
        inputs.stream().map(LogicalTree::id).toList(),
        stage + 1,
        nextNumber++,
        written,
        moved);
  }

  private static List<SstSlice> within(KeySpan span, List<SstSlice> slices) {
    return slices.stream()
        .filter(slice -> span.overlaps(slice.smallestKey(), slice.largestKey()))
        .toList();
  }

  /** SSTs that overlap each other, directly or through others. */
  private static List<List<Sst>> clusters(List<LogicalTree> trees) {
    List<List<Sst>> clusters = new ArrayList<>();
    byte[] end = {};
    for (Sst sst :
        trees.stream().flatMap(tree -> tree.ssts().stream()).sorted(KEY_ORDER).toList()) {
      SstMeta meta = sst.meta();
      if (clusters.isEmpty() || Arrays.compareUnsigned(meta.smallestKey(), end) > 0) {
        clusters.add(new ArrayList<>());
        end = meta.largestKey();
      } else if (Arrays.compareUnsigned(meta.largestKey(), end) > 0) {
        end = meta.largestKey();
      }
      clusters.get(clusters.size() - 1).add(sst);
    }
    return clusters;
  }

  private Sst sst(byte[] smallest, byte[] largest) {
    int entries = 1 + random.nextInt(100_000);
    long first = nextSequence;
    nextSequence += entries;
    return new Sst(
        new SstMeta(
            nextNumber++,
            random.nextLong(),
            4096L * (1 + random.nextInt(512)),
            entries,
            random.nextInt(entries + 1),
            random.nextInt(1 << 22),
            first,
            nextSequence - 1,
            smallest,
            largest));
  }

  /** That many different keys in order, many of which share prefixes. */
  public static SortedSet<byte[]> keys(Random random, int count) {
    SortedSet<byte[]> keys = new TreeSet<>(Arrays::compareUnsigned);
    byte[] shared = key(random, 10);
    while (keys.size() < count) {
      keys.add(random.nextInt(4) == 0 ? key(random, 12) : concatenated(shared, key(random, 10)));
    }
    return keys;
  }

  /** A key of at most that many bytes. */
  public static byte[] key(Random random, int maxBytes) {
    byte[] key = new byte[random.nextInt(maxBytes + 1)];
    for (int i = 0; i < key.length; i++) {
      key[i] = ALPHABET[random.nextInt(ALPHABET.length)];
    }
    return key;
  }

  private static byte[] concatenated(byte[] a, byte[] b) {
    byte[] both = Arrays.copyOf(a, a.length + b.length);
    System.arraycopy(b, 0, both, a.length, b.length);
    return both;
  }
}
