package io.sifr.internal.sst.read;

import io.sifr.error.SifrException;
import io.sifr.internal.codec.Codecs;
import io.sifr.internal.entry.EntryIterator;
import io.sifr.internal.entry.Trailer;
import io.sifr.internal.sst.block.BlockSearch;
import io.sifr.internal.sst.block.BlockView;
import io.sifr.internal.sst.format.BlockInfo;
import io.sifr.internal.sst.format.EntryReader;
import io.sifr.internal.sst.format.IndexPart;
import io.sifr.internal.sst.format.IndexTop.SstIndex;
import io.sifr.internal.sst.format.StoredBlock;
import io.sifr.internal.util.Bytes;
import java.nio.ByteBuffer;
import org.jspecify.annotations.Nullable;

/** Iterates over the entries of successive blocks of an SST. */
public final class SstIterator extends EntryIterator.Positioned implements EntryIterator {
  private final BlockView view;
  private final SstIndex.Parts parts;
  private final Runnable whenClosed;
  private boolean closed;

  private final EntryReader entries;

  /** The part of the index that the current block is in. */
  private @Nullable IndexPart part;

  /** The current block in its part, as shown by the view. */
  private int block = -1;

  /** The target that {@link #locate} has found for the seek that comes next; null for none. */
  private EntryIterator.@Nullable Target located;

  /** The part of the index that {@link #prepare} has found for it. */
  private @Nullable IndexPart locatedIn;

  private int locatedBlock;

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
    this.entries = new EntryReader(view);
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
      return enterAtEnd(last, last.blocks() - 1);
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
    return BlockView.failed(view, e);
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
    int first = BlockSearch.first(view, target, offset, length, targetTrailer) >>> 1;
    if (first < view.groupEnd()) {
      return moveTo(first);
    }
    view.requireEnd();
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
    return entries.hasNext() ? moveTo(entries.number() + 1) : nextBlock();
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
    if (entries.number() > 0) {
      return moveTo(entries.number() - 1);
    }
    IndexPart current = current();
    if (block > 0) {
      return enterAtEnd(current, block - 1);
    }
    if (current.number() > 0) {
      IndexPart before = part(current.number() - 1);
      view.tail().top().requireFollows(current, before);
      return enterAtEnd(before, before.blocks() - 1);
    }
    return leave();
  }

  @Override
  public long trailer() {
    return entries.trailer;
  }

  @Override
  public int valueLength() {
    return view.valueLength();
  }

  @Override
  public void copyValue(byte[] target, int offset) {
    requireValid();
    try {
      view.buffer.get(view.valueAt(), target, offset, view.valueLength());
      view.read();
    } catch (InternalError e) {
      throw failed(e);
    }
  }

  @Override
  public ByteBuffer value() {
    requireValid();
    if (view.isInPlace()) {
      byte[] copy = new byte[view.valueLength()];
      copyValue(copy, 0);
      return ByteBuffer.wrap(copy).asReadOnlyBuffer();
    }
    return view.buffer.slice(view.valueAt(), view.valueLength()).asReadOnlyBuffer();
  }

  /** Whether the entry is followed by another one in its block. */
  public boolean hasNextInBlock() {
    try {
      return entries.hasNext();
    } catch (InternalError | IndexOutOfBoundsException e) {
      throw failed(e);
    }
  }

  /** Offset of the entry in the file; in an encoded block, offset of the block. */
  public int entryOffset() {
    return view.fileOffset(view.entryAt());
  }

  /** Size of the entry in the raw form of its block. */
  public int entryBytes() {
    return view.next() - view.entryAt();
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
    view.show(of, newBlock, backwards, wholly);
    part = of;
    block = newBlock;
    view.enter();
    entries.enter();
  }

  private boolean enterAtStart(IndexPart of, int newBlock) {
    enter(of, newBlock, false, true);
    return moveTo(0);
  }

  private boolean enterAtEnd(IndexPart of, int newBlock) {
    enter(of, newBlock, true, true);
    return moveTo(view.last());
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

  private boolean moveTo(int entry) {
    valid = false;
    if (!entries.moveTo(entry)) {
      throw view.unreadable();
    }
    view.requireAllowed(entries.trailer);
    view.read();
    return positionAt(entries.key, 0, entries.keyLength);
  }
}
