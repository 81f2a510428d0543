package io.sifr.internal.engine.write;

import io.sifr.internal.value.ValueWriter.Content;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.util.function.IntConsumer;

/** A value that comes from a stream of a caller, which may take its time. Used by one thread. */
final class StreamedValue implements Content {
  private final InputStream in;
  private final int length;
  private final IntConsumer goesOn;
  private int read;

  /**
   * @param length bytes that are read, and no more
   * @param goesOn told before each read how many bytes are left; throws if they are in vain
   */
  StreamedValue(InputStream in, int length, IntConsumer goesOn) {
    this.in = in;
    this.length = length;
    this.goesOn = goesOn;
  }

  /** The stream has failed, or ended too early. */
  static final class Failure extends RuntimeException {
    private static final long serialVersionUID = 1;

    private final IOException ofStream;

    private Failure(IOException ofStream) {
      super(ofStream.getMessage(), ofStream, false, false);
      this.ofStream = ofStream;
    }

    /** What the stream has thrown. */
    IOException ofStream() {
      return ofStream;
    }
  }

  /** All of it that is not read yet. */
  byte[] readAll() {
    byte[] all = new byte[length - read];
    read(all, 0, all.length);
    return all;
  }

  @Override
  public void read(byte[] target, int offset, int count) {
    int end = offset + count;
    for (int next = offset; next < end; ) {
      goesOn.accept(length - read);
      int got = readSome(target, next, end - next);
      next += got;
      read += got;
    }
  }

  private int readSome(byte[] target, int offset, int most) {
    try {
      int got = in.read(target, offset, most);
      if (got < 0) {
        throw new EOFException(
            "the stream ended after " + read + " bytes; the value was to have " + length);
      }
      return got;
    } catch (IOException e) {
      throw new Failure(e);
    }
  }
}
