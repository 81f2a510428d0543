package io.sifr.model;

import java.util.Arrays;
import java.util.Random;

/**
 * A small set of keys of awkward shapes, so that random operations meet again and again: the empty
 * key, keys that are prefixes of others, long shared prefixes, bytes above 0x7F, a few very long
 * keys.
 */
final class RandomKeys {
  private final byte[][] keys;
  private final byte[][] sorted;

  RandomKeys(Random random, int count) {
    keys = new byte[count][];
    byte[] shared = new byte[20];
    random.nextBytes(shared);
    keys[0] = new byte[0];
    for (int i = 1; i < count; i++) {
      keys[i] = make(random, shared, i);
    }
    sorted = keys.clone();
    Arrays.sort(sorted, Arrays::compareUnsigned);
  }

  private byte[] make(Random random, byte[] shared, int index) {
    return switch (random.nextInt(8)) {
      case 0 -> bytes(random, random.nextInt(4));
      case 1 -> {
        byte[] other = keys[random.nextInt(index)];
        yield Arrays.copyOf(other, Math.min(other.length + random.nextInt(3), 1 << 16));
      }
      case 2 -> bytes(random, random.nextInt(60) == 0 ? 1 << 16 : random.nextInt(300));
      default -> {
        byte[] key = Arrays.copyOf(shared, shared.length + 1 + random.nextInt(4));
        for (int i = shared.length; i < key.length; i++) {
          key[i] = (byte) random.nextInt(256);
        }
        yield key;
      }
    };
  }

  private static byte[] bytes(Random random, int length) {
    byte[] bytes = new byte[length];
    random.nextBytes(bytes);
    return bytes;
  }

  /** The key that so much of all keys come before: 0 for the smallest, 1 for the largest. */
  byte[] ranked(double share) {
    return sorted[(int) (share * (sorted.length - 1))];
  }

  byte[] any(Random random) {
    return keys[random.nextInt(keys.length)];
  }
}
