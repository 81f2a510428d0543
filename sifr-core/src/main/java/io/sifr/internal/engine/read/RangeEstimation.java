package io.sifr.internal.engine.read;

import io.sifr.error.SifrException;
import io.sifr.internal.compaction.pick.SpaceEstimate;
import io.sifr.internal.entry.Lookup;
import io.sifr.internal.entry.OutdatedException;
import io.sifr.internal.entry.Trailer;
import io.sifr.internal.entry.range.RangeTombstones;
import io.sifr.internal.filter.KeyHash;
import io.sifr.internal.forest.KeySpan;
import io.sifr.internal.forest.LogicalTree;
import io.sifr.internal.memtable.Memtable;
import io.sifr.internal.memtable.MemtableSample;
import io.sifr.internal.memtable.MemtableSample.Version;
import io.sifr.internal.sst.format.KeySketch;
import io.sifr.internal.sst.format.SstMeta;
import io.sifr.internal.sst.read.ClippedSst;
import io.sifr.internal.sst.read.SliceTombstones;
import io.sifr.internal.sst.read.Sst;
import io.sifr.internal.sst.read.SstSlice;
import io.sifr.internal.util.Bytes;
import io.sifr.internal.view.StoreView;
import io.sifr.internal.view.WriteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Estimates what a range holds from what is known of the SSTs, and from samples of the memtables.
 * Of the SSTs in which the range begins and ends in each tree, a part of the index is read if it is
 * not in memory, and range tombstones of files that were not opened yet; otherwise there is no I/O.
 *
 * <p>The sources are visited by priority. What range tombstones of one hide is left out of those
 * below it. Of the trees, what is dead is estimated from the samples of their keys ({@link
 * SpaceEstimate}). For the sampled keys of memtables it is checked whether the sources below hold
 * them: the memtables, and the filters of SSTs as far as they are in memory.
 *
 * <p>Used once, by one thread, in a read epoch.
 */
public final class RangeEstimation {
  /** The keys that more range tombstones hide count as not hidden. */
  private static final int MOST_GAPS = 256;

  private final StoreView view;
  private final byte[] from;
  private final byte @Nullable [] to;

  /** The part of the key range that is hidden from the source that is visited; null for nothing. */
  private @Nullable RangeTombstones above;

  private final List<List<KeySketch>> sketches = new ArrayList<>();
  private final List<Double> entriesOfTrees = new ArrayList<>();
  private double tombstonesOfOldest;
  private double fileBytes;

  /** Put and deleted keys that are live, or overwrite or delete what is below. */
  private double change;

  /** Puts and the bytes of their keys and values, for the average size of an entry. */
  private double puts;

  private double putBytes;

  RangeEstimation(StoreView view, byte @Nullable [] from, byte @Nullable [] to) {
    this.view = view;
    this.from = from == null ? Bytes.EMPTY : from;
    this.to = to;
    if (to == null || Arrays.compareUnsigned(this.from, to) < 0) {
      List<Memtable> memtables = memtables();
      for (int i = 0; i < memtables.size(); i++) {
        addMemtable(memtables.get(i), memtables.subList(i + 1, memtables.size()));
      }
      view.forest().byPriority().forEach(this::addTree);
    }
  }

  private List<Memtable> memtables() {
    List<Memtable> memtables = new ArrayList<>();
    memtables.add(view.active().memtable());
    for (WriteBuffer buffer : view.immutables()) {
      memtables.add(buffer.memtable());
    }
    return memtables;
  }

  /** Entries that a cursor would find. */
  public long entries() {
    double[] entries = entriesOfTrees.stream().mapToDouble(Double::doubleValue).toArray();
    double live =
        Arrays.stream(entries).sum()
            - tombstonesOfOldest
            - SpaceEstimate.deadEntries(sketches, entries);
    return Math.max(0, Math.round(live + change));
  }

  /** Bytes of their keys and values. */
  public long bytes() {
    return puts == 0 ? 0 : Math.round(entries() * (putBytes / puts));
  }

  /** Bytes of the files that belong to the range. */
  public long fileBytes() {
    return Math.round(fileBytes);
  }

  private void addMemtable(Memtable memtable, List<Memtable> older) {
    RangeTombstones own = memtable.rangeTombstones();
    hide(own);
    MemtableSample sample = memtable.sample(from, to);
    double weight = sample.weight();
    Tally added = new Tally();
    Tally removed = new Tally();
    for (Version version : sample.versions()) {
      byte[] key = version.key();
      long deleted =
          above == null ? 0 : above.newestCovering(key, 0, key.length, Trailer.MAX_SEQUENCE);
      if (deleted > Trailer.sequence(version.trailer())) {
        continue;
      }
      boolean isTombstone = Trailer.isTombstone(version.trailer());
      if (!isTombstone) {
        puts += weight;
        putBytes += weight * (key.length + version.valueLength());
      }
      Below below = deleted > 0 ? Below.ABSENT : below(key, older);
      if (isTombstone) {
        removed.count(below, Below.PRESENT);
      } else {
        added.count(below, Below.ABSENT);
      }
    }
    change += weight * (added.total() - removed.total());
  }

  /** Counts the keys of which a version below makes a difference: of the others as many do. */
  private static final class Tally {
    private int known;
    private int counted;
    private int unknown;

    void count(Below below, Below expected) {
      unknown += below == Below.UNKNOWN ? 1 : 0;
      known += below == Below.UNKNOWN ? 0 : 1;
      counted += below == expected ? 1 : 0;
    }

    double total() {
      return known == 0 ? unknown : counted * (1 + (double) unknown / known);
    }
  }

  /** The knowledge of a key in the sources below a memtable. */
  private enum Below {
    PRESENT,
    ABSENT,
    UNKNOWN
  }

  private Below below(byte[] key, List<Memtable> memtables) {
    Lookup lookup = new Lookup(key, 0, key.length);
    for (Memtable memtable : memtables) {
      if (memtable.get(key, 0, key.length, Trailer.MAX_SEQUENCE, lookup)) {
        return lookup.isTombstone() ? Below.ABSENT : Below.PRESENT;
      }
    }
    long hash = KeyHash.of(key, 0, key.length);
    Below found = Below.ABSENT;
    for (LogicalTree tree : view.forest().byPriority()) {
      Sst sst = tree.find(key, 0, key.length);
      if (sst != null && !sst.knows(hash)) {
        found = Below.UNKNOWN;
      } else if (sst != null && sst.mayHold(hash)) {
        return Below.PRESENT;
      }
    }
    return found;
  }

  private void addTree(LogicalTree tree) {
    Part all = new Part(tree, null);
    fileBytes += all.fileBytes;
    Part seen = above == null ? all : new Part(tree, above);
    if (seen.entries > 0) {
      sketches.add(seen.sketches);
      entriesOfTrees.add(seen.entries);
      tombstonesOfOldest = seen.tombstones;
      puts += seen.entries - seen.tombstones;
      putBytes += seen.rawBytes;
    }
    if (tree.hasRangeTombstones()) {
      hide(tombstones(tree));
    }
  }

  private @Nullable RangeTombstones tombstones(LogicalTree tree) {
    try {
      return SliceTombstones.of(slices(tree, from, to));
    } catch (SifrException | OutdatedException e) {
      return null; // they count as hiding nothing
    }
  }

  private void hide(@Nullable RangeTombstones more) {
    RangeTombstones inRange = more == null ? null : more.clipped(from, to);
    if (inRange != null) {
      above = above == null ? inRange : above.and(inRange);
    }
  }

  private static List<SstSlice> slices(LogicalTree tree, byte[] from, byte @Nullable [] to) {
    List<SstSlice> slices = tree.slices();
    int first = tree.firstEndingAtOrAfter(from, 0, from.length);
    int end = to == null ? slices.size() : 1 + tree.lastBeginningAtOrBefore(to, 0, to.length);
    return first < end ? slices.subList(first, end) : List.of();
  }

  /** The entries of a tree in the key range, without those that are hidden. */
  private final class Part {
    final List<KeySketch> sketches = new ArrayList<>();
    double entries;
    double tombstones;
    double rawBytes;
    double fileBytes;

    Part(LogicalTree tree, @Nullable RangeTombstones hidden) {
      byte[] begin = from;
      if (hidden != null) {
        int gaps = 0;
        for (RangeTombstones.Fragment fragment : hidden.fragments()) {
          if (gaps == MOST_GAPS) {
            break;
          }
          gaps++;
          add(tree, begin, fragment.from());
          byte[] after = fragment.to();
          if (after == null) {
            return;
          }
          begin = after;
        }
      }
      add(tree, begin, to);
    }

    private void add(LogicalTree tree, byte[] first, byte @Nullable [] end) {
      if (end != null && Arrays.compareUnsigned(first, end) >= 0) {
        return;
      }
      KeySpan span = KeySpan.between(first, end);
      for (SstSlice slice : slices(tree, first, end)) {
        if (span.overlaps(slice.smallestKey(), slice.largestKey())) {
          SstMeta meta = slice.sst().meta();
          double share = span.clip(slice) instanceof ClippedSst clipped ? clipped.share() : 1;
          entries += share * meta.entries();
          tombstones += share * meta.tombstones();
          rawBytes += share * meta.rawBytes();
          fileBytes += share * meta.fileBytes();
          sketches.add(meta.sketch());
        }
      }
    }
  }
}
