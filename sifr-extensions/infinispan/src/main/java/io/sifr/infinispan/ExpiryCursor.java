package io.sifr.infinispan;

import io.sifr.Cursor;
import java.util.Arrays;

/** What expires, the earliest first. Not thread-safe. */
final class ExpiryCursor implements AutoCloseable {
  private final Cursor cursor;

  ExpiryCursor(Cursor cursor) {
    this.cursor = cursor;
  }

  boolean next() {
    return cursor.next();
  }

  /** The key among what expires. */
  byte[] expiryKey() {
    return cursor.key();
  }

  /** The key of the entry that expires then, with its segment. */
  byte[] entryKey() {
    byte[] key = cursor.key();
    return Arrays.copyOfRange(key, Long.BYTES, key.length);
  }

  /** The key of the entry, as Infinispan has it. */
  byte[] key() {
    byte[] key = cursor.key();
    return Arrays.copyOfRange(key, Long.BYTES + Short.BYTES, key.length);
  }

  @Override
  public void close() {
    cursor.close();
  }
}
