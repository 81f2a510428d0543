package io.sifr.bench.workload;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;

/**
 * Values derived from the number of their entry and from how often it was written: bytes that no
 * codec can compress. Immutable; safe for any thread.
 */
public final class Values {
  private static final VarHandle LONGS =
      MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.LITTLE_ENDIAN);

  private final int minBytes;
  private final int lengths;
  private final long seed;

  /** Values of the lengths of a shape. */
  public Values(Shape shape, long seed) {
    this.minBytes = shape.minValueBytes();
    this.lengths = shape.maxValueBytes() - shape.minValueBytes() + 1;
    this.seed = seed;
  }

  /** The value an entry has after its {@code write}-th write. */
  public byte[] value(int entry, int write) {
    long state = state(entry, write);
    byte[] value = new byte[length(state)];
    int i = 0;
    for (; i + Long.BYTES <= value.length; i += Long.BYTES) {
      state = Mixer.next(state);
      LONGS.set(value, i, state);
    }
    for (long rest = Mixer.next(state); i < value.length; i++, rest >>>= Byte.SIZE) {
      value[i] = (byte) rest;
    }
    return value;
  }

  /** Whether that is {@link #value} of the entry and the write. */
  public boolean matches(byte[] value, int entry, int write) {
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
