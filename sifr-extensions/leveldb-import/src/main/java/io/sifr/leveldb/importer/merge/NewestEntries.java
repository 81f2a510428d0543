package io.sifr.leveldb.importer.merge;

import io.sifr.leveldb.importer.source.Entry;
import io.sifr.leveldb.importer.source.EntrySource;
import java.io.IOException;
import org.jspecify.annotations.Nullable;

/** Of sorted entries the newest of each key, without keys that are deleted. */
public final class NewestEntries implements EntrySource {
  private final EntrySource all;
  private @Nullable Entry last;

  /** Of entries that ascend; they are closed with this. */
  public NewestEntries(EntrySource all) {
    this.all = all;
  }

  @Override
  public @Nullable Entry next() throws IOException {
    while (true) {
      @Nullable Entry entry = all.next();
      if (entry == null) {
        return null;
      }
      boolean isNewest = last == null || !last.isOfKeyOf(entry);
      last = entry;
      if (isNewest && !entry.isDeletion()) {
        return entry;
      }
    }
  }

  @Override
  public void close() throws IOException {
    all.close();
  }
}
