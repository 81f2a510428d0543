package io.sifr.internal.sst;

import io.sifr.error.UnreadableException;
import io.sifr.internal.entry.Trailer;
import io.sifr.internal.util.Bytes;
import java.nio.ByteBuffer;

/**
 * Walks over the entries of some successive blocks of an SST. Forwards each key is rebuilt in one
 * array; backwards it comes from a {@link RestartRun}.
 */
final class SstIterator extends StandingIterator {
  private final BlockView view;
  private final FenceIndex index;
  private final int firstBlock;
  private final int lastBlock;
  private final Runnable whenClosed;
  private boolean closed;

  private final EntryReader entries = new EntryReader();
  private final RestartRun run = new RestartRun();

  /** The block stood in, as the view shows it. */
  private int block = -1;

  // The entry stood on.
  private int entryAt;
  private int valueAt;
  private int next;
  private long trailer;

  /** Place of the entry stood on in {@link #run}, or -1 when it is not there. */
  private int placeInRun = -1;

  /**
   * An iterator over the blocks from {@code firstBlock} to {@code lastBlock}, both included. It
   * reads nothing before it is moved.
   *
   * @param view shows the blocks; the iterator gives back what it holds
   * @param whenClosed run once, when the iterator is closed
   */
  SstIterator(
      BlockView view, FenceIndex index, int firstBlock, int lastBlock, Runnable whenClosed) {
    super(Bytes.EMPTY);
    this.view = view;
    this.index = index;
    this.firstBlock = firstBlock;
    this.lastBlock = lastBlock;
    this.whenClosed = whenClosed;
  }

  @Override
  public boolean seekToFirst() {
    try {
      return enterAtStart(firstBlock);
    } catch (InternalError e) {
      throw unreadable(e);
    }
  }

  @Override
  public boolean seekToLast() {
    try {
      enter(lastBlock, true, true);
      return lastOfRunBefore(entries.entriesEnd);
    } catch (InternalError e) {
      throw unreadable(e);
    }
  }

  @Override
  public boolean seek(byte[] target, int offset, int length, long targetTrailer) {
    try {
      return seek(target, offset, length, targetTrailer, false);
    } catch (InternalError e) {
      throw unreadable(e);
    }
  }

  /** A page of a block that is read in place could not be delivered. */
  private UnreadableException unreadable(InternalError e) {
    valid = false;
    return view.unreadable(e);
  }

  /**
   * @param backwards whether the walk is going backwards from there
   */
  private boolean seek(
      byte[] target, int offset, int length, long targetTrailer, boolean backwards) {
    long sequence = Trailer.sequence(targetTrailer);
    int found = index.find(target, offset, length, sequence);
    enter(Math.max(firstBlock, Math.min(found, lastBlock)), backwards, false);
    long at = BlockSearch.findRun(view, target, offset, length, targetTrailer);
    prepareToRead(BlockSearch.restart(view, BlockSearch.run(at)));
    while (entries.hasNext()) {
      read();
      int order = Bytes.compare(entries.key, 0, entries.keyLength, target, offset, length);
      if (order > 0 || (order == 0 && entries.trailer <= targetTrailer)) {
        return standOnRead();
      }
    }
    view.read();
    return nextBlock();
  }

  @Override
  public boolean seekBefore(byte[] target, int offset, int length) {
    // Nothing comes between a key's newest possible version and the oldest of the key before.
    try {
      return seek(target, offset, length, Trailer.seek(Trailer.MAX_SEQUENCE), true)
          ? previous()
          : seekToLast();
    } catch (InternalError e) {
      throw unreadable(e);
    }
  }

  @Override
  public boolean next() {
    requireValid();
    try {
      return moveToNext();
    } catch (InternalError e) {
      throw unreadable(e);
    }
  }

  private boolean moveToNext() {
    if (placeInRun >= 0) {
      leaveRun();
    }
    if (!entries.hasNext()) {
      return nextBlock();
    }
    read();
    return standOnRead();
  }

  @Override
  public boolean previous() {
    requireValid();
    try {
      return moveToPrevious();
    } catch (InternalError e) {
      throw unreadable(e);
    }
  }

  private boolean moveToPrevious() {
    if (placeInRun > 0) {
      return standInRun(placeInRun - 1);
    }
    if (entryAt > entries.start) {
      return lastOfRunBefore(entryAt);
    }
    if (block == firstBlock) {
      return leave();
    }
    enter(block - 1, true, true);
    return lastOfRunBefore(entries.entriesEnd);
  }

  @Override
  public long trailer() {
    return trailer;
  }

  @Override
  public int valueLength() {
    return next - valueAt;
  }

  @Override
  public void copyValue(byte[] target, int offset) {
    requireValid();
    try {
      entries.buffer.get(valueAt, target, offset, next - valueAt);
      view.read();
    } catch (InternalError e) {
      throw unreadable(e);
    }
  }

  @Override
  public ByteBuffer value() {
    requireValid();
    if (view.isInPlace()) {
      byte[] copy = new byte[next - valueAt];
      copyValue(copy, 0);
      return ByteBuffer.wrap(copy).asReadOnlyBuffer();
    }
    return entries.buffer.slice(valueAt, next - valueAt).asReadOnlyBuffer();
  }

  /** Where in the file the entry begins; if it was encoded, where its block does. */
  int entryOffset() {
    return view.fileOffset(entryAt);
  }

  /** Bytes the entry takes in the raw form of its block. */
  int entryBytes() {
    return next - entryAt;
  }

  /** Bytes of the raw form of the block. */
  int rawBytes() {
    return view.end - view.start;
  }

  @Override
  public void close() {
    valid = false;
    block = -1;
    view.release();
    if (!closed) {
      closed = true;
      whenClosed.run();
    }
  }

  /** Makes a block the one stood in, on none of its entries. */
  private void enter(int newBlock, boolean backwards, boolean wholly) {
    valid = false;
    placeInRun = -1;
    view.show(newBlock, backwards, wholly);
    block = newBlock;
    entries.enter(view.buffer, view.start, view.end, view.baseSequence());
  }

  private boolean enterAtStart(int newBlock) {
    enter(newBlock, false, true);
    read();
    return standOnRead();
  }

  private boolean nextBlock() {
    valid = false;
    return block < lastBlock && enterAtStart(block + 1);
  }

  private void read() {
    valid = false;
    if (!entries.decode()) {
      throw view.damaged(entries.at, "no entry can be read");
    }
    entries.take();
    view.requireAllowed(entries.at, entries.trailer, entries.valueLength());
  }

  /** A restart point shares bytes with the block's first key alone, so that one is read. */
  private void prepareToRead(int restart) {
    entries.rewind();
    if (restart != entries.start) {
      read();
      entries.moveTo(restart);
    }
  }

  private boolean standOnRead() {
    view.read();
    entryAt = entries.at;
    valueAt = entries.valueAt;
    next = entries.next;
    trailer = entries.trailer;
    return standOn(entries.key, 0, entries.keyLength);
  }

  /** Reads the last run that begins before {@code stop}, up to there, and stands on its end. */
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
    return standInRun(run.count() - 1);
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

  private boolean standInRun(int place) {
    view.read();
    placeInRun = place;
    entryAt = run.entryAt(place);
    valueAt = run.valueAt(place);
    next = run.next(place);
    trailer = run.trailer(place);
    return standOn(run.keys(), run.keyStart(place), run.keyLength(place));
  }

  /** Goes on forwards from an entry of the run: the next key is built upon its key. */
  private void leaveRun() {
    placeInRun = -1;
    entries.setKey(key, keyOffset, keyLength);
    entries.moveTo(next);
  }
}
