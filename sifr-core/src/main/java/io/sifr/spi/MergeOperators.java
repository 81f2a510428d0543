package io.sifr.spi;

import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The operators that every store knows without registering them. */
public final class MergeOperators {
  /**
   * "add-long": values and operands are 64-bit integers, big-endian; the operand is added. A key
   * without a value counts as 0, and the sum wraps around. See {@link #ofLong} and {@link #toLong}.
   */
  public static final MergeOperator ADD_LONG = new AddLong();

  /** "append": the operand is appended to the value, without a separator. */
  public static final MergeOperator APPEND = new Append();

  /**
   * "maximum": the larger one of value and operand stays, in the order of keys: byte by byte,
   * unsigned. So it orders numbers of one length, if they are not negative and big-endian.
   */
  public static final MergeOperator MAXIMUM = new Maximum();

  private static final List<MergeOperator> ALL = List.of(ADD_LONG, APPEND, MAXIMUM);

  private MergeOperators() {}

  /** All of them. */
  public static List<MergeOperator> all() {
    return ALL;
  }

  /** A value or operand of {@link #ADD_LONG}. */
  public static byte[] ofLong(long number) {
    return ByteBuffer.allocate(Long.BYTES).putLong(number).array();
  }

  /**
   * The number that {@link #ofLong} has made a value of.
   *
   * @throws IllegalArgumentException when the value has another length
   */
  public static long toLong(byte[] value) {
    return ByteBuffer.wrap(requireLong("value", value)).getLong();
  }

  private static byte[] requireLong(String what, byte[] bytes) {
    if (bytes.length != Long.BYTES) {
      throw new IllegalArgumentException(
          "the " + what + " has " + bytes.length + " bytes; allowed: 8, for a 64-bit integer");
    }
    return bytes;
  }

  private static final class AddLong implements MergeOperator {
    @Override
    public String name() {
      return "add-long";
    }

    @Override
    public byte[] merge(byte[] key, byte @Nullable [] existing, byte[] operand) {
      return existing == null ? operand : combine(key, existing, operand);
    }

    @Override
    public byte[] combine(byte[] key, byte[] older, byte[] newer) {
      return ofLong(toLong(older) + toLong(newer));
    }

    @Override
    public void validate(byte[] operand) {
      var unused = requireLong("operand of add-long", operand);
    }
  }

  private static final class Append implements MergeOperator {
    @Override
    public String name() {
      return "append";
    }

    @Override
    public byte[] merge(byte[] key, byte @Nullable [] existing, byte[] operand) {
      return existing == null ? operand : combine(key, existing, operand);
    }

    @Override
    public byte[] combine(byte[] key, byte[] older, byte[] newer) {
      byte[] both = Arrays.copyOf(older, Math.addExact(older.length, newer.length));
      System.arraycopy(newer, 0, both, older.length, newer.length);
      return both;
    }
  }

  private static final class Maximum implements MergeOperator {
    @Override
    public String name() {
      return "maximum";
    }

    @Override
    public byte[] merge(byte[] key, byte @Nullable [] existing, byte[] operand) {
      return existing == null ? operand : combine(key, existing, operand);
    }

    @Override
    public byte[] combine(byte[] key, byte[] older, byte[] newer) {
      return Arrays.compareUnsigned(older, newer) >= 0 ? older : newer;
    }
  }
}
