package io.sifr.internal.entry;

import io.sifr.error.SifrException;
import io.sifr.internal.entry.range.KeyStretch;
import io.sifr.internal.entry.range.TombstonePlace;
import java.nio.ByteBuffer;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The entries of a source that range tombstones do not hide from a reader: neither those of the
 * source itself nor those of sources of higher priority.
 *
 * <p>By I1 a tombstone of a source above hides all versions of its keys that this one holds, so the
 * iterator seeks to its end; a scan passes over a deleted range in one seek, whatever it held. A
 * tombstone of the source itself hides only versions that are older; how many of them can be passed
 * at once the source knows.
 *
 * <p>What hides a key is found once for a whole key range. Where it cannot be found, since
 * tombstones cannot be read, the iterator stops, and throws the reason when its entry is accessed:
 * that happens once no other source has an entry before it. Owns its source and closes it.
 */
public final class MaskedIterator implements EntryIterator {
  /** After this many hidden entries, a seek is cheaper than further steps. */
  private static final int STEPS_BEFORE_SEEK = 16;

  private final EntryIterator source;
  private final List<TombstonePlace> above;
  private final @Nullable TombstonePlace own;
  private final long sequence;

  /** The keys for which the three fields below hold, if {@link #isKnown}. */
  private KeyStretch stretch = new KeyStretch();

  private KeyStretch spare = new KeyStretch();
  private boolean isKnown;

  /** True if a tombstone of a source above covers them. */
  private boolean isCovered;

  /** Versions with smaller sequence numbers are hidden by a tombstone of the source itself. */
  private long hiddenBelow;

  /** The reason why it is not known what hides them, if that is so. */
  private @Nullable SifrException failure;

  private boolean valid;

  /**
   * Hides entries of a source.
   *
   * @param above the sources of higher priority that have range tombstones
   * @param own the tombstones of the source itself, if it has range tombstones
   * @param sequence of the reader, who does not see newer ones
   */
  public MaskedIterator(
      EntryIterator source,
      List<TombstonePlace> above,
      @Nullable TombstonePlace own,
      long sequence) {
    this.source = source;
    this.above = List.copyOf(above);
    this.own = own;
    this.sequence = sequence;
  }

  @Override
  public boolean seekToFirst() {
    isKnown = false;
    return forward(source.seekToFirst());
  }

  @Override
  public boolean seekToLast() {
    isKnown = false;
    return backward(source.seekToLast());
  }

  @Override
  public boolean seek(byte[] key, int offset, int length, long trailer) {
    isKnown = false;
    return forward(source.seek(key, offset, length, trailer));
  }

  @Override
  public boolean seekBefore(byte[] key, int offset, int length) {
    isKnown = false;
    return backward(source.seekBefore(key, offset, length));
  }

  @Override
  public boolean isInMemory(EntryIterator.Target to) {
    return source.isInMemory(to);
  }

  @Override
  public boolean announce(EntryIterator.Target to) {
    return source.announce(to);
  }

  @Override
  public long prepare(EntryIterator.Target to) {
    return source.prepare(to);
  }

  @Override
  public void locate(EntryIterator.Target to, EntryIterator.Lines into) {
    source.locate(to, into);
  }

  @Override
  public boolean next() {
    return forward(source.next());
  }

  @Override
  public boolean previous() {
    return backward(source.previous());
  }

  /** Moves from an entry of the source to the first one from it on that is not hidden. */
  private boolean forward(boolean sourceLive) {
    valid = sourceLive;
    int steps = 0;
    while (valid) {
      byte[] key = source.keyArray();
      int offset = source.keyOffset();
      int length = source.keyLength();
      if (!isKnown || !stretch.endsAfter(key, offset, length)) {
        find(key, offset, length);
      }
      if (!isHidden()) {
        return true;
      }
      steps++;
      valid = steps % STEPS_BEFORE_SEEK == 0 ? pass() : source.next();
    }
    return false;
  }

  /** Moves from an entry of the source to the last one up to it that is not hidden. */
  private boolean backward(boolean sourceLive) {
    valid = sourceLive;
    int steps = 0;
    while (valid) {
      byte[] key = source.keyArray();
      int offset = source.keyOffset();
      int length = source.keyLength();
      if (!isKnown || !stretch.beginsAtOrBefore(key, offset, length)) {
        find(key, offset, length);
      }
      if (!isHidden()) {
        return true;
      }
      steps++;
      valid = steps % STEPS_BEFORE_SEEK == 0 ? passBack() : source.previous();
    }
    return false;
  }

  /** Moves past what is hidden, or past one entry. */
  private boolean pass() {
    byte[] to = stretch.to();
    if (!isCovered) {
      return source.nextFrom(hiddenBelow, to);
    }
    return to != null && source.seek(to, 0, to.length, Trailer.seek(Trailer.MAX_SEQUENCE));
  }

  private boolean passBack() {
    byte[] from = stretch.from();
    if (!isCovered) {
      return source.previousFrom(hiddenBelow, from);
    }
    return source.seekBefore(from, 0, from.length);
  }

  /**
   * Whether the source's entry is hidden; it is accessed only if that matters. Entries that cannot
   * be read are not: perhaps only the first of them is covered.
   */
  private boolean isHidden() {
    if (!source.isReadable()) {
      return false;
    }
    return isCovered || (hiddenBelow > 0 && Trailer.sequence(source.trailer()) < hiddenBelow);
  }

  /** Finds what hides a key and its neighbours. */
  private void find(byte[] key, int offset, int length) {
    isKnown = false;
    isCovered = false;
    hiddenBelow = 0;
    failure = null;
    stretch.reset();
    try {
      for (int i = 0; i < above.size() && !isCovered; i++) {
        isCovered = newestOf(above.get(i), key, offset, length, false) > 0;
      }
      if (isCovered) {
        // Whatever the sources before say: the tombstone hides the whole key range that it covers.
        KeyStretch covered = spare;
        spare = stretch;
        stretch = covered;
      } else if (own != null) {
        hiddenBelow = newestOf(own, key, offset, length, true);
      }
    } catch (SifrException e) {
      stretch.narrowTo(spare);
      failure = e;
    }
    isKnown = true;
  }

  /**
   * The newest tombstone of a source that covers a key. The spare key range is then that for which
   * the answer is alike; the other one is narrowed to it, too.
   */
  private long newestOf(TombstonePlace place, byte[] key, int offset, int length, boolean exactly) {
    spare.reset();
    long newest = place.newestCovering(key, offset, length, sequence, exactly, spare);
    stretch.narrowTo(spare);
    return newest;
  }

  @Override
  public boolean valid() {
    return valid;
  }

  @Override
  public byte[] keyArray() {
    return source.keyArray();
  }

  @Override
  public int keyOffset() {
    return source.keyOffset();
  }

  @Override
  public int keyLength() {
    return source.keyLength();
  }

  /**
   * @throws SifrException when it is not known whether the entry is hidden
   */
  @Override
  public long trailer() {
    if (failure != null) {
      throw failure;
    }
    return source.trailer();
  }

  @Override
  public int valueLength() {
    return source.valueLength();
  }

  @Override
  public void copyValue(byte[] target, int offset) {
    source.copyValue(target, offset);
  }

  @Override
  public ByteBuffer value() {
    return source.value();
  }

  @Override
  public void close() {
    valid = false;
    source.close();
  }
}
