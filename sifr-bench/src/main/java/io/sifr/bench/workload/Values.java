package io.sifr.bench.workload;

import java.io.IOException;
import java.io.InputStream;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.util.Arrays;

/**
 * Values derived from the number of their entry and from how often it was written: bytes that no
 * codec can make smaller, or some that it can, see {@link Content}. Immutable; safe for any thread.
 */
public final class Values {
  private static final VarHandle LONGS =
      MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.LITTLE_ENDIAN);

  /** Of a longer text the first bytes are used. */
  private static final int MAX_TEXT_BYTES = 64 << 20;

  private final int minBytes;
  private final int lengths;
  private final long seed;
  private final Content.Kind kind;

  /** The text that values are pieces of; shorter than a value for random bytes. */
  private final byte[] text;

  /**
   * Values of the lengths of a shape.
   *
   * @throws IllegalArgumentException when the file with their text cannot be read, or is shorter
   *     than a value
   */
  public Values(Shape shape, long seed) {
    this.kind = shape.content().kind();
    this.text = kind == Content.Kind.TEXT ? text(shape) : new byte[0];
    this.minBytes = shape.minValueBytes();
    this.lengths = shape.maxValueBytes() - shape.minValueBytes() + 1;
    this.seed = seed;
  }

  /** The value an entry has after its {@code write}-th write. */
  public byte[] value(int entry, int write) {
    long state = state(entry, write);
    int length = length(state);
    return switch (kind) {
      case RANDOM -> random(state, length, length);
      case HALF -> {
        int half = (length + 1) / 2;
        byte[] value = random(state, half, length);
        System.arraycopy(value, 0, value, half, length - half);
        yield value;
      }
      case TEXT -> {
        int from = (int) Long.remainderUnsigned(Mixer.next(state), text.length - length + 1);
        yield Arrays.copyOfRange(text, from, from + length);
      }
    };
  }

  /** Random bytes, and zeros after them. */
  private static byte[] random(long from, int random, int length) {
    long state = from;
    byte[] value = new byte[length];
    int i = 0;
    for (; i + Long.BYTES <= random; i += Long.BYTES) {
      state = Mixer.next(state);
      LONGS.set(value, i, state);
    }
    for (long rest = Mixer.next(state); i < random; i++, rest >>>= Byte.SIZE) {
      value[i] = (byte) rest;
    }
    return value;
  }

  private static byte[] text(Shape shape) {
    byte[] read;
    try (InputStream in = Files.newInputStream(Path.of(shape.content().file()))) {
      read = in.readNBytes(MAX_TEXT_BYTES);
    } catch (IOException | InvalidPathException e) {
      throw new IllegalArgumentException(
          "the text of values cannot be read from " + shape.content().file() + ": " + e, e);
    }
    if (read.length < shape.maxValueBytes()) {
      throw new IllegalArgumentException(
          "%s has %d bytes; needed for values: %d or more"
              .formatted(shape.content().file(), read.length, shape.maxValueBytes()));
    }
    return read;
  }

  /** Whether that is {@link #value} of the entry and the write. */
  public boolean matches(byte[] value, int entry, int write) {
    if (kind != Content.Kind.RANDOM) {
      return Arrays.equals(value, value(entry, write));
    }
    long state = state(entry, write);
    if (value.length != length(state)) {
      return false;
    }
    int i = 0;
    for (; i + Long.BYTES <= value.length; i += Long.BYTES) {
      state = Mixer.next(state);
      if ((long) LONGS.get(value, i) != state) {
        return false;
      }
    }
    for (long rest = Mixer.next(state); i < value.length; i++, rest >>>= Byte.SIZE) {
      if (value[i] != (byte) rest) {
        return false;
      }
    }
    return true;
  }

  private long state(int entry, int write) {
    return Mixer.mix(seed + write, entry);
  }

  private int length(long state) {
    return minBytes + (int) Long.remainderUnsigned(state, lengths);
  }
}
