package io.sifr.event;

import io.sifr.config.DatabaseOptions;
import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A change of a store: a write, whole as a batch is; a database that was created, altered or
 * dropped; or files that were ingested. Changes are in one order, that of their sequence numbers.
 * Immutable, except for the arrays, which belong to the receiver.
 */
public sealed interface Change {
  /** Its sequence number; that of a write's first operation. */
  long firstSequence();

  /**
   * Its last sequence number: the state of a store that contains the change and all before it is
   * that of a snapshot with this number. The next change is read from this number plus 1.
   */
  default long lastSequence() {
    return firstSequence();
  }

  /**
   * A put, delete, merge, range delete, or a batch of them, which happened at once.
   *
   * @param firstSequence of its first operation
   * @param lastSequence of its last operation
   * @param operations in their order; later ones count more
   */
  record Write(long firstSequence, long lastSequence, List<Operation> operations)
      implements Change {
    /** With a copy of the list. */
    public Write {
      operations = List.copyOf(operations);
    }
  }

  /** A database was created, with these options. */
  record DatabaseCreated(long firstSequence, String database, DatabaseOptions options)
      implements Change {}

  /** A database has these options from now on. */
  record DatabaseAltered(long firstSequence, String database, DatabaseOptions options)
      implements Change {}

  /** A database was dropped, with all it held. */
  record DatabaseDropped(long firstSequence, String database) implements Change {}

  /**
   * Files were ingested, or entries loaded in bulk. The entries are not in the log: whoever needs
   * them reads the ranges from the store.
   *
   * @param ranges what they may have changed, one range for each database
   */
  record Ingested(long firstSequence, List<Range> ranges) implements Change {
    /** With a copy of the list. */
    public Ingested {
      ranges = List.copyOf(ranges);
    }
  }

  /** Keys of a database. */
  final class Range {
    private final String database;
    private final byte[] first;
    private final byte[] last;

    /**
     * @param database its name
     * @param first the first key
     * @param last the last key, which belongs to the range
     */
    public Range(String database, byte[] first, byte[] last) {
      this.database = database;
      this.first = first;
      this.last = last;
    }

    /** Name of the database. */
    public String database() {
      return database;
    }

    /** The first key. */
    public byte[] first() {
      return first;
    }

    /** The last key, which belongs to the range. */
    public byte[] last() {
      return last;
    }
  }

  /** The kind of an operation. */
  enum Kind {
    /** The key has the value. */
    PUT,
    /** The key has no value. */
    DELETE,
    /** The value is an operand, which changes the value of the key by the merge operator. */
    MERGE,
    /** The keys of a range have no values. */
    DELETE_RANGE,
    /** Something of which this version knows only the {@link Operation#code}. */
    OTHER
  }

  /** An operation of a write. */
  final class Operation {
    private final Kind kind;
    private final int code;
    private final String database;
    private final byte[] key;
    private final byte @Nullable [] value;
    private final @Nullable Instant expiresAt;

    /**
     * @param kind what it does
     * @param code its number in the log
     * @param database name of the database
     * @param key see {@link #key}
     * @param value see {@link #value}
     * @param expiresAt see {@link #expiresAt}
     */
    public Operation(
        Kind kind,
        int code,
        String database,
        byte[] key,
        byte @Nullable [] value,
        @Nullable Instant expiresAt) {
      this.kind = kind;
      this.code = code;
      this.database = database;
      this.key = key;
      this.value = value;
      this.expiresAt = expiresAt;
    }

    /** What it does. */
    public Kind kind() {
      return kind;
    }

    /** Its number in the log, by which kinds are distinguished that this version does not know. */
    public int code() {
      return code;
    }

    /** Name of the database. */
    public String database() {
      return database;
    }

    /** The key; the first one of a range. */
    public byte[] key() {
      return key;
    }

    /**
     * The value, or the operand of a merge; of a range delete the key after the last one, null if
     * there is none; null for a delete.
     */
    public byte @Nullable [] value() {
      return value;
    }

    /** When the value of a put expires; null if it does not. */
    public @Nullable Instant expiresAt() {
      return expiresAt;
    }
  }
}
