package io.sifr.inspect.salvage;

import com.google.common.collect.Range;
import com.google.common.collect.RangeSet;
import io.sifr.error.CorruptionException;
import io.sifr.inspect.Finding;
import io.sifr.internal.entry.Trailer;
import io.sifr.internal.entry.range.RangeTombstones;
import io.sifr.internal.format.FileKind;
import io.sifr.internal.offline.OfflineStore;
import io.sifr.internal.sst.format.SstMeta;
import io.sifr.internal.sst.inspect.DamagedSst;
import io.sifr.internal.sst.inspect.SstGap;
import io.sifr.internal.util.Key;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/** Reads SSTs to determine what can be rescued, to which database it belongs, and what is lost. */
final class SstSalvage {
  private static final int PAGE_BYTES = 4096;
  private static final String PERHAPS_NOT_NEEDED =
      "; the manifest does not name this SST, it may never have been finished or not be needed";

  private final OfflineStore store;
  private final boolean isManifestWhole;
  private final DatabaseNames names;
  private final Losses losses;
  private final Set<Finding> notes;
  private final Map<String, List<SalvagedSst>> byDatabase = new TreeMap<>();
  private final Map<String, List<RangeTombstones>> ranges = new TreeMap<>();
  private long ssts;

  SstSalvage(
      OfflineStore store,
      boolean isManifestWhole,
      DatabaseNames names,
      Losses losses,
      Set<Finding> notes) {
    this.store = store;
    this.isManifestWhole = isManifestWhole;
    this.names = names;
    this.losses = losses;
    this.notes = notes;
  }

  /** SSTs with something to rescue, by database. */
  Map<String, List<SalvagedSst>> byDatabase() {
    return byDatabase;
  }

  /** Range tombstones by database; they hold for all versions with smaller sequence numbers. */
  Map<String, List<RangeTombstones>> rangesByDatabase() {
    return ranges;
  }

  /** Number of SSTs with something to rescue. */
  long ssts() {
    return ssts;
  }

  void read(SourceSst source) {
    Path file = store.path(FileKind.SST, source.number());
    if (!store.exists(file)) {
      noteMissing(source, file);
      return;
    }
    try (DamagedSst sst = store.openDamagedSst(source.number(), source.meta())) {
      int id = source.databaseId() > 0 ? source.databaseId() : sst.databaseId();
      String database = id > 0 ? names.of(id, file) : null;
      if (id == 0 || database != null) {
        new Reading(source, file, sst, database).run();
      }
    }
  }

  private void noteMissing(SourceSst source, Path file) {
    String database = names.of(source.databaseId(), file);
    if (database == null) {
      return;
    }
    String what =
        isManifestWhole
            ? "the SST is missing"
            : "the SST is missing; edits that are lost may say that it was compacted";
    Loss loss = new Loss(file, 0, 0, what);
    SstMeta meta = source.meta();
    Range<Key> keys = source.bounds().span();
    losses.add(
        meta == null
            ? loss.keys(database, keys, Trailer.MAX_SEQUENCE)
            : loss.entries(meta.entries()).keys(database, keys, meta.maxSequence()));
  }

  /** One SST. */
  private final class Reading {
    private final SourceSst source;
    private final Path file;
    private final DamagedSst sst;
    private final @Nullable SstMeta meta;

    /** Null as long as it is unknown and no entry was found. */
    private @Nullable String database;

    private byte @Nullable [] firstKey;
    private byte[] lastKey = new byte[64];
    private int lastKeyLength;

    Reading(SourceSst source, Path file, DamagedSst sst, @Nullable String database) {
      this.source = source;
      this.file = file;
      this.sst = sst;
      this.database = database;
      SstMeta named = source.meta();
      this.meta = named == null ? sst.meta() : named;
    }

    void run() {
      for (boolean more = sst.seekToFirst(); more; more = sst.next()) {
        take();
      }
      byte[] first = firstKey;
      if (first != null) {
        ssts++;
        String name = database == null ? names.ofUnknown(file, source.number()) : database;
        database = name;
        byDatabase
            .computeIfAbsent(name, n -> new ArrayList<>())
            .add(
                new SalvagedSst(
                    store,
                    source,
                    sst.entries(),
                    first,
                    Arrays.copyOf(lastKey, lastKeyLength),
                    sst.fileBytes()));
      }
      for (CorruptionException fault : sst.faults()) {
        notes.add(new Finding(file, fault.offset(), fault.what()));
      }
      noteGaps();
      takeRanges();
    }

    /** Lost range tombstones are known by the manifest alone. */
    private void takeRanges() {
      RangeTombstones found = sst.rangeTombstones();
      String name = database;
      if (name == null) {
        return;
      } else if (found != null) {
        ranges.computeIfAbsent(name, n -> new ArrayList<>()).add(found);
      } else if (meta != null && meta.rangeTombstones() > 0) {
        String what =
            "range deletes are lost, "
                + meta.rangeTombstones()
                + " in number: what they deleted may be there again";
        Range<Key> keys = source.bounds().span();
        losses.add(new Loss(file, 0, 0, what).keys(name, keys, meta.maxSequence()));
      }
    }

    private void take() {
      byte[] key = sst.keyArray();
      int length = sst.keyLength();
      if (!source.takes(key, 0, length)) {
        return;
      }
      if (firstKey == null) {
        firstKey = Arrays.copyOf(key, length);
      }
      if (lastKey.length < length) {
        lastKey = new byte[2 * length];
      }
      System.arraycopy(key, 0, lastKey, 0, length);
      lastKeyLength = length;
    }

    private void noteGaps() {
      long missing = meta == null ? Loss.UNKNOWN : meta.entries() - sst.entries();
      if (missing == 0) {
        return; // the gaps contain no blocks, and were noted as a fault
      }
      long gapBytes = sst.gaps().stream().mapToLong(SstGap::bytes).sum();
      for (SstGap gap : sst.gaps()) {
        Range<Key> keys = keys(gap);
        if (keys != null) {
          Loss loss =
              new Loss(file, gap.offset(), gap.bytes(), what(gap))
                  .entries(entries(gap, missing, gapBytes));
          long newest = meta == null ? Trailer.MAX_SEQUENCE : meta.maxSequence();
          // Versions of a key lie from the newest to the oldest.
          loss.certain(gap.lastKeyBefore());
          losses.add(database == null ? loss : loss.keys(database, keys, newest));
        }
      }
    }

    private String what(SstGap gap) {
      String what = gap.what();
      if (!sst.isEndKnown() && gap.firstKeyAfter() == null) {
        what += ", or what follows the blocks";
      }
      return source.isNamed() ? what : what + PERHAPS_NOT_NEEDED;
    }

    /** The range of needed keys that a gap may have held; null when there is none. */
    private @Nullable Range<Key> keys(SstGap gap) {
      byte[] from = gap.lastKeyBefore();
      byte[] to = gap.firstKeyAfter();
      if (meta != null) {
        from = from == null ? meta.smallestKey() : from;
        to = to == null ? meta.largestKey() : to;
      }
      RangeSet<Key> needed = source.bounds().subRangeSet(Key.closed(from, to));
      return needed.isEmpty() ? null : needed.span();
    }

    private long entries(SstGap gap, long missing, long gapBytes) {
      if (missing > 0) {
        return Math.max(1, Math.round((double) missing * gap.bytes() / gapBytes));
      }
      long foundBytes = sst.fileBytes() - gapBytes;
      boolean isComparable = sst.isEndKnown() && sst.entries() > 0 && foundBytes >= PAGE_BYTES;
      return isComparable
          ? Math.max(1, Math.round((double) sst.entries() * gap.bytes() / foundBytes))
          : Loss.UNKNOWN;
    }
  }
}
