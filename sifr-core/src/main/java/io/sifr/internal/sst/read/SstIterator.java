package io.sifr.internal.sst.read;

import io.sifr.error.SifrException;
import io.sifr.internal.codec.Codecs;
import io.sifr.internal.entry.EntryIterator;
import io.sifr.internal.entry.Trailer;
import io.sifr.internal.sst.format.BlockInfo;
import io.sifr.internal.sst.format.EntryHeader;
import io.sifr.internal.sst.format.IndexPart;
import io.sifr.internal.sst.format.IndexTop.SstIndex;
import io.sifr.internal.sst.format.SstFormat;
import io.sifr.internal.sst.format.StoredBlock;
import io.sifr.internal.sst.format.StoredBlock.BlockTrailer;
import io.sifr.internal.util.Bytes;
import java.nio.ByteBuffer;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * Iterates over the entries of successive blocks of an SST. Forwards, each key is rebuilt in one
 * array; backwards, it comes from a {@link RestartRun}.
 */
public final class SstIterator extends EntryIterator.Positioned implements EntryIterator {
  private final BlockView view;
  private final SstIndex.Parts parts;
  private final Runnable whenClosed;
  private boolean closed;

  private final EntryHeader.Reader entries = new EntryHeader.Reader();
  private final RestartRun run = new RestartRun();

  /** The part of the index that the current block is in. */
  private @Nullable IndexPart part;

  /** The current block in its part, as shown by the view. */
  private int block = -1;

  /** The target that {@link #locate} has found for the seek that comes next; null for none. */
  private EntryIterator.@Nullable Target located;

  /** The part of the index that {@link #prepare} has found for it. */
  private @Nullable IndexPart locatedIn;

  private int locatedBlock;

  /** Index of the current entry in {@link #run}; -1 when it is not there. */
  private int indexInRun = -1;

  /**
   * Creates an iterator over all blocks. It reads nothing before its first move.
   *
   * @param view view of the blocks; released by the iterator
   * @param parts the parts of the index
   * @param whenClosed run once, when the iterator is closed
   */
  SstIterator(BlockView view, SstIndex.Parts parts, Runnable whenClosed) {
    super(Bytes.EMPTY);
    this.view = view;
    this.parts = parts;
    this.whenClosed = whenClosed;
  }

  @Override
  public boolean seekToFirst() {
    try {
      return enterAtStart(part(0), 0);
    } catch (InternalError | IndexOutOfBoundsException e) {
      throw failed(e);
    }
  }

  @Override
  public boolean seekToLast() {
    try {
      IndexPart last = part(parts() - 1);
      enter(last, last.blocks() - 1, true, true);
      return lastOfRunBefore(entries.entriesEnd);
    } catch (InternalError | IndexOutOfBoundsException e) {
      throw failed(e);
    }
  }

  @Override
  public boolean seek(byte[] target, int offset, int length, long targetTrailer) {
    try {
      return seek(target, offset, length, targetTrailer, false);
    } catch (InternalError | IndexOutOfBoundsException e) {
      throw failed(e);
    }
  }

  /** Becomes invalid; see {@link BlockView#failed}. */
  private SifrException failed(Throwable e) {
    valid = false;
    return view.failed(e);
  }

  /**
   * @param backwards whether the iterator moves backwards from there
   */
  private boolean seek(
      byte[] target, int offset, int length, long targetTrailer, boolean backwards) {
    EntryIterator.Target known = located;
    IndexPart of = locatedIn;
    located = null;
    locatedIn = null;
    if (known != null && of != null && known.isAt(target, offset, length, targetTrailer)) {
      enter(of, locatedBlock, backwards, false);
    } else {
      long sequence = Trailer.sequence(targetTrailer);
      of = part(parts.index().find(target, offset, length, sequence));
      enter(of, of.find(target, offset, length, sequence), backwards, false);
    }
    long runFound = BlockSearch.findRun(view, target, offset, length, targetTrailer);
    prepareToRead(BlockSearch.restart(view, BlockSearch.run(runFound)));
    while (entries.hasNext()) {
      read();
      int order = Bytes.compare(entries.key, 0, entries.keyLength, target, offset, length);
      if (order > 0 || (order == 0 && entries.trailer <= targetTrailer)) {
        return positionAtRead();
      }
    }
    view.read();
    return nextBlock();
  }

  @Override
  public boolean seekBefore(byte[] target, int offset, int length) {
    // Nothing lies between a key's newest possible version and the oldest version of the previous
    // key.
    try {
      return seek(target, offset, length, Trailer.seek(Trailer.MAX_SEQUENCE), true)
          ? previous()
          : seekToLast();
    } catch (InternalError | IndexOutOfBoundsException e) {
      throw failed(e);
    }
  }

  @Override
  public long prepare(EntryIterator.Target to) {
    SstIndex index = parts.index();
    located = null;
    locatedIn = index.use(index.find(to.key(), to.offset(), to.length(), to.sequence()));
    return locatedIn == null ? 0 : locatedIn.touch();
  }

  @Override
  public void locate(EntryIterator.Target to, EntryIterator.Lines into) {
    IndexPart in = locatedIn;
    if (in != null) {
      locatedBlock = in.find(to.key(), to.offset(), to.length(), to.sequence());
      located = to;
      view.locate(in, locatedBlock, into);
    }
  }

  @Override
  public boolean next() {
    requireValid();
    try {
      return moveToNext();
    } catch (InternalError | IndexOutOfBoundsException e) {
      throw failed(e);
    }
  }

  private boolean moveToNext() {
    if (indexInRun >= 0) {
      leaveRun();
    }
    if (!entries.hasNext()) {
      return nextBlock();
    }
    read();
    return positionAtRead();
  }

  @Override
  public boolean previous() {
    requireValid();
    try {
      return moveToPrevious();
    } catch (InternalError | IndexOutOfBoundsException e) {
      throw failed(e);
    }
  }

  private boolean moveToPrevious() {
    if (indexInRun > 0) {
      return positionInRun(indexInRun - 1);
    }
    if (entries.at > entries.start) {
      return lastOfRunBefore(entries.at);
    }
    IndexPart current = current();
    if (block > 0) {
      enter(current, block - 1, true, true);
    } else if (current.number() > 0) {
      IndexPart before = part(current.number() - 1);
      view.tail().top().requireFollows(current, before);
      enter(before, before.blocks() - 1, true, true);
    } else {
      return leave();
    }
    return lastOfRunBefore(entries.entriesEnd);
  }

  @Override
  public long trailer() {
    return entries.trailer;
  }

  @Override
  public int valueLength() {
    return entries.valueLength();
  }

  @Override
  public void copyValue(byte[] target, int offset) {
    requireValid();
    try {
      entries.buffer.get(entries.valueAt, target, offset, entries.valueLength());
      view.read();
    } catch (InternalError e) {
      throw failed(e);
    }
  }

  @Override
  public ByteBuffer value() {
    requireValid();
    if (view.isInPlace()) {
      byte[] copy = new byte[entries.valueLength()];
      copyValue(copy, 0);
      return ByteBuffer.wrap(copy).asReadOnlyBuffer();
    }
    return entries.buffer.slice(entries.valueAt, entries.valueLength()).asReadOnlyBuffer();
  }

  /** Whether the entry is followed by another one in its block. */
  public boolean hasNextInBlock() {
    return entries.hasNext();
  }

  /** Offset of the entry in the file; in an encoded block, offset of the block. */
  public int entryOffset() {
    return view.fileOffset(entries.at);
  }

  /** Size of the entry in the raw form of its block. */
  public int entryBytes() {
    return entries.next - entries.at;
  }

  /**
   * Describes the block the iterator is in.
   *
   * @param stored its last page
   * @param entries number of its entries
   */
  public BlockInfo block(ByteBuffer stored, long entries, byte[] firstKey) {
    IndexPart of = current();
    return new BlockInfo(
        of.firstBlock() + block,
        of.offset(block),
        of.bytes(block),
        new BlockInfo.Encoding(
            Codecs.name(StoredBlock.codec(stored, stored.limit())),
            StoredBlock.payloadBytes(stored, stored.limit()),
            view.end - view.start),
        entries,
        firstKey);
  }

  @Override
  public void close() {
    valid = false;
    block = -1;
    part = null;
    view.release();
    if (!closed) {
      closed = true;
      whenClosed.run();
    }
  }

  /** Where the current block ends in the file. */
  public long blockEnd() {
    return current().end(block);
  }

  private int parts() {
    return view.tail().top().parts();
  }

  /** A part of the index: the current one, or one that may have to be read. */
  private IndexPart part(int number) {
    IndexPart current = part;
    if (current != null && current.number() == number) {
      return current;
    }
    valid = false; // in case the part is damaged
    return parts.part(number);
  }

  private IndexPart current() {
    IndexPart current = part;
    if (current == null) {
      throw new IllegalStateException("the iterator is not positioned on an entry");
    }
    return current;
  }

  /** Enters a block, before any of its entries. */
  private void enter(IndexPart of, int newBlock, boolean backwards, boolean wholly) {
    valid = false;
    indexInRun = -1;
    view.show(of, newBlock, backwards, wholly);
    part = of;
    block = newBlock;
    entries.enter(view.buffer, view.start, view.end, view.baseSequence());
  }

  private boolean enterAtStart(IndexPart of, int newBlock) {
    enter(of, newBlock, false, true);
    read();
    return positionAtRead();
  }

  private boolean nextBlock() {
    valid = false;
    IndexPart current = current();
    if (block < current.blocks() - 1) {
      return enterAtStart(current, block + 1);
    }
    if (current.number() == parts() - 1) {
      return false;
    }
    IndexPart after = part(current.number() + 1);
    view.tail().top().requireFollows(after, current);
    return enterAtStart(after, 0);
  }

  private void read() {
    valid = false;
    if (!entries.decode()) {
      throw view.damaged(entries.at, "no entry can be read");
    }
    entries.take();
    long trailer = entries.trailer;
    if (!Trailer.isPut(trailer)) { // nearly all entries are puts
      view.requireAllowed(entries.at, trailer, entries.valueLength());
    }
  }

  /** A restart point shares bytes only with the block's first key, so that key is read. */
  private void prepareToRead(int restart) {
    entries.rewind();
    if (restart != entries.start) {
      read();
      entries.moveTo(restart);
    }
  }

  private boolean positionAtRead() {
    view.read();
    return positionAt(entries.key, 0, entries.keyLength);
  }

  /** Reads the last run that begins before {@code stop}, up to there, and moves to its end. */
  private boolean lastOfRunBefore(int stop) {
    prepareToRead(lastRestartBefore(stop));
    run.clear();
    while (entries.next < stop) {
      read();
      run.add(
          entries.key,
          entries.keyLength,
          entries.at,
          entries.valueAt,
          entries.next,
          entries.trailer);
    }
    if (entries.next != stop) {
      valid = false;
      throw view.damaged(stop, "no entry ends here");
    }
    return positionInRun(run.count() - 1);
  }

  private int lastRestartBefore(int stop) {
    ByteBuffer buffer = view.buffer;
    int end = view.end;
    int start = view.start;
    int restartsAt = BlockTrailer.restartsAt(buffer, end);
    int low = 0;
    int high = BlockTrailer.restarts(buffer, end);
    while (high - low > 1) {
      int middle = (low + high) >>> 1;
      if (start + BlockTrailer.restart(buffer, restartsAt, middle) < stop) {
        low = middle;
      } else {
        high = middle;
      }
    }
    return start + BlockTrailer.restart(buffer, restartsAt, low);
  }

  private boolean positionInRun(int index) {
    view.read();
    indexInRun = index;
    entries.standAt(run.entryAt(index), run.valueAt(index), run.next(index), run.trailer(index));
    return positionAt(run.keys(), run.keyStart(index), run.keyLength(index));
  }

  /** Continues forwards from an entry of the run: the next key is built from its key. */
  private void leaveRun() {
    indexInRun = -1;
    entries.setKey(key, keyOffset, keyLength);
    entries.moveTo(entries.next);
  }

  /**
   * The decoded entries from a restart point on, for iterating backwards: a key can only be rebuilt
   * from the restart point before it, so a run is decoded once and then returned entry by entry.
   */
  static final class RestartRun {
    private static final int[] NONE = {};
    private static final int MIN_KEY_BYTES = SstFormat.RESTART_INTERVAL * 32;

    // Empty until there is an entry: most iterators never move backwards.
    private int count;
    private byte[] keys = Bytes.EMPTY;
    private int[] keyEnds = NONE;
    private int[] entries = NONE;
    private int[] values = NONE;
    private int[] nexts = NONE;
    private long[] trailers = {};

    void clear() {
      count = 0;
    }

    /** Number of entries. */
    int count() {
      return count;
    }

    /** Adds the entry that begins at {@code entryAt}. */
    void add(byte[] key, int keyLength, int entryAt, int valueAt, int next, long trailer) {
      if (count == trailers.length) {
        int room = Math.max(SstFormat.RESTART_INTERVAL, 2 * count);
        keyEnds = Arrays.copyOf(keyEnds, room);
        entries = Arrays.copyOf(entries, room);
        values = Arrays.copyOf(values, room);
        nexts = Arrays.copyOf(nexts, room);
        trailers = Arrays.copyOf(trailers, room);
      }
      int start = keyStart(count);
      if (start + keyLength > keys.length) {
        keys =
            Arrays.copyOf(
                keys, Math.max(start + keyLength, Math.max(MIN_KEY_BYTES, 2 * keys.length)));
      }
      System.arraycopy(key, 0, keys, start, keyLength);
      keyEnds[count] = start + keyLength;
      entries[count] = entryAt;
      values[count] = valueAt;
      nexts[count] = next;
      trailers[count] = trailer;
      count++;
    }

    /** Array that holds all keys. */
    byte[] keys() {
      return keys;
    }

    int keyStart(int entry) {
      return entry == 0 ? 0 : keyEnds[entry - 1];
    }

    int keyLength(int entry) {
      return keyEnds[entry] - keyStart(entry);
    }

    /** Where the entry begins in the block's buffer. */
    int entryAt(int entry) {
      return entries[entry];
    }

    /** Where its value begins. */
    int valueAt(int entry) {
      return values[entry];
    }

    /** Where it ends. */
    int next(int entry) {
      return nexts[entry];
    }

    long trailer(int entry) {
      return trailers[entry];
    }
  }
}
