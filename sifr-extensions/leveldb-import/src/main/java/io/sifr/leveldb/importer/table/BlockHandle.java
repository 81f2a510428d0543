package io.sifr.leveldb.importer.table;

import io.sifr.importer.SourceException;
import io.sifr.leveldb.importer.source.Fields;

/**
 * The position of a block in its table.
 *
 * @param offset of its first byte
 * @param bytes as it is stored, without the trailer
 */
record BlockHandle(long offset, long bytes) {
  static BlockHandle read(Fields fields) throws SourceException {
    return new BlockHandle(fields.readVarint(), fields.readVarint());
  }
}
