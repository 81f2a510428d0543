package io.sifr.cli;

import com.fasterxml.jackson.core.JsonGenerator;
import io.sifr.Changes;
import io.sifr.cli.record.Json;
import io.sifr.error.ChangesGoneException;
import io.sifr.event.Change;
import java.io.IOException;
import java.util.Locale;
import java.util.concurrent.Callable;
import java.util.concurrent.CancellationException;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** {@code sifr changes}. */
@Command(
    name = "changes",
    footer = {"  sifr changes fruit --limit 10", "  sifr changes fruit --from 4711 --json"},
    description = {
      "Shows what has changed in a store, as far as its log tells.",
      "How much log is kept for it is a setting of the program whose store it is:",
      "retainedLogBytes, retainedLogSeconds. With --json a JSON object per change."
    })
final class ChangesCommand implements Callable<Integer> {
  private static final long SHORTEST_PAUSE_NANOS = TimeUnit.MILLISECONDS.toNanos(200);
  private static final int PAUSE_PER_WORK = 4;

  private final CliContext context;

  @Mixin private final DirectoryMixin directory = new DirectoryMixin();
  @Mixin private final HexMixin hex = new HexMixin();
  @Mixin private final JsonMixin json = new JsonMixin();

  @Option(
      names = "--from",
      paramLabel = "N",
      description = "Sequence number of the first change to show. Default: that of the oldest.")
  private @Nullable Long from;

  @Option(names = "--limit", paramLabel = "N", description = "Show no more than N changes.")
  private long limit = Long.MAX_VALUE;

  @Option(
      names = "--follow",
      description = {
        "Go on with what another process writes to the store, until this one is stopped.",
        "It ends when it has missed changes, because they are flushed and the log is not retained."
      })
  private boolean follow;

  /** How many changes are still to be shown. */
  private long left;

  ChangesCommand(CliContext context) {
    this.context = context;
  }

  @Override
  public Integer call() throws IOException {
    if (limit < 0) {
      throw new CommandFailure(ExitCodes.USAGE, "--limit is " + limit + "; allowed: 0 and more");
    }
    left = limit;
    try (OpenStore store = OpenStore.openToRead(context, directory.directory())) {
      long first = from == null ? store.store().oldestChange() : from;
      if (follow) {
        follow(store, first);
      } else {
        long unused = show(store, first);
      }
    } catch (ChangesGoneException e) {
      throw new CommandFailure(ExitCodes.UNUSABLE, e);
    }
    return ExitCodes.OK;
  }

  private void follow(OpenStore opened, long first) throws IOException {
    if (!opened.store().isReadOnly()) {
      throw new CommandFailure(
          ExitCodes.UNUSABLE,
          "--follow is for a store that another process has open, and nobody has "
              + directory.directory()
              + " open");
    }
    OpenStore now = opened;
    try {
      long next = show(now, first);
      while (left > 0) {
        long begin = System.nanoTime();
        OpenStore later = now.refreshed();
        now.close();
        now = later;
        next = show(now, next);
        pause(System.nanoTime() - begin);
      }
    } finally {
      now.close();
    }
  }

  /** Looks again soon, but most of the time does nothing. */
  private static void pause(long busyNanos) {
    try {
      TimeUnit.NANOSECONDS.sleep(Math.max(SHORTEST_PAUSE_NANOS, PAUSE_PER_WORK * busyNanos));
    } catch (InterruptedException e) {
      throw new CancellationException("stopped");
    }
  }

  /** Shows the changes that are there. Returns the sequence number of the next one. */
  private long show(OpenStore store, long first) throws IOException {
    try (Changes changes = open(store, first)) {
      Change next = left == 0 ? null : changes.next();
      for (; next != null; next = --left > 0 ? changes.next() : null) {
        show(next);
      }
      context.console().flush();
      return changes.nextSequence();
    }
  }

  private static Changes open(OpenStore store, long first) {
    try {
      return store.store().changes(first);
    } catch (IllegalArgumentException e) {
      throw new CommandFailure(ExitCodes.USAGE, "--from: " + e.getMessage(), e);
    }
  }

  private void show(Change change) throws IOException {
    if (json.isJson()) {
      JsonMixin.writeObject(context.console(), fields -> writeFields(fields, change));
    } else if (change instanceof Change.Write write) {
      for (Change.Operation operation : write.operations()) {
        line(write.lastSequence(), text(operation)); // all of a batch have one: they happen at once
      }
    } else if (change instanceof Change.Ingested ingested) {
      for (Change.Range range : ingested.ranges()) {
        line(
            ingested.firstSequence(),
            String.join(
                "  ",
                "ingested",
                range.database(),
                hex.show(range.first()),
                hex.show(range.last())));
      }
    } else {
      line(change.firstSequence(), kind(change) + "  " + database(change));
    }
  }

  private void line(long sequence, String text) throws IOException {
    context.console().println(String.format(Locale.ROOT, "%12d  %s", sequence, text));
  }

  private String text(Change.Operation operation) {
    StringBuilder text = new StringBuilder();
    text.append(kind(operation)).append("  ").append(operation.database());
    text.append("  ").append(hex.show(operation.key()));
    byte[] value = operation.value();
    if (value != null) {
      text.append("  ").append(hex.show(value));
    }
    if (operation.expiresAt() != null) {
      text.append("  expires ").append(operation.expiresAt());
    }
    return text.toString();
  }

  private static String kind(Change.Operation operation) {
    return operation.kind() == Change.Kind.OTHER
        ? "operation " + operation.code()
        : operation.kind().name().toLowerCase(Locale.ROOT).replace('_', ' ');
  }

  private static String kind(Change change) {
    if (change instanceof Change.DatabaseCreated) {
      return "database created";
    } else if (change instanceof Change.DatabaseAltered) {
      return "database altered";
    } else if (change instanceof Change.DatabaseDropped) {
      return "database dropped";
    }
    return change instanceof Change.Ingested ? "ingested" : "write";
  }

  private static String database(Change change) {
    if (change instanceof Change.DatabaseCreated created) {
      return created.database();
    } else if (change instanceof Change.DatabaseAltered altered) {
      return altered.database();
    }
    return ((Change.DatabaseDropped) change).database();
  }

  private void writeFields(JsonGenerator fields, Change change) throws IOException {
    fields.writeNumberField("firstSequence", change.firstSequence());
    fields.writeNumberField("lastSequence", change.lastSequence());
    fields.writeStringField("kind", kind(change));
    if (change instanceof Change.Write write) {
      fields.writeArrayFieldStart("operations");
      for (Change.Operation operation : write.operations()) {
        fields.writeStartObject();
        writeFields(fields, operation);
        fields.writeEndObject();
      }
      fields.writeEndArray();
    } else if (change instanceof Change.Ingested ingested) {
      fields.writeArrayFieldStart("ranges");
      for (Change.Range range : ingested.ranges()) {
        fields.writeStartObject();
        fields.writeStringField("database", range.database());
        Json.writeBytes(fields, "first", range.first(), hex.isHex());
        Json.writeBytes(fields, "last", range.last(), hex.isHex());
        fields.writeEndObject();
      }
      fields.writeEndArray();
    } else {
      fields.writeStringField("database", database(change));
    }
  }

  private void writeFields(JsonGenerator fields, Change.Operation operation) throws IOException {
    fields.writeStringField("kind", kind(operation));
    fields.writeStringField("database", operation.database());
    Json.writeBytes(fields, "key", operation.key(), hex.isHex());
    byte[] value = operation.value();
    if (value != null) {
      boolean isEnd = operation.kind() == Change.Kind.DELETE_RANGE;
      Json.writeBytes(fields, isEnd ? "to" : "value", value, hex.isHex());
    }
    if (operation.expiresAt() != null) {
      fields.writeStringField("expiresAt", operation.expiresAt().toString());
    }
  }
}
