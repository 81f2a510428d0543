package io.sifr.internal.entry;

import io.sifr.internal.util.Bytes;
import java.nio.ByteBuffer;
import org.jspecify.annotations.Nullable;

/**
 * What a reader at a sequence number sees of a walk over entries: of each user key the newest
 * version it may see, unless that is a tombstone; within bounds; in both directions. A new one
 * stands on no entry. Moves return whether it stands on one afterwards. Not thread-safe.
 *
 * <p>Going forward it stands where its source stands, and hands out the source's arrays. Going
 * backward the versions of a key come oldest first, and only one step too far shows which was the
 * newest visible one. So the source then stands one step further, and the entry is remembered: key
 * and trailer always, the value when it has at most {@value #MAX_SAVED_VALUE} bytes. For a longer
 * one the source goes back when, and only when, the value is asked for. (Always going back would
 * turn a merge of n children round twice per entry.)
 *
 * <p>Arrays and buffers handed out are not to be changed, and good until the next move. Owns its
 * source and closes it.
 */
public final class VisibleIterator implements AutoCloseable {
  /** Longest value that a walk backward copies without being asked. */
  static final int MAX_SAVED_VALUE = 1024;

  /** After so many invisible versions of one key a seek is cheaper than further steps. */
  private static final int STEPS_BEFORE_SEEK = 16;

  private final EntryIterator source;
  private final long sequence;
  private final byte @Nullable [] lower;
  private final byte @Nullable [] upper;

  private boolean valid;

  /**
   * Whether the entry is the saved one and the source stands further before it, or nowhere when
   * there is nothing.
   */
  private boolean saved;

  /** Going backward the key of the saved entry, going forward the key that was left last. */
  private final KeyCopy key = new KeyCopy();

  private long savedTrailer;
  private int savedValueLength;
  private byte[] savedValue = Bytes.EMPTY;

  /**
   * A view of {@code source}.
   *
   * @param sequence entries with a larger sequence number are not seen
   * @param lower smallest key seen, null for no bound
   * @param upper smallest key not seen any more, null for no bound
   */
  public VisibleIterator(
      EntryIterator source, long sequence, byte @Nullable [] lower, byte @Nullable [] upper) {
    this.source = source;
    this.sequence = sequence;
    this.lower = lower;
    this.upper = upper;
  }

  /** Moves to the first key. */
  public boolean seekToFirst() {
    saved = false;
    boolean live =
        lower == null
            ? source.seekToFirst()
            : source.seek(lower, 0, lower.length, Trailer.seek(sequence));
    return settleForward(live);
  }

  /** Moves to the last key. */
  public boolean seekToLast() {
    boolean live = upper == null ? source.seekToLast() : source.seekBefore(upper, 0, upper.length);
    return settleBackward(live);
  }

  /** Moves to the first key at or behind {@code target}. */
  public boolean seek(byte[] target, int offset, int length) {
    if (lower != null && Bytes.compare(target, offset, length, lower, 0, lower.length) < 0) {
      return seekToFirst();
    }
    saved = false;
    return settleForward(source.seek(target, offset, length, Trailer.seek(sequence)));
  }

  /** Moves to the last key before {@code target}. */
  public boolean seekBefore(byte[] target, int offset, int length) {
    if (upper != null && Bytes.compare(target, offset, length, upper, 0, upper.length) > 0) {
      return seekToLast();
    }
    return settleBackward(source.seekBefore(target, offset, length));
  }

  /** Moves to the next key. Only when {@link #valid}. */
  public boolean next() {
    if (saved) {
      saved = false;
      boolean live = source.valid() ? source.next() : source.seekToFirst();
      return settleForward(skipKey(live));
    }
    key.set(source);
    return settleForward(skipKey(source.next()));
  }

  /** Moves to the key before. Only when {@link #valid}. */
  public boolean previous() {
    if (!saved) {
      key.set(source);
    }
    return settleBackward(skipKeyBackward());
  }

  /** Moves the source from an entry to the first behind {@link #key}. */
  private boolean skipKey(boolean sourceLive) {
    boolean live = sourceLive;
    int steps = 0;
    while (live && key.compareTo(source) >= 0) {
      steps++;
      live =
          steps == STEPS_BEFORE_SEEK ? source.seek(key.array(), 0, key.length(), 0) : source.next();
    }
    return live;
  }

  /** Moves the source from where it stands to the last entry before {@link #key}. */
  private boolean skipKeyBackward() {
    boolean live = source.valid();
    int steps = 0;
    while (live && key.compareTo(source) <= 0) {
      steps++;
      live =
          steps == STEPS_BEFORE_SEEK
              ? source.seekBefore(key.array(), 0, key.length())
              : source.previous();
    }
    return live;
  }

  /** Moves the source from the first entry that may be seen to the first that is. */
  private boolean settleForward(boolean sourceLive) {
    boolean live = sourceLive;
    int steps = 0;
    while (live && !isBeyondUpper()) {
      if (Trailer.sequence(source.trailer()) > sequence) {
        if (steps == 0 || !key.isKeyOf(source)) {
          key.set(source);
          steps = 0;
        }
        steps++;
        live = steps == STEPS_BEFORE_SEEK ? seekVisibleVersion() : source.next();
      } else if (Trailer.isTombstone(source.trailer())) {
        key.set(source);
        steps = 0;
        live = skipKey(source.next());
      } else {
        valid = true;
        return true;
      }
    }
    valid = false;
    return false;
  }

  /** Moves the source from the oldest version of a key to before the last key that is seen. */
  private boolean settleBackward(boolean sourceLive) {
    boolean live = sourceLive;
    saved = false;
    while (live && !isBeforeLower()) {
      key.set(source);
      int steps = 0;
      while (live && Trailer.sequence(source.trailer()) <= sequence && key.isKeyOf(source)) {
        steps++;
        if (steps == STEPS_BEFORE_SEEK) {
          break;
        }
        save();
        live = source.previous();
      }
      if (steps == STEPS_BEFORE_SEEK && seekVisibleVersion()) {
        savedTrailer = source.trailer();
      }
      if (steps > 0 && !Trailer.isTombstone(savedTrailer)) {
        saved = steps < STEPS_BEFORE_SEEK;
        valid = true;
        return true;
      }
      live = skipKeyBackward();
    }
    valid = false;
    return false;
  }

  /**
   * Moves the source to the newest visible version of {@link #key}, or behind the key when there is
   * none.
   */
  private boolean seekVisibleVersion() {
    return source.seek(key.array(), 0, key.length(), Trailer.seek(sequence));
  }

  private void save() {
    savedTrailer = source.trailer();
    savedValueLength = source.valueLength();
    if (savedValueLength <= MAX_SAVED_VALUE) {
      if (savedValue.length < savedValueLength) {
        savedValue = new byte[MAX_SAVED_VALUE];
      }
      source.copyValue(savedValue, 0);
    }
  }

  private boolean isBeyondUpper() {
    return upper != null && compareWithSource(upper) <= 0;
  }

  private boolean isBeforeLower() {
    return lower != null && compareWithSource(lower) > 0;
  }

  private int compareWithSource(byte[] bound) {
    return Bytes.compare(
        bound, 0, bound.length, source.keyArray(), source.keyOffset(), source.keyLength());
  }

  /** Whether it stands on an entry; all accessors below need it. */
  public boolean valid() {
    return valid;
  }

  /** Array that holds the key at {@link #keyOffset} with {@link #keyLength}. */
  public byte[] keyArray() {
    return saved ? key.array() : source.keyArray();
  }

  /** Where in {@link #keyArray} the key begins. */
  public int keyOffset() {
    return saved ? 0 : source.keyOffset();
  }

  /** Bytes of the key. */
  public int keyLength() {
    return saved ? key.length() : source.keyLength();
  }

  /** Sequence number and kind of the version seen. */
  public long trailer() {
    return saved ? savedTrailer : source.trailer();
  }

  /** Bytes of the value. */
  public int valueLength() {
    return saved ? savedValueLength : source.valueLength();
  }

  /** Copies the whole value to {@code target} from {@code offset} on. */
  public void copyValue(byte[] target, int offset) {
    if (valueIsSaved()) {
      System.arraycopy(savedValue, 0, target, offset, savedValueLength);
    } else {
      source.copyValue(target, offset);
    }
  }

  /** The value as a read-only view, position 0 to limit. */
  public ByteBuffer value() {
    return valueIsSaved()
        ? ByteBuffer.wrap(savedValue, 0, savedValueLength).slice().asReadOnlyBuffer()
        : source.value();
  }

  /** Whether the value was copied; if not, the source stands on its entry afterwards. */
  private boolean valueIsSaved() {
    if (saved && savedValueLength > MAX_SAVED_VALUE) {
      source.seek(key.array(), 0, key.length(), savedTrailer);
      saved = false;
    }
    return saved;
  }

  @Override
  public void close() {
    valid = false;
    source.close();
  }
}
