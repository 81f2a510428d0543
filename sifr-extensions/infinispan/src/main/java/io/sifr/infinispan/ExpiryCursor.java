package io.sifr.infinispan;

import io.sifr.Cursor;

/** The entries that expire, the earliest first. Not thread-safe. */
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
    return EntryKeys.entryKey(cursor.key());
  }

  /** The key of the entry, as Infinispan has it. */
  byte[] key() {
    return EntryKeys.key(entryKey());
  }

  @Override
  public void close() {
    cursor.close();
  }
}
