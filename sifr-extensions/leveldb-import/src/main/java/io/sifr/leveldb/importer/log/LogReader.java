package io.sifr.leveldb.importer.log;

import io.sifr.importer.SourceException;
import io.sifr.leveldb.importer.source.MaskedChecksum;
import io.sifr.leveldb.importer.source.SourceFile;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.util.zip.CRC32C;
import org.jspecify.annotations.Nullable;

/**
 * The records of a log or of a MANIFEST, which have the same form, in RocksDB the latter: blocks of
 * 32 KiB with fragments of records, each with a masked CRC-32C, a length and a type.
 *
 * <p>A killed process leaves a log that ends within a record, or, where the file was made longer in
 * advance, with zeros: there the records end, and nothing is wrong. Everything else that is not as
 * LevelDB writes it is damage, also in the last record. The length in a header decides how far its
 * fragment goes, so a wrong one could look like an end within a record; but then the checksum fits
 * to one of the shorter lengths, of which each is tried.
 */
public final class LogReader {
  private static final int BLOCK = 1 << 15;
  private static final int HEADER = 7;
  private static final int LENGTH_AT = 4;
  private static final int TYPE_AT = 6;

  private static final int FULL = 1;
  private static final int FIRST = 2;
  private static final int MIDDLE = 3;
  private static final int LAST = 4;

  private final SourceFile file;
  private byte[] block = {};
  private long blockOffset;

  /** The position of the next fragment in the block. */
  private int at;

  private int fragmentLength;
  private long recordOffset;
  private boolean isTorn;

  /** Reads a file from its beginning. */
  public LogReader(SourceFile file) {
    this.file = file;
  }

  /** Where the record begins that was read last. */
  public long recordOffset() {
    return recordOffset;
  }

  /** Whether the file ends within a record; known at its end. */
  public boolean isTorn() {
    return isTorn;
  }

  /** The next record, or null when there is none. */
  public byte @Nullable [] next() throws IOException {
    ByteArrayOutputStream fragments = new ByteArrayOutputStream();
    boolean isBegun = false;
    while (true) {
      int type = nextFragment();
      if (type == 0) {
        isTorn |= isBegun;
        return null;
      }
      boolean begins = type == FULL || type == FIRST;
      // A writer of LevelDB's first years left an empty first fragment at the end of a block.
      if (begins && fragments.size() > 0) {
        throw damaged("a record begins within the one that begins at " + recordOffset);
      } else if (!begins && !isBegun) {
        throw damaged("the beginning of a record is missing");
      } else if (begins) {
        recordOffset = blockOffset + at;
        isBegun = true;
      }
      fragments.write(block, at + HEADER, fragmentLength);
      at += HEADER + fragmentLength;
      if (type == FULL || type == LAST) {
        return fragments.toByteArray();
      }
    }
  }

  /** Looks at the next fragment; returns its type, or 0 when there is none. */
  private int nextFragment() throws IOException {
    if (block.length - at < HEADER && !nextBlock()) {
      return 0;
    }
    int left = block.length - at - HEADER;
    if (left < 0) {
      isTorn = true;
      return 0;
    }
    int checksum = 0;
    for (int i = Integer.BYTES - 1; i >= 0; i--) {
      checksum = (checksum << Byte.SIZE) | (block[at + i] & 0xff);
    }
    fragmentLength =
        (block[at + LENGTH_AT] & 0xff) | ((block[at + LENGTH_AT + 1] & 0xff) << Byte.SIZE);
    int type = block[at + TYPE_AT] & 0xff;
    if (checksum == 0 && fragmentLength == 0 && type == 0) {
      requireZeros();
      return 0;
    } else if (fragmentLength > BLOCK - at - HEADER) {
      throw damaged("a length of " + fragmentLength + ", which no block has room for");
    } else if (fragmentLength > left) {
      requireNoShorter(checksum, left);
      isTorn = true;
      return 0;
    } else if (checksum != MaskedChecksum.of(block, at + TYPE_AT, 1 + fragmentLength)) {
      throw damaged("the checksum does not match");
    } else if (type != FULL && type != FIRST && type != MIDDLE && type != LAST) {
      throw damaged("a record of the type " + type + ", which does not exist");
    }
    return type;
  }

  /** Goes to the next block; false when the file has ended. */
  private boolean nextBlock() throws IOException {
    // Only the last block is shorter, and what is left of it is the beginning of a header.
    if (block.length % BLOCK != 0) {
      isTorn |= block.length > at;
      return false;
    }
    blockOffset += block.length;
    block = file.read(blockOffset, (int) Math.min(BLOCK, file.size() - blockOffset));
    at = 0;
    return block.length > 0;
  }

  /** Zeros are the end of a file that was made longer in advance: nothing may follow them. */
  private void requireZeros() throws IOException {
    long zeros = blockOffset + at;
    do {
      for (; at < block.length; at++) {
        if (block[at] != 0) {
          throw file.damaged(zeros, "zeros, and at offset " + (blockOffset + at) + " other bytes");
        }
      }
    } while (nextBlock());
  }

  private void requireNoShorter(int checksum, int left) throws SourceException {
    CRC32C running = new CRC32C();
    running.update(block[at + TYPE_AT]);
    for (int length = 0; length <= left; length++) {
      if (MaskedChecksum.of(running) == checksum) {
        throw damaged(
            "a length of " + fragmentLength + ", where the checksum fits to one of " + length);
      }
      if (length < left) {
        running.update(block[at + HEADER + length]);
      }
    }
  }

  private SourceException damaged(String what) {
    return file.damaged(blockOffset + at, what);
  }
}
