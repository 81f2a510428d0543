package io.sifr.cli.terminal;

import java.io.FilterOutputStream;
import java.io.IOException;
import java.io.OutputStream;

/** Standard output that distinguishes a closed pipe from a full disk. */
final class PipeOutput extends FilterOutputStream {

  PipeOutput(OutputStream out) {
    super(out);
  }

  @Override
  public void write(int b) throws IOException {
    write(new byte[] {(byte) b}, 0, 1);
  }

  @Override
  public void write(byte[] bytes, int offset, int length) throws IOException {
    try {
      out.write(bytes, offset, length);
    } catch (IOException e) {
      throw failure(e);
    }
  }

  @Override
  public void flush() throws IOException {
    try {
      out.flush();
    } catch (IOException e) {
      throw failure(e);
    }
  }

  private static IOException failure(IOException e) {
    // Java has no exception type for EPIPE, only the text of the C library.
    return "Broken pipe".equals(e.getMessage())
        ? new OutputClosedException(e)
        : new IOException("cannot write to standard output: " + e.getMessage(), e);
  }
}
