package io.sifr.leveldb.importer.merge;

import io.sifr.leveldb.importer.source.Entry;
import io.sifr.leveldb.importer.source.EntrySource;
import java.io.BufferedInputStream;
import java.io.BufferedOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Sorts entries that come in any order. What does not fit into memory goes to files, each of them
 * sorted, which stay until their directory is deleted.
 */
public final class SortedRuns {
  private static final int BUFFER = 1 << 16;

  /** About what an entry takes on the heap, beside its bytes. */
  private static final int ENTRY_BYTES = 100;

  private static final byte[] NO_VALUE = {};

  private final Path directory;
  private final long memoryBytes;
  private final List<PendingSource> runs = new ArrayList<>();
  private List<Entry> entries = new ArrayList<>();
  private long bytes;

  /**
   * Begins to sort.
   *
   * @param directory for files; it is there
   * @param memoryBytes of the heap that may be taken, but for one entry
   */
  public SortedRuns(Path directory, long memoryBytes) {
    this.directory = directory;
    this.memoryBytes = memoryBytes;
  }

  /** Adds an entry. */
  public void add(Entry entry) throws IOException {
    entries.add(entry);
    bytes += entry.key().length + entry.value().length + ENTRY_BYTES;
    if (bytes > memoryBytes) {
      write();
    }
  }

  private void write() throws IOException {
    entries.sort(null);
    Path file = directory.resolve("run-" + runs.size());
    try (DataOutputStream out =
        new DataOutputStream(new BufferedOutputStream(Files.newOutputStream(file), BUFFER))) {
      out.writeInt(entries.size());
      for (Entry entry : entries) {
        out.writeInt(entry.key().length);
        out.write(entry.key());
        out.writeLong(entry.sequence());
        out.writeInt(entry.isDeletion() ? -1 : entry.value().length);
        out.write(entry.value());
      }
    }
    Entry first = entries.get(0);
    runs.add(
        new PendingSource(
            new Entry(first.key(), first.sequence(), first.isDeletion(), NO_VALUE),
            () -> new Run(file)));
    entries = new ArrayList<>();
    bytes = 0;
  }

  /** What was added, in sorted parts. Nothing can be added afterwards. */
  public List<PendingSource> finish() {
    if (!entries.isEmpty()) {
      entries.sort(null);
      List<Entry> sorted = entries;
      runs.add(new PendingSource(sorted.get(0), () -> new InMemory(sorted.iterator())));
    }
    return runs;
  }

  private static final class InMemory implements EntrySource {
    private final Iterator<Entry> entries;

    private InMemory(Iterator<Entry> entries) {
      this.entries = entries;
    }

    @Override
    public @Nullable Entry next() {
      return entries.hasNext() ? entries.next() : null;
    }

    @Override
    public void close() {}
  }

  /** A file that {@link #write} has written. */
  private static final class Run implements EntrySource {
    private final DataInputStream in;
    private int left;

    private Run(Path file) throws IOException {
      in = new DataInputStream(new BufferedInputStream(Files.newInputStream(file), BUFFER));
      left = in.readInt();
    }

    @Override
    public @Nullable Entry next() throws IOException {
      if (left == 0) {
        return null;
      }
      left--;
      byte[] key = in.readNBytes(in.readInt());
      long sequence = in.readLong();
      int valueLength = in.readInt();
      return valueLength < 0
          ? Entry.delete(key, sequence)
          : Entry.put(key, sequence, in.readNBytes(valueLength));
    }

    @Override
    public void close() throws IOException {
      in.close();
    }
  }
}
