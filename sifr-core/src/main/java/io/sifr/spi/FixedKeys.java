package io.sifr.spi;

import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Keys that never change. Immutable. */
final class FixedKeys implements EncryptionKeys {
  private final Map<Integer, byte[]> keys = new HashMap<>();
  private final int current;

  FixedKeys(Map<Integer, byte[]> keys, int current) {
    keys.forEach((number, key) -> this.keys.put(number, key.clone()));
    this.current = current;
  }

  @Override
  public int current() {
    return current;
  }

  @Override
  public byte @Nullable [] key(int number) {
    byte[] key = keys.get(number);
    return key == null ? null : key.clone();
  }

  @Override
  public String toString() {
    return "keys " + keys.keySet() + ", current " + current;
  }
}
