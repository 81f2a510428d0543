package io.sifr.inspect.check;

import io.sifr.internal.entry.EntryIterator;
import io.sifr.internal.entry.SeparatedKind;
import io.sifr.internal.entry.SeparatedKind.Reference;
import io.sifr.internal.forest.Forest;
import io.sifr.internal.format.FileKind;
import io.sifr.internal.offline.OfflineStore;
import io.sifr.internal.sst.format.SstMeta;
import io.sifr.internal.sst.format.SstMeta.ValueUse;
import io.sifr.internal.sst.inspect.SstLayout;
import io.sifr.internal.sst.read.SstReader;
import io.sifr.internal.value.ValueFile;
import io.sifr.internal.value.ValueFiles;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;

/** Reads SSTs from their first byte to their last. */
final class SstCheck implements AutoCloseable {
  private final OfflineStore store;
  private final Findings findings;
  private final ValueFiles values;
  private final Map<Long, Boolean> wholeValueFiles = new HashMap<>();
  private final Set<Long> unusable = new HashSet<>();

  SstCheck(OfflineStore store, Findings findings) {
    this.store = store;
    this.findings = findings;
    this.values = store.values();
  }

  /**
   * Checks an SST of a forest: it must exist, be intact, and match the manifest.
   *
   * @param isMadeAgain whether, if it is missing, the next opening makes it again
   */
  void held(Forest forest, SstMeta meta, boolean isMadeAgain) {
    Path file = store.path(FileKind.SST, meta.number());
    boolean sound =
        findings.examine(
            file,
            () -> {
              if (store.exists(file)) {
                verify(meta, forest.databaseId());
              } else {
                String then = isMadeAgain ? "; the next opening makes it anew" : "";
                findings.add(
                    file, 0, "missing; the forest of " + forest.name() + " holds it" + then);
                unusable.add(meta.number());
              }
            });
    if (!sound) {
      unusable.add(meta.number());
    }
  }

  /** Checks an SST by itself. Returns the number of entries in its properties. */
  long lone(long number) {
    long[] entries = new long[1];
    Path file = store.path(FileKind.SST, number);
    findings.examine(
        file,
        () -> {
          try (SstReader reader = store.openSst(number)) {
            entries[0] = reader.meta().entries();
            reader.verify();
          }
        });
    return entries[0];
  }

  private void verify(SstMeta meta, int database) {
    try (SstReader reader = store.openSst(meta)) {
      reader.verify();
      if (!meta.values().isEmpty()) {
        verifyValues(reader);
      }
      SstLayout layout = SstLayout.of(reader);
      boolean isOfAny = layout.origin().databaseId() == 0; // it was ingested
      if (!isOfAny && layout.origin().databaseId() != database) {
        findings.add(
            store.path(FileKind.SST, meta.number()),
            layout.properties().offset(),
            "written for database "
                + layout.origin().databaseId()
                + ", and database "
                + database
                + " holds it");
      }
    }
  }

  /**
   * Reads the value files that an SST refers to, each once and wholly, and checks that each
   * reference leads to its value. If a file cannot be read to its end, the values are read one by
   * one. Each that is damaged is a fault of its own.
   */
  private void verifyValues(SstReader reader) {
    for (ValueUse use : reader.meta().values()) {
      var unused = isSound(use.file());
    }
    try (EntryIterator entries = reader.iterator()) {
      for (boolean more = entries.seekToFirst(); more; more = entries.next()) {
        if (SeparatedKind.is(entries.trailer())) {
          Reference reference = SeparatedKind.referenceOf(entries);
          int from = entries.keyOffset();
          long file = reference.file();
          byte[] key = Arrays.copyOfRange(entries.keyArray(), from, from + entries.keyLength());
          var unused =
              findings.examine(
                  store.path(FileKind.VALUES, file),
                  () -> {
                    if (isSound(file)) {
                      values.file(file).requireSame(reference, key);
                    } else {
                      values.file(file).verify(reference, key);
                    }
                  });
        }
      }
    }
  }

  /** Reads a value file, unless it was read before. Returns whether all its records were found. */
  boolean isSound(long number) {
    Boolean known = wholeValueFiles.get(number);
    boolean isSound = known == null ? readValues(number) : known;
    wholeValueFiles.put(number, isSound);
    return isSound;
  }

  private boolean readValues(long number) {
    Path path = store.path(FileKind.VALUES, number);
    return findings.examine(
        path,
        () -> {
          ValueFile file = values.file(number);
          file.scan(
              record -> {
                var unused =
                    findings.examine(
                        path, () -> file.verify(record.reference(number), record.key()));
              });
        });
  }

  @Override
  public void close() {
    values.close();
  }

  /** Numbers of the SSTs that cannot be read completely. */
  Set<Long> unusable() {
    return unusable;
  }
}
