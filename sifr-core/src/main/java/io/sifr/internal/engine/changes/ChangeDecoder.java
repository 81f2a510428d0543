package io.sifr.internal.engine.changes;

import static com.google.common.base.Preconditions.checkArgument;

import io.sifr.error.CorruptionException;
import io.sifr.event.Change;
import io.sifr.internal.entry.EntryKind;
import io.sifr.internal.entry.EntryKinds.MergeKind;
import io.sifr.internal.entry.ExpiringKind;
import io.sifr.internal.entry.OutdatedException;
import io.sifr.internal.entry.SeparatedKind;
import io.sifr.internal.entry.SeparatedKind.Reference;
import io.sifr.internal.forest.Catalog;
import io.sifr.internal.forest.Forest;
import io.sifr.internal.forest.IndexName;
import io.sifr.internal.forest.LogEvent;
import io.sifr.internal.forest.LogHistory;
import io.sifr.internal.wal.Operations;
import io.sifr.internal.wal.WalSegmentReader;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** Turns records of the log and events of the manifest into changes. Used by one thread. */
final class ChangeDecoder {
  private final Supplier<Catalog> catalog;
  private final SeparatedKind values;
  private final Operations.Reader reader = new Operations.Reader();

  /** Names never change, and ids are never used again. */
  private final Map<Integer, String> names = new HashMap<>();

  /**
   * @param values the kind of puts whose values are in value files
   */
  ChangeDecoder(Supplier<Catalog> catalog, SeparatedKind values) {
    this.catalog = catalog;
    this.values = values;
  }

  /**
   * The write in the record at which a reader is, without the entries of indexes, which follow from
   * it; null when nothing of it is left, because all its databases were dropped and their names are
   * not known any more.
   */
  @Nullable Change write(WalSegmentReader record) {
    List<Change.Operation> operations = new ArrayList<>(record.operationCount());
    record.visit(
        (first, count, bytes, offset, length) -> {
          try {
            reader.reset(bytes, offset, length);
            int found = 0;
            long sequence = first;
            while (reader.next()) {
              found++;
              String database = nameOf(reader.databaseId());
              if (database != null && !IndexName.isOne(database)) {
                operations.add(operation(database, sequence));
              }
              sequence++;
            }
            checkArgument(found == count, "there are %s operations, it tells of %s", found, count);
          } catch (IllegalArgumentException e) {
            throw new CorruptionException(
                record.path(), record.offset(), "in an intact record, " + e.getMessage());
          }
        });
    long first = record.firstSequence();
    return operations.isEmpty()
        ? null
        : new Change.Write(first, first + record.operationCount() - 1, operations);
  }

  private Change.Operation operation(String database, long sequence) {
    int code = reader.kind();
    byte[] key = copy(reader.keyOffset(), reader.keyLength());
    byte[] value = copy(reader.valueOffset(), reader.valueLength());
    return switch (code) {
      case EntryKind.CODE_OF_PUT -> of(Change.Kind.PUT, database, key, value, null);
      case EntryKind.CODE_OF_DELETE -> of(Change.Kind.DELETE, database, key, null, null);
      case EntryKind.CODE_OF_RANGE_DELETE ->
          of(Change.Kind.DELETE_RANGE, database, key, reader.rangeTo(), null);
      case MergeKind.CODE -> of(Change.Kind.MERGE, database, key, value, null);
      case ExpiringKind.CODE -> expiring(database, key, value);
      case SeparatedKind.CODE -> separated(database, key, sequence);
      default -> of(Change.Kind.OTHER, database, key, value, null);
    };
  }

  /** A put whose value is in a value file, which may be gone when the put was flushed. */
  private Change.Operation separated(String database, byte[] key, long sequence) {
    Reference reference = reader.reference();
    boolean expires = reference.due() != ExpiringKind.NEVER;
    byte[] value;
    try {
      value = values.read(key, reference);
    } catch (CorruptionException | IllegalStateException | OutdatedException e) {
      if (isFlushed(reader.databaseId(), sequence)) {
        throw new ValueGoneException();
      }
      throw e;
    }
    return new Change.Operation(
        Change.Kind.PUT,
        expires ? ExpiringKind.CODE : EntryKind.CODE_OF_PUT,
        database,
        key,
        value,
        expires ? Instant.ofEpochMilli(reference.due()) : null);
  }

  private boolean isFlushed(int databaseId, long sequence) {
    return catalog
        .get()
        .forest(databaseId)
        .filter(forest -> sequence > forest.flushedSequence())
        .isEmpty();
  }

  /** A value in the log is gone, since it was flushed and then dropped. */
  static final class ValueGoneException extends RuntimeException {
    private static final long serialVersionUID = 1;

    private ValueGoneException() {
      super("a value is gone", null, false, false);
    }
  }

  private Change.Operation expiring(String database, byte[] key, byte[] stored) {
    checkArgument(
        stored.length >= ExpiringKind.DUE_BYTES, "an expiring value has %s bytes", stored.length);
    return of(
        Change.Kind.PUT,
        database,
        key,
        ExpiringKind.valueOf(stored),
        Instant.ofEpochMilli(ExpiringKind.due(stored)));
  }

  private Change.Operation of(
      Change.Kind kind,
      String database,
      byte[] key,
      byte @Nullable [] value,
      @Nullable Instant expiresAt) {
    return new Change.Operation(kind, reader.kind(), database, key, value, expiresAt);
  }

  private byte[] copy(int offset, int length) {
    return Arrays.copyOfRange(reader.array(), offset, offset + length);
  }

  /** The change that events with one sequence number are; null for none. */
  @Nullable Change event(List<LogEvent> events) {
    LogEvent event = events.get(0);
    long sequence = event.sequence();
    if (event instanceof LogEvent.Created created) {
      return new Change.DatabaseCreated(sequence, created.name(), created.options());
    } else if (event instanceof LogEvent.Altered altered) {
      return new Change.DatabaseAltered(sequence, altered.name(), altered.options());
    } else if (event instanceof LogEvent.Dropped dropped) {
      return new Change.DatabaseDropped(sequence, dropped.name());
    }
    List<Change.Range> ranges = new ArrayList<>();
    for (LogEvent part : events) {
      if (part instanceof LogEvent.Ingested ingested) {
        String database = nameOf(ingested.databaseId());
        if (database != null) {
          ranges.add(
              new Change.Range(
                  database, ingested.first().bytes().clone(), ingested.last().bytes().clone()));
        }
      }
    }
    return ranges.isEmpty() ? null : new Change.Ingested(sequence, ranges);
  }

  private @Nullable String nameOf(int databaseId) {
    String known = names.get(databaseId);
    if (known != null) {
      return known;
    }
    Catalog current = catalog.get();
    LogHistory history = current.history();
    String name =
        current
            .forest(databaseId)
            .map(Forest::name)
            .orElse(history == null ? null : history.nameOf(databaseId));
    if (name != null) {
      names.put(databaseId, name);
    }
    return name;
  }
}
