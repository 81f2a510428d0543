package io.sifr.testing;

import io.sifr.spi.MergeOperator;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/** Merge operators that only tests have. */
public final class TestOperators {
  /** Whole values and operands stay visible in the result, up to a length. */
  public static final MergeOperator CHAIN = new Chain("chain", true);

  /** The same, but operands are not joined. */
  public static final MergeOperator CHAIN_ONE_BY_ONE = new Chain("chain one by one", false);

  private TestOperators() {}

  /** Appends, and then keeps the end: it depends on the order, and on each operand being there. */
  private record Chain(String name, boolean joins) implements MergeOperator {
    private static final int MOST_BYTES = 1000;

    @Override
    public byte[] merge(byte[] key, byte @Nullable [] existing, byte[] operand) {
      return chained(existing == null ? new byte[0] : existing, operand);
    }

    @Override
    public byte @Nullable [] combine(byte[] key, byte[] older, byte[] newer) {
      return joins ? chained(older, newer) : null;
    }

    private static byte[] chained(byte[] older, byte[] newer) {
      byte[] both = Arrays.copyOf(older, older.length + newer.length);
      System.arraycopy(newer, 0, both, older.length, newer.length);
      return Arrays.copyOfRange(both, Math.max(0, both.length - MOST_BYTES), both.length);
    }
  }

  /** An operator with any name. */
  public record Renamed(String name) implements MergeOperator {
    @Override
    public byte[] merge(byte[] key, byte @Nullable [] existing, byte[] operand) {
      return operand;
    }
  }

  /** An operator that throws as long as it is told to. Its values and operands are appended. */
  public static final class Failing implements MergeOperator {
    /** Whether it throws. */
    public volatile boolean fails;

    @Override
    public String name() {
      return "failing";
    }

    @Override
    public byte[] merge(byte[] key, byte @Nullable [] existing, byte[] operand) {
      if (fails) {
        throw new UnsupportedOperationException("told to fail");
      }
      return CHAIN.merge(key, existing, operand);
    }

    @Override
    public byte @Nullable [] combine(byte[] key, byte[] older, byte[] newer) {
      return merge(key, older, newer);
    }
  }
}
