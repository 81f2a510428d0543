package io.sifr.internal.sst.format;

import static com.google.common.base.Preconditions.checkArgument;

import io.sifr.error.CorruptionException;
import io.sifr.internal.cache.CachedTable;
import io.sifr.internal.cache.SharedCache;
import io.sifr.internal.util.Bytes;
import io.sifr.internal.util.Bytes.VarInts;
import java.nio.BufferUnderflowException;
import java.nio.ByteBuffer;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * The top of an SST's index: which part may have the block of a key, and where that part is. It
 * also reads the parts, and trusts nothing but their checksums. Immutable; safe for any thread.
 */
public final class IndexTop {
  /** Bytes of a fence and a number in a part, at least. */
  private static final int MIN_BLOCK_BYTES = 3;

  private final StoredBlock.Decoder decoder;
  private final Footer footer;
  private final long baseSequence;

  /** The fences of the first blocks of all parts but the first. */
  private final IndexPart.Fences fences;

  /** Offset of part i in the file; the last element is the end of the last part. */
  private final int[] offsets;

  private IndexTop(
      StoredBlock.Decoder decoder,
      Footer footer,
      long baseSequence,
      IndexPart.Fences fences,
      int[] offsets) {
    this.decoder = decoder;
    this.footer = footer;
    this.baseSequence = baseSequence;
    this.fences = fences;
    this.offsets = offsets;
  }

  /**
   * Reads the top.
   *
   * @param baseSequence base that is added to the sequence numbers in the file
   * @throws CorruptionException when it is not the top that the footer describes
   */
  public static IndexTop read(Footer footer, long baseSequence, StoredBlock.Decoder.Tail blocks) {
    int at = footer.topOffset();
    Node node = new Node(blocks.get("top of the index", at, footer.topBytes()), baseSequence);
    IndexPart.Fences.Collector fences = new IndexPart.Fences.Collector();
    int[] offsets = {footer.partsOffset(), 0};
    int parts = 0;
    try {
      while (node.hasMore()) {
        node.next();
        int bytes = node.number();
        checkArgument(
            bytes > StoredBlock.BYTES && bytes <= footer.topOffset() - offsets[parts],
            "invalid length of a part");
        if (parts == 0) {
          checkArgument(node.isEmpty(), "block 0 has a fence");
        } else {
          fences.add(node.fence, node.length, node.sequence);
        }
        if (++parts == offsets.length) {
          offsets = Arrays.copyOf(offsets, 2 * parts);
        }
        offsets[parts] = offsets[parts - 1] + bytes;
      }
      checkArgument(
          parts > 0 && offsets[parts] == footer.topOffset(), "the parts do not end at the top");
    } catch (BufferUnderflowException e) {
      throw wrong(blocks.decoder(), footer, at, node, "it is truncated");
    } catch (IllegalArgumentException e) {
      throw wrong(blocks.decoder(), footer, at, node, e.getMessage());
    }
    return new IndexTop(
        blocks.decoder(),
        footer,
        baseSequence,
        fences.toArray(),
        Arrays.copyOf(offsets, parts + 1));
  }

  private static CorruptionException wrong(
      StoredBlock.Decoder decoder, Footer footer, int at, Node node, @Nullable String what) {
    return new CorruptionException(
        decoder.file(), at + node.position(), "index of " + footer.blocks() + " blocks: " + what);
  }

  /** A hash code that is the same whenever the file is opened. */
  public int hash() {
    return Long.hashCode(footer.uniqueId() * 0x9E3779B97F4A7C15L);
  }

  /** Number of parts. */
  public int parts() {
    return offsets.length - 1;
  }

  /** Where a part begins in the file, and where the one before it ends. */
  public int offset(int part) {
    return offsets[part];
  }

  /** The part that may have the block of a key, see {@link IndexPart#find}. */
  public int find(byte[] key, int offset, int length, long sequence) {
    return fences.find(key, offset, length, sequence);
  }

  /** The key of the fence of a part other than the first. */
  public byte[] fence(int part) {
    return fences.key(part - 1);
  }

  /** Compares the fence of a part other than the first with an entry, in internal order. */
  public int compareFence(int part, byte[] key, int length, long sequence) {
    return fences.compare(part - 1, key, length, sequence);
  }

  /**
   * Reads a part.
   *
   * @param cache where its blocks will be kept
   * @throws CorruptionException when it is damaged, or contradicts top and footer
   */
  public IndexPart part(int number, PageSource source, SharedCache.OfStore cache) {
    int at = offsets[number];
    int end = offsets[number + 1];
    int from = SstFormat.pageStart(at);
    long to = (long) SstFormat.pages(end) * SstFormat.PAGE_BYTES;
    StoredBlock.Decoder.Tail pages =
        new StoredBlock.Decoder.Tail(decoder, source.read(from, to), from);
    Node node = new Node(pages.get("part of the index", at, end - at), baseSequence);
    try {
      return new PartReading(number, node).read(cache);
    } catch (BufferUnderflowException e) {
      throw wrong(decoder, footer, at, node, "it is truncated");
    } catch (IllegalArgumentException e) {
      throw wrong(decoder, footer, at, node, e.getMessage());
    }
  }

  /**
   * Reads a part that follows another one.
   *
   * @param before the part before it; null for the first part
   * @throws CorruptionException when it is damaged, or its blocks do not follow those before
   */
  public IndexPart partAfter(
      @Nullable IndexPart before, PageSource source, SharedCache.OfStore cache) {
    IndexPart part = part(before == null ? 0 : before.number() + 1, source, cache);
    if (before != null) {
      requireFollows(part, before);
    }
    return part;
  }

  /**
   * Checks that the blocks of a part begin where those of the part before it end, so that no block
   * is passed over.
   *
   * @throws CorruptionException when they do not
   */
  public void requireFollows(IndexPart part, IndexPart before) {
    if (part.firstBlock() != before.firstBlock() + before.blocks()
        || part.offset(0) != before.end(before.blocks() - 1)) {
      throw new CorruptionException(
          decoder.file(),
          offsets[part.number()],
          "index of %d blocks: a part begins with block %d at %d, the part before ends elsewhere"
              .formatted(footer.blocks(), part.firstBlock(), part.offset(0)));
    }
  }

  /**
   * Decodes the fences and numbers of a part or of the top in sequence. The first part of an SST
   * that is read has hundreds of them, and is read before any of this is compiled: so there are few
   * calls, and what the shared bytes tell of the order of fences is used.
   */
  private static final class Node {
    private final byte[] encoded;
    private final int start;
    private final int end;
    private final long baseSequence;
    private int at;
    byte[] fence = new byte[64];
    int length;
    long sequence = Long.MAX_VALUE; // before that of any fence

    /**
     * @param encoded the raw form, which is on the heap
     */
    Node(ByteBuffer encoded, long baseSequence) {
      this.encoded = encoded.array();
      this.start = encoded.arrayOffset() + encoded.position();
      this.end = start + encoded.remaining();
      this.at = start;
      this.baseSequence = baseSequence;
    }

    boolean hasMore() {
      return at < end;
    }

    /** Number of the bytes that were decoded. */
    int position() {
      return at - start;
    }

    /** Number of the bytes that are left. */
    int remaining() {
      return end - at;
    }

    void next() {
      int shared = number();
      int suffixAndFlag = number();
      int suffix = suffixAndFlag >>> 1;
      long before = sequence;
      sequence = (suffixAndFlag & 1) == 0 ? IndexPart.Fences.NO_SEQUENCE : sequence();
      if (shared > length || suffix > end - at) {
        throw new IllegalArgumentException("invalid length of a fence");
      }
      if (!isAfterPrevious(shared, suffix, before)) {
        throw new IllegalArgumentException("fences out of order");
      }
      if (shared + suffix > fence.length) {
        fence = Arrays.copyOf(fence, 2 * (shared + suffix));
      }
      System.arraycopy(encoded, at, fence, shared, suffix);
      at += suffix;
      length = shared + suffix;
    }

    private boolean isAfterPrevious(int shared, int suffix, long before) {
      if (suffix > 0 && shared < length && encoded[at] != fence[shared]) {
        return (encoded[at] & 0xFF) > (fence[shared] & 0xFF); // nearly always
      }
      int order = Bytes.compare(fence, shared, length - shared, encoded, at, suffix);
      return order < 0 || (order == 0 && before > sequence);
    }

    private long sequence() {
      ByteBuffer rest = rest();
      long inFile = VarInts.getLong(rest);
      at = rest.position();
      long absolute = baseSequence + inFile;
      checkArgument(
          inFile >= 0 && absolute < IndexPart.Fences.NO_SEQUENCE,
          "invalid sequence number of a fence");
      return absolute;
    }

    boolean isEmpty() {
      return length == 0 && sequence == IndexPart.Fences.NO_SEQUENCE;
    }

    int number() {
      int next = at;
      if (next < end && encoded[next] >= 0) {
        at = next + 1;
        return encoded[next]; // nearly always
      }
      ByteBuffer rest = rest();
      int number = VarInts.getInt(rest);
      at = rest.position();
      return number;
    }

    private ByteBuffer rest() {
      return ByteBuffer.wrap(encoded, at, end - at);
    }
  }

  /** The state of reading a part. Faults are thrown as {@link IllegalArgumentException}. */
  private final class PartReading {
    private final int number;
    private final Node node;
    private final IndexPart.Fences.Collector collected = new IndexPart.Fences.Collector();
    private final int[] pages;
    private final int blocksEnd;
    private int blocks;

    PartReading(int number, Node node) {
      this.number = number;
      this.node = node;
      this.pages = new int[node.remaining() / MIN_BLOCK_BYTES + 1];
      this.blocksEnd = footer.blocksEnd();
    }

    IndexPart read(SharedCache.OfStore cache) {
      int first = node.number();
      int page = node.number();
      checkArgument(
          number == 0 ? first == 0 : first > 0 && first < footer.blocks(),
          "wrong number of a part's first block");
      checkArgument(
          number == 0 ? page == 0 : page >= first && page < SstFormat.pages(footer.blocksEnd()),
          "wrong page of a part's first block");
      pages[0] = page * SstFormat.PAGE_BYTES;
      node.next();
      checkArgument(node.isEmpty(), "a part's first block has a fence");
      addBlock(number == 0 ? 0 : fences.length(number - 1));
      while (node.hasMore()) {
        node.next();
        if (blocks == 1) {
          checkIsAfterFirst();
        }
        addBlock(node.length);
        collected.add(node.fence, node.length, node.sequence);
      }
      boolean isLast = number == parts() - 1;
      int left = footer.blocks() - first - blocks;
      checkArgument(left >= 0 && (left > 0 || isLast), "there are more of them");
      checkArgument(left == 0 || !isLast, "there are fewer of them");
      checkArgument(
          blocks == 1
              || isLast
              || fences.compare(number, node.fence, node.length, node.sequence) > 0,
          "fences out of order");
      checkArgument(!isLast || pages[blocks] == footer.blocksEnd(), "the last one ends too early");
      return new IndexPart(
          number,
          first,
          Arrays.copyOf(pages, blocks + 1),
          collected.toArray(),
          new CachedTable.Blocks(cache, blocks, 31 * hash() + number));
    }

    private void checkIsAfterFirst() {
      checkArgument(
          number == 0 || fences.compare(number - 1, node.fence, node.length, node.sequence) < 0,
          "fences out of order");
    }

    private void addBlock(int fenceLength) {
      int size = node.number();
      int from = pages[blocks];
      int left = (blocksEnd - from) / SstFormat.PAGE_BYTES;
      if (size <= 0 || size > left) {
        throw new IllegalArgumentException("a block of " + size + " pages of " + left);
      }
      int end = from + size * SstFormat.PAGE_BYTES;
      // The raw form of a block may be larger than its stored form.
      if (fenceLength > end - from && fenceLength > SstFormat.MAX_ENCODED_RAW_BYTES) {
        throw new IllegalArgumentException("a fence is longer than its block");
      }
      pages[++blocks] = end;
    }
  }

  /**
   * The index of an SST: its top, and those of its parts that the cache keeps, which are dropped
   * with their blocks. Thread-safe.
   */
  public static final class SstIndex extends CachedTable<IndexPart> {
    private final IndexTop top;
    private final SharedCache.OfStore cache;

    public SstIndex(IndexTop top, SharedCache.OfStore cache) {
      super(cache, top.parts(), top.hash());
      this.top = top;
      this.cache = cache;
    }

    /** The part that may have the block of a key. */
    public int find(byte[] key, int offset, int length, long sequence) {
      // Small SSTs have one part. Their top is not even touched, which would miss the CPU's cache.
      return size() == 1 ? 0 : top.find(key, offset, length, sequence);
    }

    /** Number of parts. */
    public int parts() {
      return top.parts();
    }

    /** A part, from memory or read through an open file. */
    public IndexPart part(int number, PageSource source) {
      IndexPart part = use(number);
      return part == null ? load(number, source) : part;
    }

    private IndexPart load(int number, PageSource source) {
      IndexPart part = top.part(number, source, cache);
      if (!takes(part.bytes())) {
        part.keepNothing();
        readWithoutKeeping(number, part.bytes());
        return part;
      }
      IndexPart other = add(number, part);
      return other == null ? part : other;
    }

    /** Has each block of a mapping checked again when it is used next. */
    public void distrust() {
      for (int number = 0; number < parts(); number++) {
        IndexPart part = get(number);
        if (part != null) {
          part.distrust();
        }
      }
    }

    /** The parts, read through an open file if they are not in memory. */
    public Parts through(PageSource source) {
      return new Parts(this, source);
    }

    /**
     * Gives the parts of an index, by number.
     *
     * @param index the index
     * @param source the open file
     */
    public record Parts(SstIndex index, PageSource source) {
      /**
       * A part, read if necessary.
       *
       * @throws io.sifr.error.CorruptionException when it is damaged
       */
      public IndexPart part(int number) {
        return index.part(number, source);
      }

      /** A part, if it is in memory. */
      public @Nullable IndexPart inMemory(int number) {
        return index.get(number);
      }
    }
  }
}
