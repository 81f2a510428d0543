package io.sifr.web;

import com.fasterxml.jackson.core.JsonGenerator;
import io.sifr.Cursor;
import io.sifr.Database;
import io.sifr.KeyRange;
import io.sifr.ReadOptions;
import io.sifr.Snapshot;
import io.sifr.Store;
import io.sifr.ValueReader;
import io.sifr.error.SifrException;
import java.io.IOException;
import java.time.Instant;
import java.util.ArrayDeque;
import java.util.Arrays;
import java.util.Deque;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Pages of entries, and parts of values. What is read for one request is bounded. */
final class Entries {
  static final Set<String> PARAMETERS =
      Set.of("database", "prefix", "from", "after", "before", "end", "limit");

  private static final int MOST_KEY_BYTES = 1 << 16;
  private static final int MOST_ENTRIES = 200;
  private static final int USUAL_ENTRIES = 50;

  /** Of keys and values of one page; the entry that exceeds it is the last. */
  private static final int MOST_PAGE_BYTES = 512 << 10;

  /** Of a value on a page of entries. */
  private static final int VALUE_BYTES = 256;

  /** Larger values are read in part: copying less than that is cheaper than finding it again. */
  private static final int COPIED_BYTES = 4 << 10;

  private static final int MOST_PART_BYTES = 64 << 10;
  private static final int USUAL_PART_BYTES = 4 << 10;

  private Entries() {}

  /**
   * An entry as a page shows it.
   *
   * @param value the first bytes of the value; null if it cannot be read
   * @param problem why it cannot
   */
  @SuppressWarnings("ArrayRecordComponent") // never compared
  private record Shown(
      byte[] key,
      int length,
      byte @Nullable [] value,
      @Nullable Instant expires,
      @Nullable String problem) {
    int bytes() {
      return key.length + (value == null ? 0 : value.length);
    }
  }

  /** The place at which a page begins, and the direction in which it is read. */
  @SuppressWarnings("ArrayRecordComponent") // never compared
  private record Place(byte @Nullable [] key, boolean isIncluded, boolean isForward) {
    static Place of(Parameters given) {
      int count = 0;
      for (String name : new String[] {"from", "after", "before", "end"}) {
        count += given.has(name) ? 1 : 0;
      }
      if (count > 1) {
        throw Parameters.bad("allowed: at most one of the parameters from, after, before, end");
      }
      byte[] from = given.bytes("from", MOST_KEY_BYTES);
      byte[] after = given.bytes("after", MOST_KEY_BYTES);
      byte[] before = given.bytes("before", MOST_KEY_BYTES);
      if (before != null) {
        return new Place(before, false, false);
      } else if (given.has("end")) {
        var unused = given.choice("end", "true");
        return new Place(null, false, false);
      }
      return from == null ? new Place(after, false, true) : new Place(from, true, true);
    }

    /** Moves a cursor to the first entry in the direction; whether there is one. */
    boolean begin(Cursor cursor) {
      if (key == null) {
        return isForward ? cursor.first() : cursor.last();
      } else if (!isForward) {
        return cursor.seekBefore(key);
      }
      boolean isFound = cursor.seek(key);
      if (isFound && !isIncluded && Arrays.equals(cursor.key(), key)) {
        return cursor.next();
      }
      return isFound;
    }

    boolean step(Cursor cursor) {
      return isForward ? cursor.next() : cursor.previous();
    }
  }

  /** A page that is being read. */
  private static final class Page {
    private final Database database;
    private final ReadOptions moment;
    private final Place place;

    /** In the order of keys, whatever the direction is. */
    private final Deque<Shown> entries = new ArrayDeque<>();

    private boolean isMoreAhead;
    private boolean isMoreBehind;
    private @Nullable String problem;

    Page(Database database, ReadOptions moment, Place place) {
      this.database = database;
      this.moment = moment;
      this.place = place;
    }

    void read(KeyRange range, int limit) {
      try (Cursor cursor = database.cursor(range, moment)) {
        long bytes = 0;
        boolean isThere = place.begin(cursor);
        while (isThere && entries.size() < limit && bytes < MOST_PAGE_BYTES) {
          Shown shown = shown(cursor);
          bytes += shown.bytes();
          if (place.isForward()) {
            entries.addLast(shown);
          } else {
            entries.addFirst(shown);
          }
          isThere = place.step(cursor);
        }
        isMoreAhead = isThere;
        isMoreBehind = isAnyBehind(cursor);
      } catch (SifrException e) {
        problem = e.getMessage();
      }
    }

    private boolean isAnyBehind(Cursor cursor) {
      if (place.key() == null) {
        return false;
      }
      if (place.isForward()) {
        Shown first = entries.peekFirst();
        return cursor.seekBefore(first == null ? place.key() : first.key());
      }
      return cursor.seek(place.key());
    }

    private Shown shown(Cursor cursor) {
      byte[] key = cursor.key();
      try {
        int length = cursor.valueLength();
        byte[] value;
        if (length <= COPIED_BYTES) {
          byte[] whole = cursor.value();
          value = Arrays.copyOf(whole, Math.min(length, VALUE_BYTES));
        } else {
          value = new byte[VALUE_BYTES];
          int unused = database.read(key, 0, value.length, value, moment);
        }
        return new Shown(key, length, value, cursor.expiresAt(), null);
      } catch (SifrException e) {
        return new Shown(key, 0, null, null, e.getMessage());
      }
    }

    void write(JsonGenerator json) throws IOException {
      json.writeBooleanField("previous", place.isForward() ? isMoreBehind : isMoreAhead);
      json.writeBooleanField("next", place.isForward() ? isMoreAhead : isMoreBehind);
      if (problem != null) {
        json.writeStringField("problem", problem);
      }
      json.writeArrayFieldStart("entries");
      for (Shown entry : entries) {
        json.writeStartObject();
        json.writeStringField("key", Json.hex(entry.key()));
        if (entry.value() != null) {
          json.writeNumberField("length", entry.length());
          json.writeStringField("value", Json.hex(entry.value()));
        }
        if (entry.expires() != null) {
          json.writeNumberField("expires", entry.expires().toEpochMilli());
        }
        if (entry.problem() != null) {
          json.writeStringField("problem", entry.problem());
        }
        json.writeEndObject();
      }
      json.writeEndArray();
    }
  }

  /** A page of entries, all of one moment. */
  static byte[] page(Store store, Database database, Parameters given) {
    int limit = given.number("limit", USUAL_ENTRIES, 1, MOST_ENTRIES);
    Place place = Place.of(given);
    byte[] prefix = given.bytes("prefix", MOST_KEY_BYTES);
    KeyRange range = prefix == null ? KeyRange.all() : KeyRange.prefix(prefix);
    try (Snapshot snapshot = store.snapshot()) {
      Page page = new Page(database, ReadOptions.at(snapshot), place);
      page.read(range, limit);
      return Json.object(page::write);
    }
  }

  /** A part of a value. */
  static byte[] value(Database database, Parameters given) {
    byte[] key = given.bytes("key", MOST_KEY_BYTES);
    int from = given.number("from", 0, 0, Integer.MAX_VALUE);
    int length = given.number("length", USUAL_PART_BYTES, 1, MOST_PART_BYTES);
    if (key == null) {
      throw Parameters.bad("parameter key is missing");
    }
    try (ValueReader reader = database.valueReader(key, ReadOptions.DEFAULT)) {
      if (reader == null) {
        throw new RefusedException(RefusedException.NOT_FOUND, "the key has no value");
      }
      byte[] part = new byte[Math.max(0, Math.min(length, reader.length() - from))];
      if (part.length > 0) {
        reader.read(from, part, 0, part.length);
      }
      return Json.object(
          json -> {
            json.writeNumberField("length", reader.length());
            json.writeNumberField("from", from);
            json.writeStringField("part", Json.hex(part));
          });
    }
  }
}
