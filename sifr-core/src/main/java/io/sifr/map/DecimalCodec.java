package io.sifr.map;

import io.sifr.spi.OrderedCodec;
import java.io.ByteArrayOutputStream;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.nio.BufferUnderflowException;
import java.nio.ByteBuffer;
import java.util.Comparator;

/** See {@link Codecs#decimals}. */
enum DecimalCodec implements OrderedCodec<BigDecimal> {
  DECIMALS;

  private static final byte NEGATIVE = 0;
  private static final byte ZERO = 1;
  private static final byte POSITIVE = 2;

  /** Of a number without its zeros in front. */
  private static final int MOST_DIGITS = 100_000;

  /** Follows the digits; smaller than any pair of them. */
  private static final byte END = 0;

  private static final Comparator<BigDecimal> ORDER =
      Comparator.<BigDecimal>naturalOrder().thenComparing(BigDecimal::scale);

  @Override
  public Comparator<? super BigDecimal> comparator() {
    return ORDER;
  }

  @Override
  public byte[] encode(BigDecimal value) {
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    if (value.signum() == 0) {
      bytes.write(ZERO);
    } else {
      boolean isNegative = value.signum() < 0;
      bytes.write(isNegative ? NEGATIVE : POSITIVE);
      writeMagnitude(value, isNegative ? -1 : 0, bytes);
    }
    writeInt(value.scale(), 0, bytes);
    return bytes.toByteArray();
  }

  /**
   * Writes the exponent of ten, and the digits without zeros at their end.
   *
   * @param inversion -1 if each byte is inverted, else 0
   */
  private static void writeMagnitude(BigDecimal value, int inversion, ByteArrayOutputStream bytes) {
    checkDigits(value.precision());
    long exponent = (long) value.precision() - value.scale();
    if (exponent > Integer.MAX_VALUE) {
      throw new IllegalArgumentException("a decimal of about 10 to the power of " + exponent);
    }
    writeInt((int) exponent, inversion, bytes);
    String digits = value.unscaledValue().abs().toString();
    int end = digits.length();
    while (digits.charAt(end - 1) == '0') {
      end--;
    }
    for (int i = 0; i < end; i += 2) {
      int pair = 10 * (digits.charAt(i) - '0') + (i + 1 < end ? digits.charAt(i + 1) - '0' : 0);
      bytes.write((pair + 1) ^ inversion);
    }
    bytes.write(END ^ inversion);
  }

  /** A few bytes may stand for very many zeros. */
  private static void checkDigits(long digits) {
    if (digits > MOST_DIGITS) {
      throw new IllegalArgumentException(
          "no decimal: " + digits + " digits; allowed: up to " + MOST_DIGITS);
    }
  }

  private static void writeInt(int value, int inversion, ByteArrayOutputStream bytes) {
    int ordered = value ^ Integer.MIN_VALUE ^ inversion;
    bytes.writeBytes(ByteBuffer.allocate(Integer.BYTES).putInt(ordered).array());
  }

  @Override
  public BigDecimal decode(byte[] bytes) {
    try {
      BigDecimal value = decoded(ByteBuffer.wrap(bytes));
      // What does not come out as it was is no encoding: a pair that is none, zeros at the end.
      if (ByteBuffer.wrap(encode(value)).equals(ByteBuffer.wrap(bytes))) {
        return value;
      }
    } catch (BufferUnderflowException | NumberFormatException e) {
      throw new IllegalArgumentException("no decimal: it ends too early, or has no digits", e);
    }
    throw new IllegalArgumentException("no decimal: another encoding of its value");
  }

  private static BigDecimal decoded(ByteBuffer bytes) {
    byte sign = bytes.get();
    if (sign == ZERO) {
      return new BigDecimal(BigInteger.ZERO, bytes.getInt() ^ Integer.MIN_VALUE);
    }
    int inversion = sign == NEGATIVE ? -1 : 0;
    int exponent = bytes.getInt() ^ Integer.MIN_VALUE ^ inversion;
    StringBuilder digits = new StringBuilder();
    for (int pair = bytes.get() ^ inversion; pair != END; pair = bytes.get() ^ inversion) {
      digits.append((char) ('0' + (pair - 1) / 10)).append((char) ('0' + (pair - 1) % 10));
    }
    int scale = bytes.getInt() ^ Integer.MIN_VALUE;
    long precision = (long) exponent + scale;
    checkDigits(precision);
    digits.append("0".repeat((int) Math.max(0, precision - digits.length())));
    digits.setLength((int) Math.max(0, precision)); // half of a pair may be none
    BigInteger unscaled = new BigInteger(digits.toString());
    return new BigDecimal(sign == NEGATIVE ? unscaled.negate() : unscaled, scale);
  }
}
