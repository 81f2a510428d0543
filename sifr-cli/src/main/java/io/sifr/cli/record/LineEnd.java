package io.sifr.cli.record;

import java.nio.charset.StandardCharsets;

/** The end of a line. */
public enum LineEnd {
  /** A line feed. A carriage return before it is part of the line. */
  LF("\n"),
  /** A carriage return and a line feed. */
  CRLF("\r\n");

  private final String characters;

  LineEnd(String characters) {
    this.characters = characters;
  }

  byte[] bytes() {
    return characters.getBytes(StandardCharsets.US_ASCII);
  }
}
