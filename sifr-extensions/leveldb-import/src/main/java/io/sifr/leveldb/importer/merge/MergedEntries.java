package io.sifr.leveldb.importer.merge;

import io.sifr.leveldb.importer.source.Entry;
import io.sifr.leveldb.importer.source.EntrySource;
import java.io.IOException;
import java.util.ArrayDeque;
import java.util.Comparator;
import java.util.Deque;
import java.util.List;
import java.util.PriorityQueue;
import org.jspecify.annotations.Nullable;

/**
 * The entries of sorted sources, sorted. A source is opened when its first entry is due and closed
 * after its last, so only those are open that overlap: of LevelDB, one of each level and all of the
 * first.
 */
public final class MergedEntries implements EntrySource {
  private static final class Head implements Comparable<Head> {
    private final EntrySource source;
    private Entry entry;

    private Head(EntrySource source, Entry entry) {
      this.source = source;
      this.entry = entry;
    }

    @Override
    public int compareTo(Head other) {
      return entry.compareTo(other.entry);
    }
  }

  private final Deque<PendingSource> pending;
  private final PriorityQueue<Head> heads = new PriorityQueue<>();

  /** The one with the smallest entry; the others are in the queue. */
  private @Nullable Head smallest;

  /** Of sources in any order. */
  public MergedEntries(List<PendingSource> sources) {
    pending =
        new ArrayDeque<>(
            sources.stream().sorted(Comparator.comparing(PendingSource::first)).toList());
  }

  @Override
  public @Nullable Entry next() throws IOException {
    while (!pending.isEmpty()
        && (smallest == null || pending.element().first().compareTo(smallest.entry) <= 0)) {
      open(pending.remove());
    }
    if (smallest == null) {
      return null;
    }
    Entry entry = smallest.entry;
    advance(smallest);
    return entry;
  }

  private void open(PendingSource due) throws IOException {
    EntrySource source = due.opening().open();
    @Nullable Entry first;
    try {
      first = source.next();
    } catch (IOException | RuntimeException | Error e) {
      source.close();
      throw e;
    }
    if (first == null) {
      source.close();
      return;
    }
    if (smallest != null) {
      heads.add(smallest);
    }
    heads.add(new Head(source, first));
    smallest = heads.poll();
  }

  private void advance(Head head) throws IOException {
    @Nullable Entry following = head.source.next();
    if (following == null) {
      smallest = heads.poll();
      head.source.close();
      return;
    }
    head.entry = following;
    @Nullable Head other = heads.peek();
    if (other != null && other.compareTo(head) < 0) {
      smallest = heads.poll();
      heads.add(head);
    }
  }

  @Override
  public void close() throws IOException {
    pending.clear();
    if (smallest != null) {
      heads.add(smallest);
      smallest = null;
    }
    for (Head head = heads.poll(); head != null; head = heads.poll()) {
      head.source.close();
    }
  }
}
