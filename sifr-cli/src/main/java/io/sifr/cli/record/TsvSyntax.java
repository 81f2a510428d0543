package io.sifr.cli.record;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Fields divided by tabs. There are no quotes, so a field may contain any bytes except tabs and
 * line feeds; a CSV parser would remove quotes and carriage returns.
 */
final class TsvSyntax implements RowSyntax {
  private final LineEnd lineEnd;

  TsvSyntax(LineEnd lineEnd) {
    this.lineEnd = lineEnd;
  }

  @Override
  public RowReader reader(InputStream in) {
    return new Rows(new LineReader(in, lineEnd));
  }

  @Override
  public @Nullable String obstacle(byte[] field) {
    for (byte b : field) {
      if (b == '\t') {
        return "a tab";
      } else if (b == '\n') {
        return "a line feed";
      }
    }
    return null;
  }

  @Override
  public byte[] join(List<byte[]> fields) {
    ByteArrayOutputStream row = new ByteArrayOutputStream();
    row.writeBytes(fields.get(0));
    for (byte[] field : fields.subList(1, fields.size())) {
      row.write('\t');
      row.writeBytes(field);
    }
    return row.toByteArray();
  }

  @Override
  public List<byte[]> split(byte[] text) {
    return split(text, 0, text.length);
  }

  private static List<byte[]> split(byte[] text, int from, int to) {
    List<byte[]> fields = new ArrayList<>();
    int begin = from;
    for (int i = from; i < to; i++) {
      if (text[i] == '\t') {
        fields.add(Arrays.copyOfRange(text, begin, i));
        begin = i + 1;
      }
    }
    fields.add(Arrays.copyOfRange(text, begin, to));
    return fields;
  }

  private static final class Rows implements RowReader {
    private final LineReader lines;

    Rows(LineReader lines) {
      this.lines = lines;
    }

    @Override
    public boolean next() throws IOException {
      return lines.next();
    }

    @Override
    public List<byte[]> fields() {
      return split(lines.buffer(), lines.start(), lines.end());
    }

    @Override
    public long line() {
      return lines.number();
    }

    @Override
    public long bytesRead() {
      return lines.bytesRead();
    }
  }
}
