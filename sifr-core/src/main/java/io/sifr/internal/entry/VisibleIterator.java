package io.sifr.internal.entry;

import io.sifr.internal.util.Bytes;
import java.nio.ByteBuffer;
import org.jspecify.annotations.Nullable;

/**
 * What a reader at a sequence number sees of a walk over entries: of each user key the newest
 * version it may see, unless that is a tombstone; within bounds; in both directions. A new one
 * stands on no entry. Moves return whether it stands on one afterwards. Not thread-safe.
 *
 * <p>Going forward it stands where its source stands. Going backward the versions of a key come
 * oldest first, and only one step too far shows which was the newest visible one. So the source
 * then stands one step further, and the entry is remembered: the trailer always, the value when it
 * has at most {@value #MAX_SAVED_VALUE} bytes. For a longer one the source goes back when, and only
 * when, the value is asked for. (Always going back would turn a merge of n children round twice per
 * entry.)
 *
 * <p>Where the newest visible version does not settle what its key comes to, the {@link Resolution}
 * of it and the older ones is remembered, and the source goes back to the newest one.
 *
 * <p>The key is always a copy, which a move that fails leaves as it was: {@link #keyArray} tells
 * then where to go on with another iterator.
 *
 * <p>Arrays and buffers handed out are not to be changed, and good until the next move. Owns its
 * source and closes it.
 */
public final class VisibleIterator implements AutoCloseable {
  /** Longest value that a walk backward copies without being asked. */
  static final int MAX_SAVED_VALUE = 1024;

  /** After so many invisible versions of one key a seek is cheaper than further steps. */
  private static final int STEPS_BEFORE_SEEK = 16;

  private final EntryKinds kinds;
  private final EntryIterator source;
  private final long sequence;
  private final byte @Nullable [] lower;
  private final byte @Nullable [] upper;

  private boolean valid;

  /**
   * Whether the value is the saved one, or, when it is too long for that, not saved. The source
   * stands further before it, or nowhere when there is nothing.
   */
  private boolean saved;

  /** Of a saved value: it is what several versions come to. The source stands on the newest. */
  private boolean resolved;

  /** The key of the entry stood on, or stood on last. */
  private KeyCopy key = new KeyCopy();

  /** The key that a move has come to and may have to leave again. */
  private KeyCopy candidate = new KeyCopy();

  private long savedTrailer;
  private int savedValueLength;
  private byte[] savedValue = Bytes.EMPTY;

  /**
   * A view of {@code source}.
   *
   * @param kinds what its entries mean
   * @param sequence entries with a larger sequence number are not seen
   * @param lower smallest key seen, null for no bound
   * @param upper smallest key not seen any more, null for no bound
   */
  public VisibleIterator(
      EntryKinds kinds,
      EntryIterator source,
      long sequence,
      byte @Nullable [] lower,
      byte @Nullable [] upper) {
    this.kinds = kinds;
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
    if (upper != null && Bytes.compare(target, offset, length, upper, 0, upper.length) >= 0) {
      valid = false;
      return false;
    }
    return settleForward(source.seek(target, offset, length, Trailer.seek(sequence)));
  }

  /** Moves to the last key before {@code target}. */
  public boolean seekBefore(byte[] target, int offset, int length) {
    if (upper != null && Bytes.compare(target, offset, length, upper, 0, upper.length) > 0) {
      return seekToLast();
    }
    if (lower != null && Bytes.compare(target, offset, length, lower, 0, lower.length) <= 0) {
      saved = false;
      valid = false;
      return false;
    }
    return settleBackward(source.seekBefore(target, offset, length));
  }

  /** Moves to the next key. Only when {@link #valid}. */
  public boolean next() {
    if (saved && !resolved) {
      saved = false;
      boolean live = source.valid() ? source.next() : source.seekToFirst();
      while (live && key.compareTo(source) > 0) {
        live = source.next();
      }
      return settleForward(skipKey(key, live));
    }
    saved = false;
    return settleForward(skipKey(key, source.next()));
  }

  /** Moves to the key before. Only when {@link #valid}. */
  public boolean previous() {
    return settleBackward(skipKeyBackward(key));
  }

  /** Moves the source from an entry at or behind a key to the first behind it. */
  private boolean skipKey(KeyCopy left, boolean sourceLive) {
    boolean live = sourceLive;
    int steps = 0;
    while (live && left.isKeyOf(source)) {
      steps++;
      live =
          steps == STEPS_BEFORE_SEEK
              ? source.seek(left.array(), 0, left.length(), 0)
              : source.next();
    }
    return live;
  }

  /** Moves the source from where it stands to the last entry before a key. */
  private boolean skipKeyBackward(KeyCopy left) {
    boolean live = source.valid();
    int steps = 0;
    while (live && left.compareTo(source) <= 0) {
      steps++;
      live =
          steps == STEPS_BEFORE_SEEK
              ? source.seekBefore(left.array(), 0, left.length())
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
        if (steps == 0 || !candidate.isKeyOf(source)) {
          candidate.set(source);
          steps = 0;
        }
        steps++;
        live = steps == STEPS_BEFORE_SEEK ? seekVisibleVersion() : source.next();
      } else if (Trailer.isPut(source.trailer())) {
        key.set(source);
        valid = true;
        return true;
      } else {
        candidate.set(source);
        if (resolve()) {
          return true;
        }
        steps = 0;
        live = skipKey(candidate, source.next());
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
      candidate.set(source);
      int steps = 0;
      while (live && Trailer.sequence(source.trailer()) <= sequence && candidate.isKeyOf(source)) {
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
      if (steps > 0 && Trailer.isPut(savedTrailer)) {
        saved = steps < STEPS_BEFORE_SEEK;
        resolved = false;
        takeCandidate();
        return true;
      }
      if (steps > 0 && !Resolution.isPlain(savedTrailer) && seekVisibleVersion() && resolve()) {
        return true;
      }
      live = skipKeyBackward(candidate);
    }
    valid = false;
    return false;
  }

  private void takeCandidate() {
    KeyCopy left = key;
    key = candidate;
    candidate = left;
    valid = true;
  }

  /**
   * Finds out what {@link #candidate} comes to, on whose newest visible version the source stands
   * before and afterwards, and stands on it if it has a value.
   */
  private boolean resolve() {
    long newest = source.trailer();
    if (Trailer.isTombstone(newest)) {
      return false;
    }
    Resolution resolution = new Resolution(kinds);
    boolean more = true;
    do {
      byte[] value = new byte[source.valueLength()];
      source.copyValue(value, 0);
      more = resolution.add(source.trailer(), value);
    } while (more && source.next() && candidate.isKeyOf(source));
    source.seek(candidate.array(), 0, candidate.length(), newest);
    byte[] value = resolution.value();
    if (value == null) {
      return false;
    }
    savedTrailer = Trailer.of(Trailer.sequence(newest), EntryKind.PUT);
    savedValue = value;
    savedValueLength = value.length;
    saved = true;
    resolved = true;
    takeCandidate();
    return true;
  }

  /**
   * Moves the source to the newest visible version of {@link #candidate}, or behind that key when
   * there is none.
   */
  private boolean seekVisibleVersion() {
    return source.seek(candidate.array(), 0, candidate.length(), Trailer.seek(sequence));
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

  /** Array that begins with the key, of {@link #keyLength} bytes. */
  public byte[] keyArray() {
    return key.array();
  }

  /** Bytes of the key. */
  public int keyLength() {
    return key.length();
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
    if (saved && !resolved && savedValueLength > MAX_SAVED_VALUE) {
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
