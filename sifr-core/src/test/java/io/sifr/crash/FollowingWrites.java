package io.sifr.crash;

import io.sifr.spi.MergeOperator;
import java.nio.ByteBuffer;
import org.jspecify.annotations.Nullable;

/**
 * Makes of the value of a write, and a write that is merged into it, the value of another write:
 * one whose number tells of both, and of their order. An operand that is lost, or counts twice, is
 * found out.
 */
public final class FollowingWrites implements MergeOperator {
  /** The only one. */
  public static final MergeOperator OPERATOR = new FollowingWrites();

  private static final int FACTOR = 31;

  private FollowingWrites() {}

  /** The operand that is merged by a write. */
  static byte[] operand(int write) {
    return operand(FACTOR, write);
  }

  /** The number of the write whose value there is then. */
  static int after(@Nullable Integer before, int write) {
    return (before == null ? 0 : before) * FACTOR + write;
  }

  private static byte[] operand(int factor, int summand) {
    return ByteBuffer.allocate(2 * Integer.BYTES).putInt(factor).putInt(summand).array();
  }

  @Override
  public String name() {
    return "following writes";
  }

  @Override
  public byte[] merge(byte[] key, byte @Nullable [] existing, byte[] operand) {
    return value(existing, operand);
  }

  static byte[] value(byte @Nullable [] existing, byte[] operand) {
    int before = existing == null ? 0 : ByteBuffer.wrap(existing).getInt();
    ByteBuffer line = ByteBuffer.wrap(operand);
    return ModelState.value(before * line.getInt() + line.getInt());
  }

  @Override
  public byte[] combine(byte[] key, byte[] older, byte[] newer) {
    ByteBuffer first = ByteBuffer.wrap(older);
    ByteBuffer second = ByteBuffer.wrap(newer);
    int factor = second.getInt();
    int summand = second.getInt();
    return operand(first.getInt() * factor, first.getInt() * factor + summand);
  }
}
