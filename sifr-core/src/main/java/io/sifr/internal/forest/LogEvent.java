package io.sifr.internal.forest;

import io.sifr.config.DatabaseOptions;
import io.sifr.internal.format.EditDescription;
import io.sifr.internal.format.EditReader;
import io.sifr.internal.format.EditWriter;
import io.sifr.internal.format.OptionsCodec;
import io.sifr.internal.util.Key;

/**
 * A change of the store that is not in the log and yet has its place among the writes: a sequence
 * number of its own. The manifest keeps it as long as the log before and after it is retained. Each
 * kind encodes and describes itself; its tag is in {@link #decode}, too.
 */
public sealed interface LogEvent {
  /** Its sequence number. */
  long sequence();

  /** The smallest sequence number that may follow. */
  default long next() {
    return sequence() + 1;
  }

  /** Writes its tag, its sequence number and its fields. */
  void encode(EditWriter out);

  /** Its fields for people. */
  EditDescription describe();

  /**
   * Decodes an event.
   *
   * @throws IllegalArgumentException when it is none
   * @throws io.sifr.error.UnsupportedFormatException when it is one that this version does not know
   */
  static LogEvent decode(EditReader in) {
    int tag = in.tag();
    return switch (tag) {
      case 1 -> new Created(in.sequence(), in.databaseId(), in.text(), OptionsCodec.decode(in));
      case 2 -> new Altered(in.sequence(), in.databaseId(), in.text(), OptionsCodec.decode(in));
      case 3 -> new Dropped(in.sequence(), in.databaseId(), in.text());
      case 4 -> new Ingested(in.sequence(), in.databaseId(), Key.of(in.key()), Key.of(in.key()));
      case 5 -> new Skipped(in.sequence(), in.nextSequence());
      default -> throw in.unsupported("event " + tag, "1 to 5");
    };
  }

  private static void begin(EditWriter out, int tag, long sequence, int databaseId) {
    out.tag(tag);
    out.sequence(sequence);
    out.databaseId(databaseId);
  }

  private static EditDescription about(String kind, long sequence, int databaseId) {
    return new EditDescription(kind).with("sequence", sequence).with("database", databaseId);
  }

  /** A database was created. */
  record Created(long sequence, int databaseId, String name, DatabaseOptions options)
      implements LogEvent {
    @Override
    public void encode(EditWriter out) {
      begin(out, 1, sequence, databaseId);
      out.text(name);
      OptionsCodec.encode(options, out);
    }

    @Override
    public EditDescription describe() {
      return about("database created event", sequence, databaseId).with("name", name);
    }
  }

  /** A database got other options. */
  record Altered(long sequence, int databaseId, String name, DatabaseOptions options)
      implements LogEvent {
    @Override
    public void encode(EditWriter out) {
      begin(out, 2, sequence, databaseId);
      out.text(name);
      OptionsCodec.encode(options, out);
    }

    @Override
    public EditDescription describe() {
      return about("database altered event", sequence, databaseId).with("name", name);
    }
  }

  /** A database was dropped. */
  record Dropped(long sequence, int databaseId, String name) implements LogEvent {
    @Override
    public void encode(EditWriter out) {
      begin(out, 3, sequence, databaseId);
      out.text(name);
    }

    @Override
    public EditDescription describe() {
      return about("database dropped event", sequence, databaseId).with("name", name);
    }
  }

  /**
   * Files were added to a database. An ingest of several databases is one event for each, all with
   * the same number.
   *
   * @param first the smallest key of what was ingested
   * @param last the largest one
   */
  record Ingested(long sequence, int databaseId, Key first, Key last) implements LogEvent {
    @Override
    public void encode(EditWriter out) {
      begin(out, 4, sequence, databaseId);
      out.key(first.bytes());
      out.key(last.bytes());
    }

    @Override
    public EditDescription describe() {
      return about("ingest event", sequence, databaseId)
          .with("smallestKey", first.bytes())
          .with("largestKey", last.bytes());
    }
  }

  /**
   * Sequence numbers that belong to nothing: a recovery leaves some out.
   *
   * @param sequence the first of them
   * @param next the first one after them
   */
  record Skipped(long sequence, long next) implements LogEvent {
    @Override
    public void encode(EditWriter out) {
      out.tag(5);
      out.sequence(sequence);
      out.nextSequence(next);
    }

    @Override
    public EditDescription describe() {
      return new EditDescription("sequences skipped event")
          .with("sequence", sequence)
          .with("next", next);
    }
  }
}
