package io.sifr.cli.record;

import com.fasterxml.jackson.core.JsonLocation;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonProcessingException;
import java.io.IOException;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/** Reads one entry per line of JSON; blank lines and a byte order mark are passed over. */
abstract class JsonRecordReader extends LineRecordReader {
  private static final byte[] BYTE_ORDER_MARK = {(byte) 0xEF, (byte) 0xBB, (byte) 0xBF};
  private static final String BLANKS = " \t\r";

  /** Where the JSON of the current line begins in the buffer, and where it ends. */
  private int from;

  private int to;

  JsonRecordReader(LineReader lines) {
    super(lines);
  }

  /** Reads the entry of a line; the parser is before its first token. */
  abstract void parse(JsonParser parser) throws IOException;

  @Override
  public final boolean next() throws IOException {
    do {
      if (!lines.next()) {
        return false;
      }
      trim();
    } while (from == to);
    try (JsonParser parser = Json.FACTORY.createParser(lines.buffer(), from, to - from)) {
      parse(parser);
      if (parser.nextToken() != null) {
        throw bad(parser, "more than one JSON object");
      }
    } catch (JsonProcessingException e) {
      throw bad(column(e.getLocation()), "not JSON: " + e.getOriginalMessage());
    }
    return true;
  }

  private void trim() {
    from = lines.start();
    to = lines.end();
    if (lines.number() == 1 && beginsWithMark()) {
      from += BYTE_ORDER_MARK.length;
    }
    while (from < to && isBlank(from)) {
      from++;
    }
    while (from < to && isBlank(to - 1)) {
      to--;
    }
  }

  private boolean isBlank(int at) {
    return BLANKS.indexOf(lines.buffer()[at]) >= 0;
  }

  private boolean beginsWithMark() {
    return to - from >= BYTE_ORDER_MARK.length
        && Arrays.equals(
            lines.buffer(), from, from + BYTE_ORDER_MARK.length, BYTE_ORDER_MARK, 0, 3);
  }

  /** Bytes of the current line, counted from where its JSON begins. */
  final byte[] bytes(long begin, long end) {
    return Arrays.copyOfRange(
        lines.buffer(), from + Math.toIntExact(begin), from + Math.toIntExact(end));
  }

  /** The JSON of the current line as it stands. */
  final byte[] line() {
    return bytes(0, to - from);
  }

  /** The exception for an error at the parser's position. */
  final BadRecordException bad(JsonParser parser, String what) {
    return bad(column(parser.currentTokenLocation()), what);
  }

  private int column(@Nullable JsonLocation location) {
    return location == null
        ? BadRecordException.NO_COLUMN
        : location.getColumnNr() + from - lines.start();
  }
}
