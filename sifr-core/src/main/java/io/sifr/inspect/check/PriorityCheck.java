package io.sifr.inspect.check;

import com.google.common.collect.Iterators;
import com.google.common.collect.PeekingIterator;
import io.sifr.inspect.check.TreeKeyIterator.TreeKey;
import io.sifr.internal.entry.range.RangeTombstones;
import io.sifr.internal.forest.Forest;
import io.sifr.internal.forest.LogicalTree;
import io.sifr.internal.format.FileKind;
import io.sifr.internal.offline.OfflineStore;
import io.sifr.internal.sst.read.Sst;
import io.sifr.internal.sst.read.SstReader;
import io.sifr.internal.sst.read.SstSlice;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;

/**
 * Checks I1: for one user key, what a tree of higher priority holds, range tombstones included, is
 * newer than what a tree of lower priority holds. A reader takes the version of the first tree that
 * has a key, so where this does not hold it sees an old value.
 *
 * <p>It certainly holds when the sequence numbers of the trees do not overlap, which is usual after
 * flushes and compactions. Only if they do, all trees are read together and compared key by key.
 */
final class PriorityCheck {
  private final OfflineStore store;
  private final List<LogicalTree> trees;
  private final Set<Long> unusable;
  private final Map<List<Long>, Violation> violations = new LinkedHashMap<>();

  /** The range tombstones of the trees that have some, by priority. */
  private final Map<Integer, RangeTombstones> ranges = new TreeMap<>();

  /**
   * @param unusable numbers of SSTs to skip
   */
  PriorityCheck(OfflineStore store, Forest forest, Set<Long> unusable) {
    this.store = store;
    this.trees = forest.byPriority();
    this.unusable = unusable;
  }

  void run(Findings findings) {
    if (sequencesOverlap()) {
      readRanges();
      compareKeys();
      violations.values().forEach(violation -> findings.add(violation.file, 0, violation.text()));
    }
  }

  private boolean sequencesOverlap() {
    long oldest = Long.MAX_VALUE;
    for (LogicalTree tree : trees) {
      long newest = tree.ssts().stream().mapToLong(sst -> sst.meta().maxSequence()).max().orElse(0);
      if (newest >= oldest) {
        return true;
      }
      for (Sst sst : tree.ssts()) {
        oldest = Math.min(oldest, sst.meta().minSequence());
      }
    }
    return false;
  }

  private void readRanges() {
    for (int i = 0; i < trees.size(); i++) {
      List<RangeTombstones> ofTree = new ArrayList<>();
      for (SstSlice slice : trees.get(i).slices()) {
        Sst sst = slice.sst();
        if (sst.hasRangeTombstones() && !unusable.contains(sst.number())) {
          try (SstReader reader = store.openSst(sst.meta())) {
            RangeTombstones whole = reader.rangeTombstones();
            RangeTombstones some = whole == null ? null : slice.clip(whole);
            ofTree.addAll(some == null ? List.of() : List.of(some));
          }
        }
      }
      RangeTombstones all = RangeTombstones.merged(ofTree);
      if (all != null) {
        ranges.put(i, all);
      }
    }
  }

  private void compareKeys() {
    List<TreeKeyIterator> iterators = new ArrayList<>();
    try {
      for (LogicalTree tree : trees) {
        iterators.add(new TreeKeyIterator(store, tree, iterators.size(), unusable));
      }
      PeekingIterator<TreeKey> keys =
          Iterators.peekingIterator(Iterators.mergeSorted(iterators, TreeKey.ORDER));
      while (keys.hasNext()) {
        List<TreeKey> sameKey = new ArrayList<>(List.of(keys.next()));
        while (keys.hasNext() && sameKey.get(0).hasKeyOf(keys.peek())) {
          sameKey.add(keys.next());
        }
        compareVersions(sameKey);
      }
    } finally {
      iterators.forEach(TreeKeyIterator::close);
    }
  }

  /**
   * @param sameKey what all trees hold of a key, highest priority first
   */
  private void compareVersions(List<TreeKey> sameKey) {
    TreeKey oldest = sameKey.get(0);
    for (TreeKey lower : sameKey.subList(1, sameKey.size())) {
      if (lower.newest() >= oldest.oldest()) {
        Path other = store.path(FileKind.SST, oldest.sst());
        note(oldest.tree(), lower, oldest.oldest() + " in " + other.getFileName());
      }
      if (lower.oldest() < oldest.oldest()) {
        oldest = lower;
      }
    }
    for (TreeKey key : sameKey) {
      compareWithRanges(key);
    }
  }

  private void compareWithRanges(TreeKey at) {
    ranges.forEach(
        (priority, tombstones) -> {
          byte[] key = at.key().bytes();
          long oldest = tombstones.oldestHiding(key, 0, key.length, 0);
          if (priority < at.priority() && at.newest() >= oldest) {
            long tree = trees.get(priority).id();
            note(tree, at, oldest + " in a range tombstone of tree " + tree);
          }
        });
  }

  /**
   * @param what what the tree of higher priority has: its sequence number and where it is
   */
  private void note(long higherTree, TreeKey lower, String what) {
    violations.computeIfAbsent(
            List.of(higherTree, lower.tree()), pair -> new Violation(lower, what))
        .keys++;
  }

  /**
   * A tree that hides newer versions in another one: the first such key, and the number of keys.
   */
  private final class Violation {
    private final Path file;
    private final String first;
    private long keys;

    private Violation(TreeKey lower, String what) {
      file = store.path(FileKind.SST, lower.sst());
      first =
          "key %s has sequence number %d here, but %s, which has priority"
              .formatted(lower.key(), lower.newest(), what);
    }

    private String text() {
      return first + (keys == 1 ? "" : "; the same holds for " + keys + " keys of the two trees");
    }
  }
}
