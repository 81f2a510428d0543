package io.sifr.inspect.salvage;

import com.google.common.collect.Range;
import io.sifr.error.CorruptionException;
import io.sifr.error.EncryptionKeyException;
import io.sifr.error.SifrException;
import io.sifr.inspect.Finding;
import io.sifr.internal.entry.EntryKind;
import io.sifr.internal.entry.ExpiringKind;
import io.sifr.internal.entry.SeparatedKind;
import io.sifr.internal.entry.SeparatedKind.Reference;
import io.sifr.internal.entry.Trailer;
import io.sifr.internal.format.FileKind;
import io.sifr.internal.offline.OfflineStore;
import io.sifr.internal.util.Key;
import io.sifr.internal.value.ValueFiles;
import io.sifr.internal.value.ValueRecord;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * Reads values from value files: those that rescued entries refer to, and those of keys whose
 * entries are lost, since a value file contains the key and the sequence number of each value.
 */
final class ValueSalvage implements AutoCloseable {
  private final OfflineStore store;
  private final ValueFiles values;
  private final SeparatedKind kind;
  private final Losses losses;
  private final Set<Finding> notes;

  /**
   * By database and key, the last value of those whose sequence number is not known: puts wrote
   * them before they had one, and to one file after the other.
   */
  private final Map<String, Map<Key, Unnumbered>> unnumbered = new TreeMap<>();

  /** A value whose sequence number is not known. */
  private record Unnumbered(long file, ValueRecord record) {}

  ValueSalvage(OfflineStore store, Losses losses, Set<Finding> notes) {
    this.store = store;
    this.values = store.values();
    this.kind = new SeparatedKind(InstantSource.fixed(Instant.EPOCH), values); // nothing expires
    this.losses = losses;
    this.notes = notes;
  }

  /** Adds all values of keys whose entries may be lost. */
  void addLost(DatabaseNames names, LogSpill spill) {
    for (long number : store.numbers(FileKind.VALUES)) {
      Path file = store.path(FileKind.VALUES, number);
      try {
        values
            .file(number)
            .scanWhole(
                record -> addIfLost(number, record, names, spill),
                e -> notes.add(new Finding(file, e.offset(), e.what())));
      } catch (EncryptionKeyException e) {
        throw e; // with the key, its values are not lost
      } catch (SifrException e) {
        notes.add(new Finding(file, 0, String.valueOf(e.getMessage())));
      }
    }
    unnumbered.forEach(
        (database, values) ->
            values.values().forEach(last -> add(last.file, last.record, database, spill)));
    unnumbered.clear();
  }

  private void addIfLost(long number, ValueRecord record, DatabaseNames names, LogSpill spill) {
    Path file = store.path(FileKind.VALUES, number);
    String database = names.of(record.databaseId(), file);
    byte[] key = record.key();
    if (database == null || !losses.cover(database, key, 0, key.length)) {
      return;
    }
    if (Trailer.sequence(record.trailer()) > 0) {
      add(number, record, database, spill);
    } else if (read(number, record) != null) {
      unnumbered
          .computeIfAbsent(database, name -> new HashMap<>())
          .put(Key.of(key), new Unnumbered(number, record));
    }
  }

  private void add(long number, ValueRecord record, String database, LogSpill spill) {
    byte[] value = read(number, record);
    if (value != null) {
      byte[] stored = record.due() == ExpiringKind.NEVER ? value : expiring(record.due(), value);
      spill.add(database, record.trailer(), record.key(), stored);
    }
  }

  /** The value of a record; null when it is damaged, which is noted. */
  private byte @Nullable [] read(long number, ValueRecord record) {
    try {
      return kind.read(record.key(), record.reference(number));
    } catch (SifrException e) {
      Path file = store.path(FileKind.VALUES, number);
      notes.add(new Finding(file, record.offset(), String.valueOf(e.getMessage())));
      return null;
    }
  }

  private static byte[] expiring(long due, byte[] value) {
    return ByteBuffer.allocate(ExpiringKind.DUE_BYTES + value.length)
        .putLong(due)
        .put(value)
        .array();
  }

  /**
   * The versions that make up the value of a key, each with its own value; none when one of these
   * is lost, which is noted.
   *
   * @param versions entries of any kind
   */
  List<NewestVersions.Version> whole(
      String database, byte[] key, long sequence, List<NewestVersions.Version> versions) {
    List<NewestVersions.Version> all = new ArrayList<>();
    for (NewestVersions.Version version : versions) {
      boolean isWhole = version.kind().code() != SeparatedKind.CODE;
      NewestVersions.Version whole =
          isWhole ? version : whole(database, key, sequence, version.value());
      if (whole == null) {
        return List.of();
      }
      all.add(whole);
    }
    return all;
  }

  private NewestVersions.@Nullable Version whole(
      String database, byte[] key, long sequence, byte[] stored) {
    Reference reference = kind.reference(key, stored);
    if (reference == null) {
      return null;
    }
    try {
      byte[] value = kind.read(key, reference);
      return reference.due() == ExpiringKind.NEVER
          ? new NewestVersions.Version(EntryKind.PUT, value)
          : new NewestVersions.Version(
              new ExpiringKind(InstantSource.system()), expiring(reference.due(), value));
    } catch (SifrException e) {
      String what =
          e instanceof CorruptionException damage ? damage.what() : String.valueOf(e.getMessage());
      losses.add(
          new Loss(
                  store.path(FileKind.VALUES, reference.file()),
                  reference.offset(),
                  reference.storedBytes(),
                  what)
              .entries(1)
              .keys(database, Range.singleton(Key.of(key)), sequence));
      return null;
    }
  }

  @Override
  public void close() {
    values.close();
  }
}
