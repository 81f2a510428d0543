package io.sifr.internal.sst;

import io.sifr.error.UnreadableException;
import io.sifr.internal.entry.EntryIterator;
import io.sifr.internal.entry.Trailer;
import io.sifr.internal.util.Bytes;
import java.nio.ByteBuffer;

/**
 * Walks over the entries of some successive blocks of an SST. Forwards each key is rebuilt in one
 * array; backwards it comes from a {@link RestartRun}.
 */
final class SstIterator implements EntryIterator {
  /** Suffixes up to this length are copied as two longs, whatever their length. */
  private static final int SHORT_SUFFIX = 16;

  private final BlockView view;
  private final FenceIndex index;
  private final int firstBlock;
  private final int lastBlock;
  private final Runnable whenClosed;
  private boolean closed;

  private final EntryHeader entry = new EntryHeader();
  private final RestartRun run = new RestartRun();

  /** The key of the entry decoded last, and room to copy a short suffix past its end. */
  private byte[] decodedKey = new byte[64];

  private int decodedKeyLength;

  // The block stood in, as the view shows it.
  private int block = -1;
  private ByteBuffer buffer;
  private int entriesEnd;
  private long base;

  // The entry stood on.
  private boolean valid;
  private int entryAt;
  private int valueAt;
  private int next;

  /** Eight bytes from {@link #next} on, asked for early: they come from memory meanwhile. */
  private long nextWord;

  private long trailer;
  private byte[] key = decodedKey;
  private int keyOffset;
  private int keyLength;

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
    this.view = view;
    this.index = index;
    this.firstBlock = firstBlock;
    this.lastBlock = lastBlock;
    this.whenClosed = whenClosed;
    this.buffer = view.buffer;
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
      return lastOfRunBefore(entriesEnd);
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
    long place = BlockSearch.place(view, target, offset, length, targetTrailer);
    int at = BlockSearch.restart(view, BlockSearch.run(place));
    prepareToDecode(at);
    while (at < entriesEnd) {
      decode(at);
      int order = Bytes.compare(decodedKey, 0, decodedKeyLength, target, offset, length);
      if (order > 0 || (order == 0 && trailer <= targetTrailer)) {
        return standOnDecoded();
      }
      at = next;
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
    if (next >= entriesEnd) {
      return nextBlock();
    }
    decode(next, nextWord);
    return standOnDecoded();
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
    if (entryAt > view.firstEntry()) {
      return lastOfRunBefore(entryAt);
    }
    if (block == firstBlock) {
      valid = false;
      return false;
    }
    enter(block - 1, true, true);
    return lastOfRunBefore(entriesEnd);
  }

  @Override
  public boolean valid() {
    return valid;
  }

  @Override
  public byte[] keyArray() {
    return key;
  }

  @Override
  public int keyOffset() {
    return keyOffset;
  }

  @Override
  public int keyLength() {
    return keyLength;
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
      buffer.get(valueAt, target, offset, next - valueAt);
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
    return buffer.slice(valueAt, next - valueAt).asReadOnlyBuffer();
  }

  /** Where in the file the entry begins. */
  int entryOffset() {
    return view.fileOffset(entryAt);
  }

  /** Bytes the entry takes in the file. */
  int entryBytes() {
    return next - entryAt;
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

  private void requireValid() {
    if (!valid) {
      throw new IllegalStateException("the iterator stands on no entry");
    }
  }

  /** Makes a block the one stood in, on none of its entries. */
  private void enter(int newBlock, boolean backwards, boolean wholly) {
    valid = false;
    placeInRun = -1;
    decodedKeyLength = 0;
    view.show(newBlock, backwards, wholly);
    block = newBlock;
    buffer = view.buffer;
    int end = view.end;
    entriesEnd = BlockTrailer.entriesEnd(buffer, end);
    base = BlockTrailer.baseSequence(buffer, end);
  }

  private boolean enterAtStart(int newBlock) {
    enter(newBlock, false, true);
    decode(view.firstEntry());
    return standOnDecoded();
  }

  private boolean nextBlock() {
    valid = false;
    return block < lastBlock && enterAtStart(block + 1);
  }

  /** Decodes the entry there, which follows the one decoded last, or is prepared for. */
  private void decode(int at) {
    decode(at, buffer.getLong(at));
  }

  private void decode(int at, long firstWord) {
    valid = false;
    if (!entry.decode(buffer, at, firstWord, entriesEnd, decodedKeyLength)) {
      throw view.damaged(at, "no entry can be read");
    }
    int shared = entry.shared;
    int suffix = entry.suffixLength();
    int length = entry.keyLength();
    if (length + SHORT_SUFFIX > decodedKey.length) {
      growKey(length + SHORT_SUFFIX);
    }
    if (suffix <= SHORT_SUFFIX) {
      // What is read too much lies before the end of the block's trailer, see EntryHeader.
      Bytes.putLong(decodedKey, shared, Long.reverseBytes(buffer.getLong(entry.suffixAt)));
      Bytes.putLong(
          decodedKey,
          shared + Long.BYTES,
          Long.reverseBytes(buffer.getLong(entry.suffixAt + Long.BYTES)));
    } else {
      buffer.get(entry.suffixAt, decodedKey, shared, suffix);
    }
    decodedKeyLength = length;
    entryAt = at;
    valueAt = entry.valueAt;
    next = entry.next;
    nextWord = buffer.getLong(next);
    trailer = entry.trailer(base);
    view.requireAllowed(at, trailer, next - valueAt);
  }

  /** A restart point shares bytes with the block's first key alone, so that one is decoded. */
  private void prepareToDecode(int restart) {
    decodedKeyLength = 0;
    int first = view.firstEntry();
    if (restart != first) {
      decode(first);
    }
  }

  private void growKey(int atLeast) {
    byte[] larger = new byte[2 * atLeast];
    System.arraycopy(decodedKey, 0, larger, 0, decodedKeyLength);
    decodedKey = larger;
  }

  private boolean standOnDecoded() {
    view.read();
    key = decodedKey;
    keyOffset = 0;
    keyLength = decodedKeyLength;
    valid = true;
    return true;
  }

  /** Decodes the last run that begins before {@code stop}, up to there, and stands on its end. */
  private boolean lastOfRunBefore(int stop) {
    int at = lastRestartBefore(stop);
    prepareToDecode(at);
    run.clear();
    while (at < stop) {
      decode(at);
      run.add(decodedKey, decodedKeyLength, at, valueAt, next, trailer);
      at = next;
    }
    if (at != stop) {
      valid = false;
      throw view.damaged(stop, "no entry ends here");
    }
    return standInRun(run.count() - 1);
  }

  private int lastRestartBefore(int stop) {
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
    nextWord = buffer.getLong(next);
    trailer = run.trailer(place);
    key = run.keys();
    keyOffset = run.keyStart(place);
    keyLength = run.keyLength(place);
    valid = true;
    return true;
  }

  /** Goes on forwards from an entry of the run: the next key is built upon its key. */
  private void leaveRun() {
    placeInRun = -1;
    decodedKeyLength = 0;
    if (keyLength > decodedKey.length) {
      growKey(keyLength);
    }
    System.arraycopy(key, keyOffset, decodedKey, 0, keyLength);
    decodedKeyLength = keyLength;
  }
}
