package io.sifr.cli.record;

import static java.nio.charset.StandardCharsets.ISO_8859_1;

import de.siegmar.fastcsv.reader.AbstractBaseCsvCallbackHandler;
import de.siegmar.fastcsv.reader.CsvParseException;
import de.siegmar.fastcsv.reader.CsvReader;
import de.siegmar.fastcsv.reader.CsvReader.CsvReaderBuilder;
import de.siegmar.fastcsv.reader.FieldMismatchStrategy;
import de.siegmar.fastcsv.writer.CsvWriter;
import de.siegmar.fastcsv.writer.LineDelimiter;
import java.io.FilterInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.io.StringWriter;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Iterator;
import java.util.List;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * CSV as in RFC 4180, with a line feed, a carriage return or both as line end. The parser gets
 * every byte as the character of the same number, so that bytes that are not valid in any encoding
 * are preserved: comma, quotes and line ends are bytes below 128, which have no other meaning in
 * UTF-8.
 */
final class CsvSyntax implements RowSyntax {
  /** Size of the largest value when each of its bytes is a quote, which is doubled. */
  private static final int MAX_FIELD_CHARACTERS = 1 << 30;

  /**
   * A character that is not a byte, so that a key that begins with # is not taken for a comment.
   */
  private static final char NEVER = '\uFFFF';

  /** The parser's text for the position of an error, replaced by that of all formats. */
  private static final Pattern PLACE = Pattern.compile(" \\(record starting at line \\d+\\)");

  private final StringWriter text = new StringWriter();
  private final CsvWriter writer =
      CsvWriter.builder()
          .commentCharacter(NEVER)
          .lineDelimiter(LineDelimiter.LF)
          .bufferSize(0)
          .build(text);

  private static CsvReaderBuilder parser() {
    return CsvReader.builder()
        .skipEmptyLines(false)
        .extraFieldStrategy(FieldMismatchStrategy.IGNORE)
        .missingFieldStrategy(FieldMismatchStrategy.IGNORE)
        .allowUnclosedQuote(false)
        .maxBufferSize(MAX_FIELD_CHARACTERS);
  }

  @Override
  public RowReader reader(InputStream in) {
    return new Rows(in);
  }

  @Override
  public @Nullable String obstacle(byte[] field) {
    return null;
  }

  @Override
  public byte[] join(List<byte[]> fields) {
    writer.writeRecord(fields.stream().map(field -> new String(field, ISO_8859_1)).toList());
    StringBuffer written = text.getBuffer();
    String row = written.substring(0, written.length() - 1);
    written.setLength(0);
    return row.getBytes(ISO_8859_1);
  }

  @Override
  public @Nullable List<byte[]> split(byte[] row) {
    RowHandler handler = new RowHandler();
    List<byte[]> fields;
    try {
      Iterator<List<byte[]>> rows = parser().build(handler, new String(row, ISO_8859_1)).iterator();
      fields = rows.hasNext() ? rows.next() : List.of(row);
    } catch (CsvParseException e) {
      return null;
    }
    // The same row can be written in several ways, and the text may contain further rows.
    return Arrays.equals(join(fields), row) ? fields : null;
  }

  /** Collects the bytes of each row. */
  private static final class RowHandler extends AbstractBaseCsvCallbackHandler<List<byte[]>> {
    private List<byte[]> fields = new ArrayList<>();
    private long line;

    @Override
    protected void handleBegin(long startingLineNumber) {
      fields = new ArrayList<>();
      line = startingLineNumber;
    }

    @Override
    protected void handleField(int index, char[] buffer, int offset, int length, boolean quoted) {
      byte[] field = new byte[length];
      for (int i = 0; i < length; i++) {
        field[i] = (byte) buffer[offset + i];
      }
      fields.add(field);
    }

    @Override
    protected void handleEmpty() {
      fields.add(new byte[0]);
    }

    @Override
    protected List<byte[]> buildRecord() {
      return fields;
    }
  }

  private static final class Rows implements RowReader {
    private final RowHandler handler = new RowHandler();
    private final CountingStream bytes;
    private final Iterator<List<byte[]>> rows;
    private List<byte[]> fields = List.of();

    Rows(InputStream in) {
      bytes = new CountingStream(in);
      rows = parser().build(handler, new InputStreamReader(bytes, ISO_8859_1)).iterator();
    }

    @Override
    public boolean next() throws IOException {
      try {
        if (!rows.hasNext()) {
          return false;
        }
        fields = rows.next();
        return true;
      } catch (UncheckedIOException e) {
        throw e.getCause();
      } catch (CsvParseException e) {
        throw BadRecordException.last(
            handler.line,
            handler.fields.size() + 1,
            PLACE.matcher(String.valueOf(e.getMessage())).replaceFirst("")
                + "; allowed between quotes: anything, where a quote is written twice");
      }
    }

    @Override
    public List<byte[]> fields() {
      return fields;
    }

    @Override
    public long line() {
      return handler.line;
    }

    @Override
    public long bytesRead() {
      return bytes.count;
    }
  }

  private static final class CountingStream extends FilterInputStream {
    private long count;

    CountingStream(InputStream in) {
      super(in);
    }

    @Override
    public int read() throws IOException {
      throw new UnsupportedOperationException("decoders read many bytes at once");
    }

    @Override
    public int read(byte[] target, int offset, int length) throws IOException {
      int read = super.read(target, offset, length);
      count += Math.max(read, 0);
      return read;
    }
  }
}
