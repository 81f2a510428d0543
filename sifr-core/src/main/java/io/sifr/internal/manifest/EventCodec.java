package io.sifr.internal.manifest;

import io.sifr.error.UnsupportedFormatException;
import io.sifr.internal.entry.EntryLimits;
import io.sifr.internal.forest.LogEvent;
import io.sifr.internal.manifest.EditWriter.EditNumbers;
import java.nio.file.Path;

/** Encodes an event: its tag, its sequence number, and its fields. */
final class EventCodec {
  private static final int CREATED = 1;
  private static final int ALTERED = 2;
  private static final int DROPPED = 3;
  private static final int INGESTED = 4;
  private static final int SKIPPED = 5;

  private EventCodec() {}

  static void encode(LogEvent event, EditWriter out) {
    if (event instanceof LogEvent.Created created) {
      begin(CREATED, event, created.databaseId(), out);
      out.text(created.name());
      OptionsCodec.encode(created.options(), out);
    } else if (event instanceof LogEvent.Altered altered) {
      begin(ALTERED, event, altered.databaseId(), out);
      out.text(altered.name());
      OptionsCodec.encode(altered.options(), out);
    } else if (event instanceof LogEvent.Dropped dropped) {
      begin(DROPPED, event, dropped.databaseId(), out);
      out.text(dropped.name());
    } else if (event instanceof LogEvent.Ingested ingested) {
      begin(INGESTED, event, ingested.databaseId(), out);
      out.key(ingested.keys().first());
      out.key(ingested.keys().last());
    } else if (event instanceof LogEvent.Skipped skipped) {
      out.tag(SKIPPED);
      out.unsigned(EditNumbers.sequence(skipped.sequence()));
      out.unsigned(EditNumbers.nextSequence(skipped.next()));
    } else {
      throw new IllegalArgumentException("unknown event " + event);
    }
  }

  private static void begin(int tag, LogEvent event, int databaseId, EditWriter out) {
    out.tag(tag);
    out.unsigned(EditNumbers.sequence(event.sequence()));
    out.unsigned(EditNumbers.databaseId(databaseId));
  }

  /**
   * Decodes an event.
   *
   * @throws IllegalArgumentException when it is none
   * @throws UnsupportedFormatException when it is one that this version does not know
   */
  static LogEvent decode(Path file, long offset, EditReader in) {
    int tag = in.tag();
    if (tag < CREATED || tag > SKIPPED) {
      throw new UnsupportedFormatException(
          file,
          "event "
              + tag
              + ", in an edit at offset "
              + offset
              + "; supported: "
              + CREATED
              + " to "
              + SKIPPED);
    }
    long sequence = EditNumbers.sequence(in.unsigned());
    if (tag == SKIPPED) {
      return new LogEvent.Skipped(sequence, EditNumbers.nextSequence(in.unsigned()));
    }
    int id = EditNumbers.databaseId(in.unsignedInt());
    return switch (tag) {
      case CREATED ->
          new LogEvent.Created(sequence, id, in.text(), OptionsCodec.decode(file, offset, in));
      case ALTERED ->
          new LogEvent.Altered(sequence, id, in.text(), OptionsCodec.decode(file, offset, in));
      case DROPPED -> new LogEvent.Dropped(sequence, id, in.text());
      default ->
          new LogEvent.Ingested(
              sequence,
              id,
              new LogEvent.Keys(
                  in.key(EntryLimits.MAX_KEY_BYTES), in.key(EntryLimits.MAX_KEY_BYTES)));
    };
  }
}
