package io.sifr.internal.sst.format;

/**
 * Reads the entries of a block by number, in any order, and builds their keys in an array. It
 * checks only what keeps it from reading beyond the block. For one thread.
 */
public final class EntryReader {
  /**
   * The array has so much more room than a key needs: words and short rests are copied as longs.
   */
  private static final int SLACK = 2 * Long.BYTES;

  private final BlockEntries block;

  /** The key of the current entry. */
  public byte[] key = new byte[64];

  public int keyLength;

  /** Sequence number and kind of the current entry; negative if the number is out of range. */
  public long trailer;

  private int number = -1;

  /** Where the group begins whose prefix is in the array. */
  private int groupAt;

  /**
   * @param block shows one block after another; nobody else locates entries in it while an entry of
   *     this reader is in use
   */
  public EntryReader(BlockEntries block) {
    this.block = block;
  }

  /** Begins a block, before its first entry. */
  public void enter() {
    number = -1;
    copyPrefix();
  }

  private void copyPrefix() {
    groupAt = block.groupAt();
    int prefix = block.prefixBytes();
    requireRoom(prefix);
    block.buffer.get(groupAt + BlockEntries.HEAD_BYTES, key, 0, prefix);
  }

  /** Number of the current entry in its block; -1 before the first. */
  public int number() {
    return number;
  }

  /** Whether the block has another entry. */
  public boolean hasNext() {
    return number + 1 < block.groupEnd() || block.isFollowed();
  }

  /** Moves to an entry. Returns false when it is damaged; the reader is undefined then. */
  public boolean moveTo(int entry) {
    if (!block.locate(entry)) {
      return false;
    }
    number = entry;
    if (block.groupAt() != groupAt) {
      copyPrefix();
    }
    int length = block.keyLength();
    if (length + SLACK > key.length) {
      requireRoom(length);
    }
    block.copyKey(entry, key);
    keyLength = length;
    trailer = block.trailer();
    return true;
  }

  private void requireRoom(int length) {
    if (length + SLACK > key.length) {
      byte[] larger = new byte[2 * (length + SLACK)];
      System.arraycopy(key, 0, larger, 0, Math.min(key.length, block.prefixBytes()));
      key = larger;
    }
  }
}
