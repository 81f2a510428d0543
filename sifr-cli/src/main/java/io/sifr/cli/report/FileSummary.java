package io.sifr.cli.report;

import com.fasterxml.jackson.core.JsonGenerator;
import io.sifr.cli.record.Json;
import io.sifr.cli.terminal.Console;
import io.sifr.cli.terminal.Units;
import io.sifr.inspect.dump.DumpedRecord;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeSet;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** A summary of one file of a store, collected while its pieces are read. Not thread-safe. */
public final class FileSummary {
  /** Columns of the names of lines. */
  private static final int NAME_COLUMNS = 13;

  private final Path file;
  private final long fileBytes;
  private Map<String, Object> header = Map.of();

  /** The pieces of the file itself, by kind. */
  private final Map<String, Pieces> pieces = new LinkedHashMap<>();

  /** What is in blocks and records, by kind. */
  private final Map<String, Pieces> parts = new LinkedHashMap<>();

  private final Map<String, Pieces> codecs = new LinkedHashMap<>();
  private final TreeSet<Long> databases = new TreeSet<>();
  private long valueBytes;
  private long storedBytes;
  private long rawBytes;
  private long firstSequence = Long.MAX_VALUE;
  private long lastSequence = Long.MIN_VALUE;
  private byte @Nullable [] smallestKey;
  private byte @Nullable [] largestKey;
  private @Nullable Long filterBitsPerKey;

  /** The number of pieces of one kind, and their bytes. */
  private record Pieces(long count, long bytes) {
    private Pieces plus(Pieces other) {
      return new Pieces(count + other.count, bytes + other.bytes);
    }
  }

  /** A line of a summary. */
  private record Line(String name, String text) {}

  /**
   * @param file the file, as the user names it
   * @param fileBytes its size
   */
  public FileSummary(Path file, long fileBytes) {
    this.file = file;
    this.fileBytes = fileBytes;
  }

  /** Adds the next piece. */
  public void add(DumpedRecord piece) {
    Map<String, Object> fields = piece.fields();
    if (piece.kind().equals("header")) {
      header = fields;
    }
    Pieces one = new Pieces(1, piece.length());
    if (piece.depth() == 0) {
      pieces.merge(piece.kind(), one, Pieces::plus);
    }
    if (piece.depth() > 0) {
      // Of an edit of the manifest only the words before its figures.
      parts.merge(piece.kind().split(" {2}", 2)[0], one, Pieces::plus);
    } else if (piece.kind().equals("value")) {
      parts.merge(String.valueOf(fields.get("kind")), one, Pieces::plus);
    }
    if (fields.containsKey("codec")) {
      codecs.merge(
          String.valueOf(fields.get("codec")),
          new Pieces(1, number(fields, "storedBytes")),
          Pieces::plus);
      rawBytes += number(fields, "rawBytes");
    } else if (piece.kind().equals("filter")) {
      filterBitsPerKey = number(fields, "bitsPerKey");
    }
    if (fields.get("value") instanceof byte[] value) {
      valueBytes += value.length;
    } else {
      valueBytes += number(fields, "valueBytes");
      storedBytes += fields.containsKey("valueBytes") ? number(fields, "storedBytes") : 0;
    }
    if (fields.get("database") instanceof Number database) {
      databases.add(database.longValue());
    }
    if (fields.get("sequence") instanceof Number sequence) {
      firstSequence = Math.min(firstSequence, sequence.longValue());
      lastSequence = Math.max(lastSequence, sequence.longValue());
    }
    for (String name : List.of("key", "from", "smallestKey", "largestKey")) {
      if (fields.get(name) instanceof byte[] key) {
        addKey(key);
      }
    }
  }

  private static long number(Map<String, Object> fields, String name) {
    return fields.get(name) instanceof Number number ? number.longValue() : 0;
  }

  private void addKey(byte[] key) {
    if (smallestKey == null || Arrays.compareUnsigned(key, smallestKey) < 0) {
      smallestKey = key;
    }
    if (largestKey == null || Arrays.compareUnsigned(key, largestKey) > 0) {
      largestKey = key;
    }
  }

  private boolean isSst() {
    return "sst".equals(header.get("file"));
  }

  private long entries() {
    return parts.values().stream().mapToLong(Pieces::count).sum();
  }

  /**
   * Writes it as lines of a name and a text.
   *
   * @param shown the text for a key
   * @param damage what is wrong with the file after the pieces that were added, or null
   */
  public void writeText(Console console, Function<byte[], String> shown, @Nullable String damage)
      throws IOException {
    console.println(
        file
            + ": "
            + header.getOrDefault("file", "no header")
            + " "
            + header.getOrDefault("number", "")
            + ", "
            + Units.bytes(fileBytes));
    for (Line line : lines(shown)) {
      console.println(
          String.format(Locale.ROOT, "  %-" + NAME_COLUMNS + "s %s", line.name, line.text));
    }
    console.println(
        String.format(
            Locale.ROOT,
            "  %-" + NAME_COLUMNS + "s %s",
            "checks",
            damage == null
                ? "read to its end, every checksum is right"
                : "damaged; this is what is before the damage"));
  }

  private List<Line> lines(Function<byte[], String> shown) {
    List<Line> lines = new ArrayList<>();
    if (!header.isEmpty()) {
      lines.add(
          new Line(
              "format",
              "version " + header.get("formatVersion") + ", id " + header.get("uniqueId")));
      long key = number(header, "key");
      lines.add(new Line("encryption", key == 0 ? "none" : "key " + key));
    }
    if (!parts.isEmpty()) {
      lines.add(
          new Line(
              "manifest".equals(header.get("file")) ? "edits" : "entries",
              Units.count(entries())
                  + parts.entrySet().stream()
                      .map(part -> Units.count(part.getValue().count) + " " + part.getKey())
                      .collect(Collectors.joining(", ", ": ", ""))));
    }
    if (smallestKey != null && largestKey != null) {
      lines.add(new Line("keys", shown.apply(smallestKey) + " to " + shown.apply(largestKey)));
    }
    if (firstSequence <= lastSequence) {
      lines.add(new Line("sequences", firstSequence + " to " + lastSequence));
    }
    if (!databases.isEmpty()) {
      lines.add(
          new Line(
              "databases",
              databases.stream().map(String::valueOf).collect(Collectors.joining(", "))));
    }
    if (valueBytes > 0) {
      lines.add(
          new Line(
              "values",
              Units.bytes(valueBytes)
                  + (storedBytes == 0
                      ? ""
                      : ", of which " + Units.bytes(storedBytes) + " stored apart")));
    }
    if (!codecs.isEmpty()) {
      lines.add(
          new Line(
              "compression",
              codecs.entrySet().stream()
                      .map(
                          codec ->
                              codec.getKey() + " " + Units.count(codec.getValue().count, "block"))
                      .collect(Collectors.joining(", "))
                  + "; "
                  + Units.bytes(codecs.values().stream().mapToLong(Pieces::bytes).sum())
                  + " for "
                  + Units.bytes(rawBytes)));
    }
    if (isSst()) {
      lines.add(
          new Line(
              "filter", filterBitsPerKey == null ? "none" : filterBitsPerKey + " bits per key"));
    }
    lines.add(
        new Line(
            "pieces",
            pieces.entrySet().stream()
                .map(
                    kind ->
                        (kind.getValue().count == 1
                                ? ""
                                : Units.count(kind.getValue().count) + " × ")
                            + kind.getKey()
                            + " "
                            + Units.bytes(kind.getValue().bytes))
                .collect(Collectors.joining(", "))));
    return lines;
  }

  /**
   * Writes it as fields of the open JSON object.
   *
   * @param hex whether keys are hexadecimal digits
   * @param damage what is wrong with the file after the pieces that were added, or null
   */
  public void writeFields(JsonGenerator json, boolean hex, @Nullable String damage)
      throws IOException {
    json.writeStringField("path", file.toString());
    json.writeStringField("file", String.valueOf(header.get("file")));
    json.writeNumberField("number", number(header, "number"));
    json.writeNumberField("formatVersion", number(header, "formatVersion"));
    json.writeStringField("uniqueId", String.valueOf(header.get("uniqueId")));
    json.writeNumberField("encryptionKey", number(header, "key"));
    json.writeNumberField("fileBytes", fileBytes);
    json.writeNumberField("entries", entries());
    writePieces(json, "entriesByKind", parts);
    if (smallestKey != null && largestKey != null) {
      Json.writeBytes(json, "smallestKey", smallestKey, hex);
      Json.writeBytes(json, "largestKey", largestKey, hex);
    }
    if (firstSequence <= lastSequence) {
      json.writeNumberField("firstSequence", firstSequence);
      json.writeNumberField("lastSequence", lastSequence);
    }
    json.writeArrayFieldStart("databases");
    for (long database : databases) {
      json.writeNumber(database);
    }
    json.writeEndArray();
    json.writeNumberField("valueBytes", valueBytes);
    json.writeNumberField("rawBlockBytes", rawBytes);
    writePieces(json, "blocksByCodec", codecs);
    if (isSst()) {
      json.writeNumberField("filterBitsPerKey", filterBitsPerKey == null ? 0 : filterBitsPerKey);
    }
    writePieces(json, "pieces", pieces);
    json.writeBooleanField("clean", damage == null);
    if (damage != null) {
      json.writeStringField("damage", damage);
    }
  }

  private static void writePieces(JsonGenerator json, String name, Map<String, Pieces> kinds)
      throws IOException {
    json.writeObjectFieldStart(name);
    for (Map.Entry<String, Pieces> kind : kinds.entrySet()) {
      json.writeObjectFieldStart(kind.getKey());
      json.writeNumberField("count", kind.getValue().count);
      json.writeNumberField("bytes", kind.getValue().bytes);
      json.writeEndObject();
    }
    json.writeEndObject();
  }
}
