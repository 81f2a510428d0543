package io.sifr.testing;

import static java.nio.charset.StandardCharsets.US_ASCII;

import io.sifr.internal.entry.EntryKind;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;

/** Draws keys and entries of the shapes that ordered structures stumble over. */
public final class EntryDrawing {
  /** Shapes of keys. */
  public enum Shape {
    /** Long common prefix, digits after it. */
    NUMBERED,
    /**
     * 0 to 3 bytes of few kinds, 0x00, 0x7F, 0x80 and 0xFF among them: prefixes of each other, many
     * versions.
     */
    TINY,
    /** 0 to 40 bytes, all of them one of two kinds: long shared beginnings of every length. */
    BINARY,
    /** Any bytes. */
    WILD
  }

  private static final byte[] EDGES = {0, 1, 0x7F, (byte) 0x80, (byte) 0xFF};

  private EntryDrawing() {}

  /** A key. */
  public static byte[] key(Shape shape, Random random) {
    return switch (shape) {
      case NUMBERED -> ("user" + Padded.number(random.nextInt(5_000), 19)).getBytes(US_ASCII);
      case TINY -> drawn(random.nextInt(4), EDGES, random);
      case BINARY -> drawn(random.nextInt(41), new byte[] {(byte) 0xC3, (byte) 0xC4}, random);
      case WILD -> anyBytes(random.nextInt(24), random);
    };
  }

  private static byte[] anyBytes(int length, Random random) {
    byte[] key = new byte[length];
    random.nextBytes(key);
    return key;
  }

  private static byte[] drawn(int length, byte[] alphabet, Random random) {
    byte[] key = new byte[length];
    for (int i = 0; i < length; i++) {
      key[i] = alphabet[random.nextInt(random.nextInt(alphabet.length) + 1)];
    }
    return key;
  }

  /** An entry with that sequence number; one in five is a tombstone. */
  public static Entry entry(Shape shape, long sequence, Random random) {
    byte[] value = new byte[random.nextInt(60)];
    random.nextBytes(value);
    EntryKind kind = random.nextInt(5) == 0 ? EntryKind.DELETE : EntryKind.PUT;
    return Entry.of(key(shape, random), sequence, kind, value);
  }

  /** Entries with sequence numbers from 1 on, in internal order. */
  public static List<Entry> sortedEntries(Shape shape, int count, Random random) {
    List<Entry> entries = new ArrayList<>();
    for (int i = 1; i <= count; i++) {
      entries.add(entry(shape, i, random));
    }
    entries.sort(null);
    return entries;
  }

  /**
   * A key near that of one of the entries: the same, longer, shorter, or one byte different; or any
   * key.
   */
  public static byte[] keyNear(List<Entry> entries, Shape shape, Random random) {
    if (entries.isEmpty() || random.nextInt(4) == 0) {
      return key(shape, random);
    }
    byte[] key = entries.get(random.nextInt(entries.size())).key();
    return switch (random.nextInt(4)) {
      case 0 -> Arrays.copyOf(key, key.length + 1);
      case 1 -> Arrays.copyOf(key, random.nextInt(key.length + 1));
      case 2 -> changed(key, random);
      default -> key;
    };
  }

  private static byte[] changed(byte[] key, Random random) {
    byte[] changed = key.clone();
    if (changed.length > 0) {
      changed[random.nextInt(changed.length)] += (byte) (random.nextBoolean() ? 1 : -1);
    }
    return changed;
  }
}
