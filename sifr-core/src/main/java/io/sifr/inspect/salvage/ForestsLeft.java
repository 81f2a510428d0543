package io.sifr.inspect.salvage;

import com.google.common.collect.ImmutableRangeSet;
import io.sifr.config.DatabaseOptions;
import io.sifr.internal.forest.Catalog;
import io.sifr.internal.forest.Compaction;
import io.sifr.internal.forest.Forest;
import io.sifr.internal.forest.ForestEdit;
import io.sifr.internal.forest.KeySpan;
import io.sifr.internal.forest.LogHistory;
import io.sifr.internal.forest.LogicalTree;
import io.sifr.internal.sst.format.SstMeta;
import io.sifr.internal.sst.read.Sst;
import io.sifr.internal.sst.read.SstSlice;
import io.sifr.internal.util.Key;
import io.sifr.internal.wal.WalEnd;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * Reconstructs the forests from the records of a manifest of which some may be missing. As long as
 * none is, edits lead from catalog to catalog as when a store is opened. After the first gap
 * nothing is reliable: an edit may refer to an unknown tree, and a tree that no edit mentions may
 * be gone. Then each edit is used only for what it says about SSTs: which database they belong to,
 * and which are no longer needed.
 */
final class ForestsLeft {
  /** Some keys of an SST, in a tree. */
  private record Slice(
      long number, @Nullable SstMeta meta, ImmutableRangeSet<Key> bounds, int gapsBefore) {}

  /** A tree, and the database that holds it. */
  private record Tree(int databaseId, List<Slice> slices) {
    Tree without(long number) {
      return new Tree(
          databaseId, slices.stream().filter(slice -> slice.number() != number).toList());
    }
  }

  private final Set<Long> namedSsts = new HashSet<>();
  private final Set<Long> retainedSegments = new HashSet<>();
  private Catalog catalog = Catalog.EMPTY;
  private boolean isWhole = true;
  private boolean hasSnapshot;

  // Filled after the first gap, or at the end.
  private final Map<Integer, String> names = new TreeMap<>();
  private final Map<Integer, DatabaseOptions> options = new TreeMap<>();
  private final Set<Integer> dropped = new HashSet<>();
  private final Map<Integer, Long> flushed = new HashMap<>();
  private final Map<Long, Tree> trees = new TreeMap<>();

  private record Begun(Compaction compaction, int gapsBefore) {}

  /** Compactions that have begun, by number. */
  private final Map<Long, Begun> compactions = new HashMap<>();

  private int gaps;

  private long firstSegment;
  private @Nullable WalEnd logClosed;

  /** Applies a group of edits. */
  void record(List<ForestEdit> group) {
    group.forEach(this::noteSsts);
    // The totals end a snapshot: see Catalog.toEdits.
    hasSnapshot |= group.stream().anyMatch(ForestEdit.TotalsReached.class::isInstance);
    if (isWhole) {
      try {
        catalog = catalog.apply(group);
        return;
      } catch (IllegalArgumentException e) {
        gap();
      }
    }
    group.forEach(this::takeFor);
  }

  /** Notes that records are missing at this point. */
  void gap() {
    if (isWhole) {
      isWhole = false;
      fill();
    }
    gaps++;
  }

  /** Whether no record was missing and none failed to fit. */
  boolean isWhole() {
    return isWhole;
  }

  /** Whether the snapshot that a manifest begins with was read to its end. */
  boolean hasSnapshot() {
    return hasSnapshot;
  }

  /** The result. To be called once, at the end. */
  StoreKnowledge knowledge() {
    if (isWhole) {
      fill();
    }
    return new StoreKnowledge(
        isWhole,
        new StoreKnowledge.Databases(names, options, dropped, flushed),
        new StoreKnowledge.Log(firstSegment, logClosed, retainedSegments),
        ssts(),
        namedSsts);
  }

  private void noteSsts(ForestEdit edit) {
    List<Sst> written = List.of();
    if (edit instanceof ForestEdit.TreeAdded added) {
      written = added.ssts();
    } else if (edit instanceof ForestEdit.CompactionProgressed progressed) {
      written = progressed.written();
      namedSsts.addAll(progressed.movedSsts());
    } else if (edit instanceof ForestEdit.SstMadeAgain made) {
      written = made.written();
      namedSsts.add(made.number());
    }
    written.forEach(sst -> namedSsts.add(sst.number()));
  }

  private void fill() {
    for (int id = 1; id < catalog.nextDatabaseId(); id++) {
      Forest forest = catalog.forest(id).orElse(null);
      if (forest == null) {
        dropped.add(id);
      } else {
        names.put(id, forest.name());
        options.put(id, forest.options());
        flushed.put(id, forest.flushedSequence());
        fill(forest);
      }
    }
    firstSegment = catalog.firstSegment();
    logClosed = catalog.logClosed();
    LogHistory history = catalog.history();
    if (history != null) {
      history.segments().forEach(segment -> retainedSegments.add(segment.number()));
    }
  }

  /** Notes the slices of SSTs that the trees of a forest hold. */
  private void fill(Forest forest) {
    for (LogicalTree tree : forest.byPriority()) {
      trees.put(tree.id(), new Tree(forest.databaseId(), slices(tree.slices())));
    }
    forest.compactions().forEach(begun -> compactions.put(begun.number(), new Begun(begun, gaps)));
  }

  private void takeFor(ForestEdit edit) {
    if (edit instanceof ForestEdit.DatabaseCreated created) {
      names.put(created.databaseId(), created.name());
    } else if (edit instanceof ForestEdit.DatabaseOptionsSet set) {
      options.put(set.databaseId(), set.options());
    } else if (edit instanceof ForestEdit.DatabaseDropped drop) {
      names.remove(drop.databaseId());
      options.remove(drop.databaseId());
      dropped.add(drop.databaseId());
      trees.values().removeIf(tree -> tree.databaseId() == drop.databaseId());
    } else if (edit instanceof ForestEdit.TreeAdded added) {
      add(added.treeId(), added.databaseId(), slices(added.slices()));
    } else if (edit instanceof ForestEdit.FlushedTo to) {
      flushed.merge(to.databaseId(), to.sequence(), Math::max);
    } else if (edit instanceof ForestEdit.LogStart start) {
      firstSegment = Math.max(firstSegment, start.firstSegment());
      logClosed = null;
    } else if (edit instanceof ForestEdit.LogClosed closed) {
      logClosed = closed.end();
    } else if (edit instanceof ForestEdit.CompactionBegun begun) {
      compactions.put(begun.compaction().number(), new Begun(begun.compaction(), gaps));
    } else if (edit instanceof ForestEdit.CompactionProgressed progressed) {
      progress(progressed);
    } else if (edit instanceof ForestEdit.SstMadeAgain made) {
      trees.replaceAll((id, tree) -> tree.without(made.number()));
      add(made.treeId(), made.databaseId(), slices(made.written()));
    }
  }

  private void progress(ForestEdit.CompactionProgressed progress) {
    List<Slice> output = slices(progress.written());
    Map<Long, SstMeta> movable = new HashMap<>();
    Begun begun = compactions.get(progress.number());
    for (long input : begun == null ? List.<Long>of() : begun.compaction().inputTreeIds()) {
      Tree tree = trees.get(input);
      if (tree != null) {
        for (Slice slice : tree.slices()) {
          if (slice.meta() != null) {
            movable.put(slice.number(), slice.meta());
          }
        }
        trees.put(input, new Tree(tree.databaseId(), left(tree.slices(), progress.span(), begun)));
      }
    }
    for (long moved : progress.movedSsts()) {
      // Only whole SSTs are moved.
      SstMeta meta = movable.get(moved);
      output.add(meta == null ? new Slice(moved, null, SourceSst.ALL_KEYS, gaps) : whole(meta));
    }
    // If its beginning is lost, its number serves as that of its tree: numbers are unique across
    // both.
    long outputTreeId = begun == null ? progress.number() : begun.compaction().outputTreeId();
    add(outputTreeId, progress.databaseId(), output);
  }

  private void add(long treeId, int databaseId, List<Slice> slices) {
    Tree tree = trees.computeIfAbsent(treeId, id -> new Tree(databaseId, new ArrayList<>()));
    List<Slice> all = new ArrayList<>(tree.slices());
    all.addAll(slices);
    trees.put(treeId, new Tree(databaseId, all));
  }

  private List<Slice> slices(List<? extends SstSlice> held) {
    List<Slice> slices = new ArrayList<>();
    for (SstSlice slice : held) {
      ImmutableRangeSet<Key> bounds = between(slice.smallestKey(), slice.largestKey());
      slices.add(new Slice(slice.sst().number(), slice.sst().meta(), bounds, gaps));
    }
    return slices;
  }

  private Slice whole(SstMeta meta) {
    return new Slice(meta.number(), meta, between(meta.smallestKey(), meta.largestKey()), gaps);
  }

  private static ImmutableRangeSet<Key> between(byte[] smallest, byte[] largest) {
    return ImmutableRangeSet.of(Key.closed(smallest, largest));
  }

  /**
   * What is left of slices of an input. An SST that was in it before a gap may have been moved to
   * another tree within the gap: a compaction that began later says nothing about it.
   */
  private static List<Slice> left(List<Slice> slices, KeySpan span, @Nullable Begun begun) {
    List<Slice> known = new ArrayList<>(slices);
    known.removeIf(slice -> begun != null && slice.gapsBefore() < begun.gapsBefore());
    List<Slice> left = without(known, span);
    slices.stream().filter(slice -> !known.contains(slice)).forEach(left::add);
    return left;
  }

  /** What is left of slices after a compaction has processed a key range. */
  private static List<Slice> without(List<Slice> slices, KeySpan span) {
    ImmutableRangeSet<Key> merged = ImmutableRangeSet.of(span.range());
    List<Slice> left = new ArrayList<>();
    for (Slice slice : slices) {
      ImmutableRangeSet<Key> bounds = slice.bounds().difference(merged);
      if (!bounds.isEmpty()) {
        left.add(new Slice(slice.number(), slice.meta(), bounds, slice.gapsBefore()));
      }
    }
    return left;
  }

  private List<SourceSst> ssts() {
    Map<Long, SourceSst> byNumber = new TreeMap<>();
    for (Tree tree : trees.values()) {
      for (Slice slice : tree.slices()) {
        SourceSst known = byNumber.get(slice.number());
        ImmutableRangeSet<Key> bounds =
            known == null ? slice.bounds() : known.bounds().union(slice.bounds());
        byNumber.put(
            slice.number(),
            new SourceSst(slice.number(), tree.databaseId(), slice.meta(), bounds, true));
      }
    }
    return List.copyOf(byNumber.values());
  }
}
