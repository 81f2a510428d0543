package io.sifr.inspect.check;

import com.google.common.collect.Table;
import com.google.common.collect.TreeBasedTable;
import io.sifr.error.SifrException;
import io.sifr.inspect.CheckProgress;
import io.sifr.internal.format.FileKind;
import io.sifr.internal.offline.OfflineStore;
import java.util.List;

/** The numbered files of a store, and how many of their bytes have been checked. */
final class CheckedFiles {
  private final OfflineStore store;
  private final CheckProgress progress;

  /** Sizes by kind and number. */
  private final Table<FileKind, Long, Long> sizes = TreeBasedTable.create();

  private final long totalBytes;
  private long doneBytes;

  /** Lists the directory. */
  CheckedFiles(OfflineStore store, CheckProgress progress) {
    this.store = store;
    this.progress = progress;
    for (FileKind kind : FileKind.values()) {
      if (kind != FileKind.TAIL) { // a copy that is checked when it is read, and made again
        store.numbers(kind).forEach(number -> sizes.put(kind, number, size(kind, number)));
      }
    }
    this.totalBytes = sizes.values().stream().mapToLong(Long::longValue).sum();
  }

  private long size(FileKind kind, long number) {
    try {
      return store.size(store.path(kind, number));
    } catch (SifrException e) {
      return 0; // reading it will fail too, and is then reported
    }
  }

  /** Numbers of the files of a kind, ascending. */
  List<Long> numbers(FileKind kind) {
    return List.copyOf(sizes.row(kind).keySet());
  }

  /** Notes that the file of that number, if it exists, has been checked. */
  void done(FileKind kind, long number) {
    Long size = sizes.get(kind, number);
    if (size != null) {
      doneBytes += size;
      progress.checked(doneBytes, totalBytes);
    }
  }

  /** Bytes checked. */
  long doneBytes() {
    return doneBytes;
  }
}
