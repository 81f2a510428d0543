package io.sifr.testing;

import io.sifr.internal.entry.EntryIterator;
import io.sifr.internal.entry.EntryKind;
import io.sifr.internal.entry.range.RangeTombstones;
import io.sifr.internal.filter.KeyHash;
import io.sifr.internal.io.DiskFileSystem;
import io.sifr.internal.io.StoreFileSystem;
import io.sifr.internal.sst.block.ReadAhead;
import io.sifr.internal.sst.block.SstAccess;
import io.sifr.internal.sst.format.BlockCodecs;
import io.sifr.internal.sst.read.RunIterator;
import io.sifr.internal.sst.read.Sst;
import io.sifr.internal.sst.read.SstRun;
import io.sifr.internal.sst.write.SstWriter;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.function.BooleanSupplier;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** Real, open SSTs with the entries a test wants; closes them all. */
public final class WrittenSsts implements AutoCloseable {
  private static final int FILTER_BITS = 12;
  private static final Pattern RANGE = Pattern.compile("(\\D+)-(\\D*)(\\d+)");

  private final StoreFileSystem fileSystem = new NoSyncFileSystem(new DiskFileSystem());
  private final SstAccess access;
  private final List<Sst> written = new ArrayList<>();
  private long lastNumber;

  public WrittenSsts(Path directory) {
    this.access = SstAccess.mapped(fileSystem, directory, BlockCodecs.STANDARD);
  }

  public StoreFileSystem fileSystem() {
    return fileSystem;
  }

  /** How they are accessed. */
  public SstAccess access() {
    return access;
  }

  public long nextNumber() {
    return ++lastNumber;
  }

  /** An iterator over all slices of a run. */
  public static RunIterator iterator(SstRun run, BooleanSupplier isOutdated) {
    return new RunIterator(run, 0, run.slices().size() - 1, isOutdated, ReadAhead.Helper.NONE);
  }

  /** An open SST of those entries, which are in internal order. */
  public Sst write(List<Entry> entries) {
    return write(entries, null);
  }

  /** An open SST of those entries and range tombstones; null for none. */
  public Sst write(List<Entry> entries, @Nullable RangeTombstones ranges) {
    return write(entries, ranges, null);
  }

  /** The same with a filter. */
  public Sst writeFiltered(List<Entry> entries, @Nullable RangeTombstones ranges) {
    return write(entries, ranges, new KeyHash.Buffer(FILTER_BITS));
  }

  private Sst write(
      List<Entry> entries, @Nullable RangeTombstones ranges, KeyHash.@Nullable Buffer hashes) {
    long number = nextNumber();
    try (SstWriter writer =
            new SstWriter(
                access,
                number,
                ~number,
                0,
                access.codecs().written(),
                SstWriter.newStaging(),
                hashes);
        EntryIterator iterator = new ListEntryIterator(entries)) {
      for (boolean more = iterator.seekToFirst(); more; more = iterator.next()) {
        writer.add(iterator);
      }
      Sst sst = new Sst(writer.finish(ranges, 0));
      sst.open(access);
      written.add(sst);
      return sst;
    }
  }

  /** An open SST from text: {@code a1 b2† c3} are a key, its sequence number, and tombstones. */
  public Sst write(String drawing) {
    return write(entries(drawing));
  }

  /**
   * As above, with range tombstones as text: {@code a-m5 c-9} are first key, end, none for no end,
   * and sequence number.
   */
  public Sst write(String drawing, String ranges) {
    return write(entries(drawing), ranges(ranges));
  }

  /** Range tombstones from text; null for none. */
  public static @Nullable RangeTombstones ranges(String drawing) {
    List<RangeTombstones> all = new ArrayList<>();
    for (String range : drawing.isEmpty() ? new String[0] : drawing.split(" ", -1)) {
      Matcher parts = RANGE.matcher(range);
      if (!parts.matches()) {
        throw new IllegalArgumentException(range);
      }
      String end = parts.group(2);
      all.add(
          RangeTombstones.of(
              parts.group(1).getBytes(StandardCharsets.UTF_8),
              end.isEmpty() ? null : end.getBytes(StandardCharsets.UTF_8),
              Long.parseLong(parts.group(3))));
    }
    return RangeTombstones.merged(all);
  }

  /** Entries from text, in internal order. */
  public static List<Entry> entries(String drawing) {
    List<Entry> entries = new ArrayList<>();
    for (String entry : drawing.isEmpty() ? new String[0] : drawing.split(" ", -1)) {
      boolean tombstone = entry.endsWith("†");
      String sequence = entry.substring(1, entry.length() - (tombstone ? 1 : 0));
      entries.add(
          Entry.of(
              entry.substring(0, 1).getBytes(StandardCharsets.UTF_8),
              Long.parseLong(sequence),
              tombstone ? EntryKind.DELETE : EntryKind.PUT,
              entry.getBytes(StandardCharsets.UTF_8)));
    }
    entries.sort(null);
    return entries;
  }

  /** Copies of all entries of an SST. */
  public static List<Entry> read(Sst sst) {
    List<Entry> entries = new ArrayList<>();
    try (EntryIterator iterator = sst.reader().iterator()) {
      for (boolean more = iterator.seekToFirst(); more; more = iterator.next()) {
        entries.add(Entry.at(iterator));
      }
    }
    return entries;
  }

  /** The same as text, the other way round of {@link #write(String)}. */
  public static String draw(List<Entry> entries) {
    return String.join(
        " ",
        entries.stream()
            .map(
                entry ->
                    new String(entry.key(), StandardCharsets.UTF_8)
                        + entry.sequence()
                        + (entry.isTombstone() ? "†" : ""))
            .toList());
  }

  /** Lets the store's reference to an SST go, as a merge does whose input it was. */
  public void markObsolete(Sst sst) {
    written.remove(sst);
    sst.markObsolete(() -> {});
  }

  @Override
  public void close() {
    written.forEach(sst -> sst.markObsolete(() -> {}));
  }
}
