package io.sifr.internal.codec;

import static com.google.common.base.Preconditions.checkArgument;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;
import java.util.Arrays;

/**
 * LZ4's block format: sequences of literals, which are bytes as they are, and a match, which
 * repeats earlier bytes.
 *
 * <pre>
 * sequence := token, more length of the literals*, literals, u16 distance of the match, more length of the match*
 * token    := length of the literals · 16 + length of the match − 4; 15 of either: more follows
 * more     := u8 to be added; 255: another follows
 * </pre>
 *
 * <p>Distances are little-endian. The last sequence ends after its literals, which are the last
 * five bytes at least; the last match begins twelve bytes before the end or earlier.
 *
 * <p>It is written here because the libraries that have it use native code or {@code
 * sun.misc.Unsafe}, of which JVMs from 24 on warn and which they are going to remove. All accesses
 * are checked by the JVM, whatever the input is.
 */
final class Lz4Block {
  private static final VarHandle LONG =
      MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.LITTLE_ENDIAN);
  private static final VarHandle INT =
      MethodHandles.byteArrayViewVarHandle(int[].class, ByteOrder.LITTLE_ENDIAN);

  private static final int MIN_MATCH = 4;
  private static final int LAST_LITERALS = 5;
  private static final int LAST_MATCH_BEFORE_END = 12;
  private static final int MAX_NIBBLE = 15;
  private static final int MAX_MORE = 255;

  /** Positions fit into the table's elements, and all distances into 16 bits. */
  private static final int MAX_RAW_BYTES = Character.MAX_VALUE;

  private static final int TABLE_BITS = 13;

  /**
   * After this many positions without a match, as a power of two, one of two is tried, and so on.
   */
  private static final int PATIENCE_BITS = 6;

  private Lz4Block() {}

  /** A table for {@link #encode}. */
  static char[] newTable() {
    return new char[1 << TABLE_BITS];
  }

  /**
   * Encodes {@code raw} from {@code from} to {@code to}.
   *
   * @param target receives the encoded form from {@code at} on
   * @param limit end of the target
   * @param table from {@link #newTable}; its contents do not matter
   * @return where the encoded form ends; negative if it has no room
   */
  static int encode(byte[] raw, int from, int to, byte[] target, int at, int limit, char[] table) {
    if (to - from > MAX_RAW_BYTES) {
      throw new IllegalArgumentException((to - from) + " bytes; allowed: up to " + MAX_RAW_BYTES);
    }
    Arrays.fill(table, (char) 0);
    int lastMatch = to - LAST_MATCH_BEFORE_END;
    int matchEnd = to - LAST_LITERALS;
    int literals = from;
    int out = at;
    int position = from + 1; // the first byte is at position 0, which stands for none
    int tried = 1 << PATIENCE_BITS;
    while (position <= lastMatch) {
      int word = (int) INT.get(raw, position);
      int slot = (word * 0x9E3779B1) >>> (Integer.SIZE - TABLE_BITS);
      int earlier = from + table[slot];
      table[slot] = (char) (position - from);
      if ((int) INT.get(raw, earlier) != word) {
        position += tried++ >>> PATIENCE_BITS;
        continue;
      }
      tried = 1 << PATIENCE_BITS;
      while (position > literals && earlier > from && raw[position - 1] == raw[earlier - 1]) {
        position--;
        earlier--;
      }
      int length = MIN_MATCH + common(raw, earlier + MIN_MATCH, position + MIN_MATCH, matchEnd);
      out = putSequence(raw, literals, position, position - earlier, length, target, out, limit);
      if (out < 0) {
        return out;
      }
      position += length;
      literals = position;
      if (position <= lastMatch) {
        // Repetitions often follow each other, a few bytes apart.
        int within = position - 2;
        int hashed = ((int) INT.get(raw, within) * 0x9E3779B1) >>> (Integer.SIZE - TABLE_BITS);
        table[hashed] = (char) (within - from);
      }
    }
    return putLiterals(raw, literals, to, 0, target, out, limit);
  }

  /** Number of bytes that are equal from two positions on, as far as the end. */
  private static int common(byte[] raw, int earlier, int position, int end) {
    int at = position;
    int other = earlier;
    while (at + Long.BYTES <= end) {
      long difference = (long) LONG.get(raw, at) ^ (long) LONG.get(raw, other);
      if (difference != 0) {
        return at - position + (Long.numberOfTrailingZeros(difference) >>> 3);
      }
      at += Long.BYTES;
      other += Long.BYTES;
    }
    while (at < end && raw[at] == raw[other]) {
      at++;
      other++;
    }
    return at - position;
  }

  private static int putSequence(
      byte[] raw,
      int literals,
      int literalsEnd,
      int distance,
      int length,
      byte[] target,
      int at,
      int limit) {
    int more = length - MIN_MATCH;
    int out =
        putLiterals(raw, literals, literalsEnd, Math.min(more, MAX_NIBBLE), target, at, limit);
    if (out < 0 || out + Short.BYTES + 1 + more / MAX_MORE > limit) {
      return -1;
    }
    target[out] = (byte) distance;
    target[out + 1] = (byte) (distance >>> 8);
    out += Short.BYTES;
    return more < MAX_NIBBLE ? out : putMore(target, out, more - MAX_NIBBLE);
  }

  /** Writes a token, and the literals. */
  private static int putLiterals(
      byte[] raw, int from, int to, int matchNibble, byte[] target, int at, int limit) {
    int length = to - from;
    if (at + 2 + length / MAX_MORE + length > limit) {
      return -1;
    }
    int out = at + 1;
    target[at] = (byte) (Math.min(length, MAX_NIBBLE) << 4 | matchNibble);
    if (length >= MAX_NIBBLE) {
      out = putMore(target, out, length - MAX_NIBBLE);
    }
    if (length <= Long.BYTES && out + Long.BYTES <= limit && from + Long.BYTES <= raw.length) {
      LONG.set(target, out, (long) LONG.get(raw, from));
    } else {
      System.arraycopy(raw, from, target, out, length);
    }
    return out + length;
  }

  private static int putMore(byte[] target, int at, int more) {
    int out = at;
    int left = more;
    while (left >= MAX_MORE) {
      target[out++] = (byte) MAX_MORE;
      left -= MAX_MORE;
    }
    target[out++] = (byte) left;
    return out;
  }

  /**
   * Decodes a block.
   *
   * @param payload begins with the encoded form; has {@link Scratch#SLACK_BYTES} more
   * @param raw receives the raw form from its start on; has as many bytes more
   * @throws IllegalArgumentException when the encoded form does not decode to that many bytes
   */
  static void decode(byte[] payload, int payloadBytes, byte[] raw, int rawBytes) {
    int in = 0;
    int out = 0;
    while (true) {
      checkArgument(in < payloadBytes, "the payload ends early");
      int token = payload[in++] & 0xFF;
      int literals = token >>> 4;
      if (literals == MAX_NIBBLE) {
        int more;
        do {
          checkArgument(in < payloadBytes, "the payload ends early");
          more = payload[in++] & 0xFF;
          literals += more;
        } while (more == MAX_MORE);
      }
      checkArgument(
          literals <= payloadBytes - in && literals <= rawBytes - out, "too many literals");
      copyLiterals(payload, in, raw, out, literals);
      in += literals;
      out += literals;
      if (in == payloadBytes) {
        break;
      }
      checkArgument(in + Short.BYTES <= payloadBytes, "the payload ends early");
      int distance = (payload[in] & 0xFF) | (payload[in + 1] & 0xFF) << 8;
      in += Short.BYTES;
      int length = token & MAX_NIBBLE;
      if (length == MAX_NIBBLE) {
        int more;
        do {
          checkArgument(in < payloadBytes, "the payload ends early");
          more = payload[in++] & 0xFF;
          length += more;
        } while (more == MAX_MORE);
      }
      length += MIN_MATCH;
      checkArgument(distance > 0 && distance <= out, "a match before the beginning");
      checkArgument(length <= rawBytes - out, "a match beyond the end");
      repeat(raw, out, distance, length);
      out += length;
    }
    checkArgument(out == rawBytes, "the payload decodes to less");
  }

  private static void copyLiterals(byte[] payload, int in, byte[] raw, int out, int length) {
    if (length <= 2 * Long.BYTES) {
      LONG.set(raw, out, (long) LONG.get(payload, in));
      LONG.set(raw, out + Long.BYTES, (long) LONG.get(payload, in + Long.BYTES));
    } else {
      System.arraycopy(payload, in, raw, out, length);
    }
  }

  /** Appends bytes that are there already, and perhaps some of those that it appends. */
  private static void repeat(byte[] raw, int out, int distance, int length) {
    int from = out - distance;
    if (distance >= Long.BYTES) {
      for (int i = 0; i < length; i += Long.BYTES) {
        LONG.set(raw, out + i, (long) LONG.get(raw, from + i));
      }
    } else {
      for (int i = 0; i < length; i++) {
        raw[out + i] = raw[from + i];
      }
    }
  }
}
