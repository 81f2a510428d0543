package io.sifr.internal.sst;

import io.sifr.error.CorruptionException;
import io.sifr.internal.entry.Trailer;
import io.sifr.internal.format.FileHeader;
import io.sifr.internal.util.Bytes;
import io.sifr.internal.util.VarInts;
import java.nio.BufferUnderflowException;
import java.nio.ByteBuffer;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * The fences of an SST in compact arrays: which block may hold a key, and where that block is.
 *
 * <p>The common prefix of all fences is stripped, and the next eight bytes of each are kept in an
 * array of longs, so that a search compares numbers in one or two cache lines and compares further
 * bytes only on a tie. Immutable; safe for any thread.
 */
final class FenceIndex {
  private static final long NO_SEQUENCE = Trailer.MAX_SEQUENCE;

  /** Offset of block i in the file; the last element is the end of the last block. */
  private final int[] offsets;

  private final byte[] common;

  // Index i holds the fence of block i + 1: the first block has none.
  private final long[] prefixes; // sign flipped: signed comparison gives unsigned order
  private final int[] keyEnds;
  private final byte[] keys; // without the common prefix
  private final long @Nullable [] sequences; // null when no fence has one

  private FenceIndex(int[] offsets, byte[] fences, int[] fenceEnds, long @Nullable [] sequences) {
    int count = fenceEnds.length;
    int stripped = 0;
    if (count > 0) {
      int last = count == 1 ? 0 : fenceEnds[count - 2];
      stripped =
          Bytes.commonPrefix(fences, 0, fenceEnds[0], fences, last, fenceEnds[count - 1] - last);
    }
    this.offsets = offsets;
    this.common = Arrays.copyOf(fences, stripped);
    this.sequences = sequences;
    this.prefixes = new long[count];
    this.keyEnds = new int[count];
    this.keys = new byte[count == 0 ? 0 : fenceEnds[count - 1] - count * stripped];
    int from = 0;
    int to = 0;
    for (int i = 0; i < count; i++) {
      int length = fenceEnds[i] - from - stripped;
      System.arraycopy(fences, from + stripped, keys, to, length);
      prefixes[i] = Bytes.prefix(keys, to, length) ^ Long.MIN_VALUE;
      from = fenceEnds[i];
      to += length;
      keyEnds[i] = to;
    }
  }

  int blocks() {
    return offsets.length - 1;
  }

  /** Offset of a block in the file. */
  int offset(int block) {
    return offsets[block];
  }

  /** Offset of a block's end in the file. */
  int end(int block) {
    return offsets[block + 1];
  }

  /** Size of a block in the file. */
  int bytes(int block) {
    return end(block) - offset(block);
  }

  /** Offset of a block's first page, which may also hold the file's header. */
  int pageStart(int block) {
    return SstFormat.pageStart(offsets[block]);
  }

  /** Number of pages a block occupies. */
  int pages(int block) {
    return (end(block) - pageStart(block)) / SstFormat.PAGE_BYTES;
  }

  /**
   * The block with the newest version of the key that a reader at {@code sequence} may see, if
   * there is one: the last block whose fence is not after (key, sequence).
   */
  int find(byte[] key, int offset, int length, long sequence) {
    int count = prefixes.length;
    int stripped = common.length;
    if (stripped > 0) {
      int order = Bytes.compare(key, offset, Math.min(length, stripped), common, 0, stripped);
      if (order != 0) {
        return order < 0 ? 0 : count;
      }
    }
    long prefix = Bytes.prefix(key, offset + stripped, length - stripped) ^ Long.MIN_VALUE;
    int after = countUpTo(prefix);
    if (after > 0 && prefixes[after - 1] == prefix) {
      return countEqualUpTo(prefix, after, key, offset + stripped, length - stripped, sequence);
    }
    return after;
  }

  /** Number of fences whose prefix is at most {@code prefix}. */
  private int countUpTo(long prefix) {
    int low = 0;
    int size = prefixes.length;
    while (size > 0) {
      int half = (size + 1) >>> 1;
      low += prefixes[low + half - 1] <= prefix ? half : 0; // a conditional move, no branch
      size -= half;
    }
    return low;
  }

  /** Searches among the fences whose first eight bytes are those of the key. */
  private int countEqualUpTo(
      long prefix, int after, byte[] key, int offset, int length, long sequence) {
    int low = prefix == Long.MIN_VALUE ? 0 : countUpTo(prefix - 1);
    int high = after;
    while (low < high) {
      int middle = (low + high) >>> 1;
      if (compareStripped(middle, key, offset, length, sequence) <= 0) {
        low = middle + 1;
      } else {
        high = middle;
      }
    }
    return low;
  }

  private int compareStripped(int fence, byte[] key, int offset, int length, long sequence) {
    int from = fence == 0 ? 0 : keyEnds[fence - 1];
    int order = Bytes.compare(keys, from, keyEnds[fence] - from, key, offset, length);
    return order != 0 ? order : Long.compare(sequence, sequenceOf(fence));
  }

  private long sequenceOf(int fence) {
    return sequences == null ? NO_SEQUENCE : sequences[fence];
  }

  /** Compares the fence of a block other than the first with an entry, in internal order. */
  int compareFence(int block, byte[] key, int length, long sequence) {
    int stripped = common.length;
    int order = Bytes.compare(common, 0, stripped, key, 0, Math.min(length, stripped));
    return order != 0
        ? order
        : compareStripped(block - 1, key, stripped, length - stripped, sequence);
  }

  /**
   * Reads all parts of an index, trusting nothing but its checksums.
   *
   * @param baseSequence base that is added to the sequence numbers in the file
   * @throws CorruptionException when it is not the index that the footer describes
   */
  static FenceIndex read(Footer footer, long baseSequence, TailBlocks blocks) {
    return new Reading(footer, baseSequence, blocks).read();
  }

  /** Decodes the fences and numbers of a part or of the top in sequence. */
  private static final class Node {
    final ByteBuffer encoded;
    byte[] fence = new byte[64];
    int length;
    long sequence;

    Node(ByteBuffer encoded) {
      this.encoded = encoded;
    }

    boolean hasMore() {
      return encoded.hasRemaining();
    }

    void next(long baseSequence) {
      int shared = VarInts.getInt(encoded);
      int suffixAndFlag = VarInts.getInt(encoded);
      int suffix = suffixAndFlag >>> 1;
      sequence = NO_SEQUENCE;
      if ((suffixAndFlag & 1) != 0) {
        long inFile = VarInts.getLong(encoded);
        sequence = baseSequence + inFile;
        check(inFile >= 0 && sequence < NO_SEQUENCE, "invalid sequence number of a fence");
      }
      check(shared <= length && suffix <= encoded.remaining(), "invalid length of a fence");
      if (shared + suffix > fence.length) {
        fence = Arrays.copyOf(fence, 2 * (shared + suffix));
      }
      encoded.get(fence, shared, suffix);
      length = shared + suffix;
    }

    boolean isEmpty() {
      return length == 0 && sequence == NO_SEQUENCE;
    }

    int number() {
      return VarInts.getInt(encoded);
    }
  }

  private static void check(boolean holds, String otherwise) {
    if (!holds) {
      throw new IllegalArgumentException(otherwise);
    }
  }

  /**
   * The state of reading. Faults are thrown as {@link IllegalArgumentException}; {@link #read} adds
   * the offset.
   */
  private static final class Reading {
    private final Footer footer;
    private final long baseSequence;
    private final TailBlocks blocks;
    private final int[] offsets;
    private final int[] fenceEnds;
    private byte[] fences;
    private long @Nullable [] sequences;
    private int block;

    // Offset of the current node in the file, for messages.
    private int at;
    private Node node;

    Reading(Footer footer, long baseSequence, TailBlocks blocks) {
      this.footer = footer;
      this.baseSequence = baseSequence;
      this.blocks = blocks;
      this.offsets = new int[footer.blocks() + 1];
      this.fenceEnds = new int[footer.blocks() - 1];
      this.fences = new byte[footer.topOffset() - footer.blocksEnd() + 64];
      this.at = footer.topOffset();
      this.node = new Node(blocks.get("top of the index", at, footer.topBytes()));
      this.offsets[0] = FileHeader.BYTES;
    }

    FenceIndex read() {
      try {
        readParts(node);
        return new FenceIndex(offsets, fences, fenceEnds, sequences);
      } catch (BufferUnderflowException e) {
        throw wrong("it is truncated");
      } catch (IllegalArgumentException e) {
        throw wrong(e.getMessage());
      }
    }

    private CorruptionException wrong(@Nullable String what) {
      return new CorruptionException(
          blocks.decoder().file(),
          at + node.encoded.position(),
          "index of " + footer.blocks() + " blocks: " + what);
    }

    private void readParts(Node top) {
      int partAt = footer.blocksEnd();
      while (top.hasMore()) {
        top.next(baseSequence);
        int bytes = top.number();
        check(
            bytes > StoredBlock.BYTES && bytes <= footer.topOffset() - partAt,
            "invalid length of a part");
        at = partAt;
        node = new Node(blocks.get("part of the index", at, bytes));
        readPart(top);
        partAt += bytes;
        at = footer.topOffset();
        node = top;
      }
      check(partAt == footer.topOffset(), "the parts do not end where the top begins");
      check(block == footer.blocks(), "there are fewer of them");
      check(offsets[block] == footer.blocksEnd(), "the last one ends too early");
    }

    private void readPart(Node top) {
      check(node.number() == block, "wrong number of a part's first block");
      check(
          node.number() == offsets[block] / SstFormat.PAGE_BYTES,
          "wrong page of a part's first block");
      node.next(baseSequence);
      check(node.isEmpty(), "a part's first block has a fence");
      addBlock(top);
      while (node.hasMore()) {
        node.next(baseSequence);
        addBlock(node);
      }
    }

    private void addBlock(Node fence) {
      check(block < footer.blocks(), "there are more of them");
      int pages = node.number();
      int from = SstFormat.pageStart(offsets[block]);
      int left = (footer.blocksEnd() - from) / SstFormat.PAGE_BYTES;
      if (pages <= 0 || pages > left) {
        throw new IllegalArgumentException("a block of %d pages of %d".formatted(pages, left));
      }
      offsets[block + 1] = from + pages * SstFormat.PAGE_BYTES;
      if (block == 0) {
        check(fence.isEmpty(), "block 0 has a fence");
      } else {
        // The raw form of a block may be larger than its stored form.
        int most = Math.max(offsets[block + 1] - from, SstFormat.MAX_ENCODED_RAW_BYTES);
        check(fence.length <= most, "a fence is longer than its block");
        addFence(fence, block - 1);
      }
      block++;
    }

    private void addFence(Node fence, int number) {
      int from = number == 0 ? 0 : fenceEnds[number - 1];
      check(fence.length < Integer.MAX_VALUE - 8 - from, "the fences are too long");
      int end = from + fence.length;
      if (end > fences.length) {
        fences = Arrays.copyOf(fences, Math.max(end, 2 * fences.length));
      }
      System.arraycopy(fence.fence, 0, fences, from, fence.length);
      fenceEnds[number] = end;
      if (fence.sequence != NO_SEQUENCE) {
        sequences()[number] = fence.sequence;
      }
      check(number == 0 || isAfterPrevious(number, fence.sequence), "fences out of order");
    }

    private boolean isAfterPrevious(int fence, long sequence) {
      int before = start(fence - 1);
      int from = start(fence);
      int order =
          Bytes.compare(fences, before, from - before, fences, from, fenceEnds[fence] - from);
      return order < 0 || (order == 0 && sequences != null && sequences[fence - 1] > sequence);
    }

    private int start(int fence) {
      return fence == 0 ? 0 : fenceEnds[fence - 1];
    }

    private long[] sequences() {
      if (sequences == null) {
        sequences = new long[fenceEnds.length];
        Arrays.fill(sequences, NO_SEQUENCE);
      }
      return sequences;
    }
  }
}
