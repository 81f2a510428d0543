package io.sifr.testing;

import io.sifr.config.Compression;
import io.sifr.config.DatabaseOptions;
import io.sifr.config.KeyPrefix;
import io.sifr.internal.forest.Catalog;
import io.sifr.internal.forest.Catalog.Totals;
import io.sifr.internal.forest.Compaction;
import io.sifr.internal.forest.Forest;
import io.sifr.internal.forest.ForestEdit;
import io.sifr.internal.forest.KeySpan;
import io.sifr.internal.forest.LogEvent;
import io.sifr.internal.forest.LogHistory;
import io.sifr.internal.forest.LogicalTree;
import io.sifr.internal.forest.Retention;
import io.sifr.internal.sst.format.KeySketch;
import io.sifr.internal.sst.format.SstMeta;
import io.sifr.internal.sst.format.SstMeta.ValueUse;
import io.sifr.internal.sst.read.Sst;
import io.sifr.internal.sst.read.SstSlice;
import io.sifr.internal.util.Bytes;
import io.sifr.internal.util.Key;
import io.sifr.internal.wal.WalEnd;
import java.time.Duration;
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
    int kind = random.nextInt(21);
    if (forests.isEmpty() || kind == 0) {
      int id = catalog.nextDatabaseId() + random.nextInt(2);
      ForestEdit created = new ForestEdit.DatabaseCreated(id, "db-ä" + id);
      DatabaseOptions.Builder drawn =
          DatabaseOptions.builder()
              .mergeOperator(id % 3 == 0 ? "operator-" + id : null)
              .expireAfter(id % 3 == 1 ? Duration.ofMillis(id) : null)
              .compression(id % 2 == 0 ? null : List.of(Compression.values()).get(id % 3))
              .separateValuesFrom(id % 4)
              .compactionFilter(id % 3 == 2 ? "filter-" + id : null)
              .filterPrefix(
                  id % 5 == 1 ? KeyPrefix.ofLength(1 + id % 1024) : KeyPrefix.upTo((byte) id));
      if (id % 3 == 1) {
        drawn.index("index-" + id, "extractor").uniqueIndex("ä", "extractor-" + id);
      }
      DatabaseOptions options = drawn.build();
      return id % 2 == 0
          ? List.of(created)
          : List.of(created, new ForestEdit.DatabaseOptionsSet(id, options));
    }
    Forest forest = forests.get(random.nextInt(forests.size()));
    if (kind == 1 && forests.size() > 1) {
      return List.of(new ForestEdit.DatabaseDropped(forest.databaseId()));
    } else if (kind == 2) {
      return random.nextBoolean() ? counters() : history(forest);
    } else if (kind < 7) {
      return begun(forest);
    } else if (kind < 14 && !forest.compactions().isEmpty()) {
      return List.of(progress(forest));
    } else if (kind < 16 && !forest.compactions().isEmpty()) {
      Compaction over = any(forest.compactions());
      return List.of(new ForestEdit.CompactionEnded(forest.databaseId(), over.number()));
    } else if (kind == 20 && !forest.byPriority().isEmpty()) {
      return List.of(madeAgain(forest));
    }
    return flush(forest);
  }

  /** An SST that was lost, or a part of it, has become another one, or nothing. */
  private ForestEdit madeAgain(Forest forest) {
    LogicalTree tree = any(forest.byPriority());
    SstSlice lost = any(tree.slices());
    List<Sst> written =
        random.nextInt(4) == 0 ? List.of() : List.of(sst(lost.smallestKey(), lost.largestKey()));
    return new ForestEdit.SstMadeAgain(
        forest.databaseId(), tree.id(), lost.sst().number(), written);
  }

  private <T> T any(List<T> list) {
    return list.get(random.nextInt(list.size()));
  }

  /** A compaction of neighbours in some span into one of them or a new tree; or nothing. */
  private List<ForestEdit> begun(Forest forest) {
    List<LogicalTree> trees = forest.byPriority();
    if (trees.isEmpty()) {
      return flush(forest);
    }
    if (forest.compactions().isEmpty() && random.nextInt(5) == 0) {
      int stage = Math.max(2, forest.stageCount());
      return List.of(
          new ForestEdit.TreesMoved(
              forest.databaseId(), stage, trees.stream().map(LogicalTree::id).toList()));
    }
    int from = random.nextInt(trees.size());
    int to = from + 1 + random.nextInt(Math.min(4, trees.size() - from));
    List<LogicalTree> inputs = trees.subList(from, to);
    long number = nextNumber++;
    boolean isNew = random.nextBoolean();
    LogicalTree last = inputs.get(inputs.size() - 1);
    int stage = forest.stageOf(last.id()) + (isNew ? random.nextInt(2) : 0);
    Compaction.Shape shape = any(List.of(Compaction.Shape.values()));
    boolean mayDrop = inputs.size() == 1 && !isNew;
    Compaction compaction =
        new Compaction(
            number,
            inputs.stream().map(LogicalTree::id).toList(),
            isNew ? number : last.id(),
            shape == Compaction.Shape.DROPS && !mayDrop ? Compaction.Shape.MOVES : shape,
            List.of(random.nextBoolean() ? KeySpan.ALL : anySpan(inputs)));
    ForestEdit edit = new ForestEdit.CompactionBegun(forest.databaseId(), compaction, stage);
    try {
      var unused = catalog.apply(edit);
      return List.of(edit);
    } catch (IllegalArgumentException e) {
      return flush(forest);
    }
  }

  private KeySpan anySpan(List<LogicalTree> trees) {
    byte[] a = any(any(trees).slices()).largestKey();
    byte[] b = any(any(trees).slices()).largestKey();
    int order = Arrays.compareUnsigned(a, b);
    return order == 0 ? KeySpan.upTo(a) : new KeySpan(order < 0 ? a : b, order < 0 ? b : a);
  }

  /** Comes through the beginning of some span that is left, or all of it. */
  private ForestEdit progress(Forest forest) {
    Compaction compaction = any(forest.compactions());
    List<SstSlice> slices =
        forest.trees(compaction.inputTreeIds()).stream()
            .flatMap(tree -> tree.slices().stream())
            .sorted(Comparator.comparing(SstSlice::largestKey, Arrays::compareUnsigned))
            .toList();
    List<KeySpan> spans =
        compaction.remaining().stream().filter(span -> !within(span, slices).isEmpty()).toList();
    if (spans.isEmpty()) {
      return new ForestEdit.CompactionEnded(forest.databaseId(), compaction.number());
    }
    KeySpan rest = spans.get(random.nextInt(spans.size()));
    List<SstSlice> within = within(rest, slices);
    byte[] last = within.get(random.nextInt(within.size())).largestKey();
    KeySpan wanted =
        random.nextInt(3) > 0 || last.length == 0
            ? KeySpan.upTo(last)
            : new KeySpan(Arrays.copyOf(last, last.length - 1), last);
    KeySpan span = rest.and(wanted).orElse(rest);
    List<SstSlice> consumed = within(span, slices);
    List<Sst> written = new ArrayList<>();
    List<Long> moved = new ArrayList<>();
    if (compaction.shape() == Compaction.Shape.DROPS) {
      return new ForestEdit.CompactionProgressed(
          forest.databaseId(), compaction.number(), span, written, moved);
    }
    if (consumed.size() == 1
        && consumed.get(0) instanceof Sst sst
        && span.contains(sst.smallestKey(), sst.largestKey())) {
      moved.add(sst.number());
    } else if (!consumed.isEmpty() && random.nextInt(4) > 0) {
      byte[] above = span.above();
      byte[] end = span.last();
      byte[] smallest = above == null ? new byte[0] : Bytes.successor(above);
      byte[] largest = end == null ? last : end;
      if (Arrays.compareUnsigned(smallest, largest) <= 0) {
        written.add(sst(smallest, largest));
      }
    }
    return new ForestEdit.CompactionProgressed(
        forest.databaseId(), compaction.number(), span, written, moved);
  }

  private List<ForestEdit> counters() {
    return List.of(
        new ForestEdit.NumbersReserved(nextNumber + random.nextInt(100)),
        new ForestEdit.SequencesReserved(nextSequence + random.nextInt(100)),
        new ForestEdit.DatabaseIdsUsed(1 + random.nextInt(20)),
        new ForestEdit.LogStart(random.nextInt(1000)),
        new ForestEdit.LogClosed(new WalEnd(1000 + random.nextInt(1000), random.nextInt(1 << 30))),
        new ForestEdit.TotalsReached(
            new Totals(random.nextInt(1 << 30), 2, 3, 4, random.nextLong() >>> 1, 6)));
  }

  /** The log is retained, a little more of it or less, or not any more. */
  private List<ForestEdit> history(Forest forest) {
    long sequence = Math.max(nextSequence, catalog.nextSequence());
    nextSequence = sequence + 10;
    long number = nextNumber++;
    LogHistory known = catalog.history();
    if (known == null) {
      return List.of(
          new ForestEdit.LogRetained(
              new Retention(random.nextInt(1000), 1 + random.nextInt(1000)), sequence));
    } else if (random.nextInt(8) == 0) {
      return List.of(new ForestEdit.LogRetained(Retention.NONE, sequence));
    } else if (random.nextInt(4) == 0) {
      return List.of(new ForestEdit.SegmentsGivenBack(number - random.nextInt(20)));
    }
    int id = forest.databaseId();
    LogEvent event =
        any(
            List.of(
                new LogEvent.Created(sequence, id, forest.name(), forest.options()),
                new LogEvent.Altered(sequence, id, forest.name(), forest.options()),
                new LogEvent.Dropped(sequence, id, "gone"),
                new LogEvent.Ingested(sequence, id, Key.of(key(random, 9)), Key.of(key(random, 9))),
                new LogEvent.Skipped(sequence, sequence + 5)));
    return List.of(
        new ForestEdit.SegmentRetained(
            new LogHistory.Segment(number, 4096, random.nextInt(4096), sequence, number)),
        new ForestEdit.EventRecorded(event));
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

  private static List<SstSlice> within(KeySpan span, List<SstSlice> slices) {
    return slices.stream()
        .filter(slice -> span.overlaps(slice.smallestKey(), slice.largestKey()))
        .toList();
  }

  private Sst sst(byte[] smallest, byte[] largest) {
    int entries = 1 + random.nextInt(100_000);
    long first = nextSequence;
    nextSequence += entries;
    SstMeta meta =
        SstMetas.of(
                nextNumber++,
                random.nextLong(),
                4096L * (1 + random.nextInt(512)),
                entries,
                random.nextInt(entries + 1),
                random.nextInt(2),
                random.nextInt(1 << 22),
                random.nextBoolean() ? 0 : first,
                first,
                nextSequence - 1,
                smallest,
                largest)
            .with(sketch());
    return new Sst(
        new SstMeta(
            new SstMeta.Identity(
                meta.number(), meta.uniqueId(), meta.fileBytes(), random.nextInt(3)),
            meta.keys(),
            meta.counts(),
            meta.sequences(),
            meta.times(),
            values(),
            random.nextInt(4) == 0 ? new SstMeta.Logged(first - 1, nextSequence) : null));
  }

  private List<ValueUse> values() {
    List<ValueUse> values = new ArrayList<>();
    for (int i = random.nextInt(6) - 3; i > 0; i--) {
      values.add(new ValueUse(nextNumber++, random.nextInt(1 << 20)));
    }
    return values;
  }

  private KeySketch sketch() {
    int level = random.nextInt(20);
    long limit = 2L << (KeySketch.HASH_BITS - level);
    return KeySketch.of(level, random.longs(random.nextInt(40), 0, limit).sorted().toArray());
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
