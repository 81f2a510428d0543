package io.sifr.leveldb.importer.table;

import io.sifr.importer.SourceException;
import io.sifr.leveldb.importer.source.Fields;
import io.sifr.leveldb.importer.source.SourceFile;
import java.util.Arrays;

/**
 * The entries of a decoded block in their order. A key is what it shares with the one before, and
 * the rest. The offsets of keys that share nothing are at the end, for searches; here they are
 * passed over.
 */
final class BlockEntries {
  private static final int KEY_BYTES_AT_FIRST = 64;

  private final Fields fields;
  private byte[] key = new byte[KEY_BYTES_AT_FIRST];
  private int keyLength;
  private byte[] value = {};

  BlockEntries(SourceFile file, long offset, byte[] block) throws SourceException {
    int end = block.length - Integer.BYTES;
    Fields tail = new Fields(file, offset, block);
    if (end < 0) {
      throw tail.damaged("a block of " + block.length + " bytes");
    }
    tail.skip(end);
    long restarts = tail.readFixed32();
    if (restarts > end / Integer.BYTES) {
      throw tail.damaged("a block that says it has " + restarts + " places to begin at");
    }
    this.fields = new Fields(file, offset, block, end - (int) restarts * Integer.BYTES);
  }

  /** Goes to the next entry; false when there is none. */
  boolean next() throws SourceException {
    if (fields.isAtEnd()) {
      return false;
    }
    long shared = fields.readVarint();
    long rest = fields.readVarint();
    long valueLength = fields.readVarint();
    if (shared > keyLength || rest > fields.left() || valueLength > fields.left() - rest) {
      throw fields.damaged("an entry of a block goes beyond it");
    }
    keyLength = (int) (shared + rest);
    if (keyLength > key.length) {
      key = Arrays.copyOf(key, Math.max(keyLength, 2 * key.length));
    }
    fields.readBytes((int) rest, key, (int) shared);
    value = fields.readBytes((int) valueLength);
    return true;
  }

  /** The key, at the beginning of an array that changes with the next one. */
  byte[] key() {
    return key;
  }

  int keyLength() {
    return keyLength;
  }

  byte[] value() {
    return value;
  }

  /** What names this block in an error. */
  Fields fields() {
    return fields;
  }
}
