package io.sifr.leveldb.importer.table;

import io.sifr.importer.SourceException;
import io.sifr.leveldb.importer.source.Fields;
import io.sifr.leveldb.importer.source.MaskedChecksum;
import io.sifr.leveldb.importer.source.SourceFile;
import java.io.IOException;

/** Reads blocks of a table: checks and decodes them. */
final class BlockReader {
  /** One byte for how the block is stored, four for the checksum. */
  static final int TRAILER = 5;

  private static final int MOST_STORED_BYTES = Integer.MAX_VALUE - 64;

  private final SourceFile file;
  private final Decoder decoder = new Decoder(Decoder.MOST_BYTES);
  private boolean hasCompressed;

  BlockReader(SourceFile file) {
    this.file = file;
  }

  /** Whether one of the blocks read so far was compressed. */
  boolean hasCompressed() {
    return hasCompressed;
  }

  /**
   * Reads a block.
   *
   * @param end where it must have ended, with its trailer
   */
  BlockEntries read(BlockHandle handle, long end) throws IOException {
    long offset = handle.offset();
    if (handle.bytes() > MOST_STORED_BYTES || handle.bytes() > end - TRAILER - offset) {
      throw file.damaged(
          Math.min(offset, file.size()),
          "a block of " + handle.bytes() + " bytes at offset " + offset + " cannot be there");
    }
    int length = (int) handle.bytes();
    byte[] stored = file.read(offset, length + TRAILER);
    long checksum = trailer(offset, stored, length).readFixed32() & 0xffffffffL;
    if ((int) checksum != MaskedChecksum.of(stored, 0, length + 1)) {
      throw file.damaged(offset, "the checksum of a block of " + length + " bytes does not match");
    }
    int type = stored[length] & 0xff;
    hasCompressed |= Decoder.isCompressed(type);
    try {
      return new BlockEntries(file, offset, decoder.decode(type, stored, length));
    } catch (Decoder.UndecodableException e) {
      throw file.damaged(offset, "a block " + e.getMessage());
    }
  }

  private Fields trailer(long offset, byte[] stored, int length) throws SourceException {
    Fields fields = new Fields(file, offset, stored);
    fields.skip(length + 1);
    return fields;
  }
}
