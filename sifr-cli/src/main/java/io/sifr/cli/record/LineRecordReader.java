package io.sifr.cli.record;

/** Reads one entry per line; the format defines the meaning of a line. */
abstract class LineRecordReader implements RecordReader {
  /** Stands in the line of the entry. */
  final LineReader lines;

  private byte[] key = {};
  private byte[] value = {};

  LineRecordReader(LineReader lines) {
    this.lines = lines;
  }

  /** Parses the current line. */
  final void setEntry(byte[] newKey, byte[] newValue) {
    key = newKey;
    value = newValue;
  }

  /** The exception for an error in the current line. */
  final BadRecordException bad(int column, String what) {
    return new BadRecordException(lines.number(), column, what);
  }

  @Override
  public final byte[] key() {
    return key;
  }

  @Override
  public final byte[] value() {
    return value;
  }

  @Override
  public final BadRecordException refused(String what) {
    return bad(BadRecordException.NO_COLUMN, what);
  }

  @Override
  public final long bytesRead() {
    return lines.bytesRead();
  }
}
