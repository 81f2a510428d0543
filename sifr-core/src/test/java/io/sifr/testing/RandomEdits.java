package io.sifr.testing;

import io.sifr.internal.forest.Catalog;
import io.sifr.internal.forest.Forest;
import io.sifr.internal.forest.ForestEdit;
import io.sifr.internal.forest.LogicalTree;
import io.sifr.internal.forest.Totals;
import io.sifr.internal.sst.Sst;
import io.sifr.internal.sst.SstMeta;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.Random;
import java.util.SortedSet;
import java.util.TreeSet;

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
    } else if (kind < 8 && !forest.byPriority().isEmpty()) {
      return List.of(compaction(forest));
    }
    return flush(forest);
  }

  private List<ForestEdit> counters() {
    return List.of(
        new ForestEdit.NumbersReserved(nextNumber + random.nextInt(100)),
        new ForestEdit.SequencesReserved(nextSequence + random.nextInt(100)),
        new ForestEdit.DatabaseIdsUsed(1 + random.nextInt(20)),
        new ForestEdit.LogStart(random.nextInt(1000)),
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
    int stage = 1;
    while (forest.stage(stage).isEmpty() || (stage < forest.stageCount() && random.nextBoolean())) {
      stage = stage % forest.stageCount() + 1;
    }
    List<LogicalTree> trees = forest.stage(stage);
    List<LogicalTree> inputs = trees.subList(random.nextInt(trees.size()), trees.size());
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
