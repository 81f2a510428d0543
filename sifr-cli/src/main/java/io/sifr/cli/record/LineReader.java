package io.sifr.cli.record;

import java.io.IOException;
import java.io.InputStream;
import java.util.Arrays;

/**
 * Splits a stream of bytes into lines without decoding it: bytes that are not valid text in any
 * encoding must be preserved. The bytes of the current line are {@link #buffer} from {@link #start}
 * to {@link #end}. Not thread-safe.
 */
final class LineReader {
  /** The largest array that every JVM can create. */
  private static final int MAX_LINE_BYTES = Integer.MAX_VALUE - 8;

  private static final int BUFFER_BYTES = 1 << 16;

  private final InputStream in;
  private final LineEnd lineEnd;
  private byte[] buffer;
  private int filled;
  private int start;
  private int end;
  private int nextStart;
  private long number;
  private long bytesRead;

  LineReader(InputStream in, LineEnd lineEnd) {
    this(in, lineEnd, new byte[BUFFER_BYTES], 0);
  }

  private LineReader(InputStream in, LineEnd lineEnd, byte[] buffer, int filled) {
    this.in = in;
    this.lineEnd = lineEnd;
    this.buffer = buffer;
    this.filled = filled;
  }

  /** A reader of the lines in an array, with a line feed between them. */
  static LineReader of(byte[] text) {
    return new LineReader(InputStream.nullInputStream(), LineEnd.LF, text, text.length);
  }

  /**
   * Moves to the next line. Returns whether there is one. The last one may lack a line end.
   *
   * @throws BadRecordException when the line end is not the required one
   */
  boolean next() throws IOException {
    start = nextStart;
    int scanned = start;
    while (true) {
      int feed = indexOfLineFeed(scanned);
      if (feed >= 0) {
        return line(feed, feed + 1);
      }
      int seen = filled - start;
      if (!fill()) {
        return filled > start && line(filled, filled);
      }
      scanned = start + seen;
    }
  }

  private boolean line(int contentEnd, int next) throws BadRecordException {
    end = contentEnd;
    bytesRead += next - start;
    nextStart = next;
    number++;
    if (lineEnd == LineEnd.CRLF && contentEnd < next) {
      if (contentEnd == start || buffer[contentEnd - 1] != '\r') {
        throw new BadRecordException(
            number,
            BadRecordException.NO_COLUMN,
            "the line ends with a line feed alone; allowed with --crlf: carriage return, line feed");
      }
      end = contentEnd - 1;
    }
    return true;
  }

  private int indexOfLineFeed(int from) {
    for (int i = from; i < filled; i++) {
      if (buffer[i] == '\n') {
        return i;
      }
    }
    return -1;
  }

  /** Reads more of the current line. Returns false at the end of the stream. */
  private boolean fill() throws IOException {
    if (start > 0) {
      System.arraycopy(buffer, start, buffer, 0, filled - start);
      filled -= start;
      start = 0;
    }
    if (filled == buffer.length) {
      if (filled == MAX_LINE_BYTES) {
        throw BadRecordException.last(
            number + 1,
            BadRecordException.NO_COLUMN,
            "longer than " + MAX_LINE_BYTES + " bytes, which is the maximum");
      }
      buffer = Arrays.copyOf(buffer, (int) Math.min(2L * filled + 1, MAX_LINE_BYTES));
    }
    int count = in.read(buffer, filled, buffer.length - filled);
    if (count < 0) {
      nextStart = filled;
      return false;
    }
    filled += count;
    return true;
  }

  byte[] buffer() {
    return buffer;
  }

  int start() {
    return start;
  }

  int end() {
    return end;
  }

  /** Number of the current line, from 1. */
  long number() {
    return number;
  }

  /** Bytes of the stream up to the end of the current line. */
  long bytesRead() {
    return bytesRead;
  }
}
