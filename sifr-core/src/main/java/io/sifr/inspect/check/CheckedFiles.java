package io.sifr.inspect.check;

import io.sifr.error.SifrException;
import io.sifr.inspect.CheckProgress;
import io.sifr.internal.format.FileKind;
import io.sifr.internal.offline.OfflineStore;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/** The numbered files of a store, and how many of their bytes have been checked. */
final class CheckedFiles {
  private final OfflineStore store;
  private final CheckProgress progress;

  /** Kind → number → size. */
  private final Map<FileKind, Map<Long, Long>> sizes = new EnumMap<>(FileKind.class);

  private final long totalBytes;
  private long doneBytes;

  /** Lists the directory. */
  CheckedFiles(OfflineStore store, CheckProgress progress) {
    this.store = store;
    this.progress = progress;
    long total = 0;
    for (FileKind kind : FileKind.values()) {
      Map<Long, Long> ofKind = new TreeMap<>();
      store.numbers(kind).forEach(number -> ofKind.put(number, size(kind, number)));
      sizes.put(kind, ofKind);
      total += ofKind.values().stream().mapToLong(Long::longValue).sum();
    }
    this.totalBytes = total;
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
    return List.copyOf(ofKind(kind).keySet());
  }

  /** Notes that the file of that number, if it exists, has been checked. */
  void done(FileKind kind, long number) {
    Long size = ofKind(kind).get(number);
    if (size != null) {
      doneBytes += size;
      progress.checked(doneBytes, totalBytes);
    }
  }

  /** Bytes checked. */
  long doneBytes() {
    return doneBytes;
  }

  private Map<Long, Long> ofKind(FileKind kind) {
    return sizes.getOrDefault(kind, Map.of());
  }
}
