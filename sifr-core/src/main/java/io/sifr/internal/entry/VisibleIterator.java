package io.sifr.internal.entry;

import io.sifr.internal.entry.EntryIterator.KeyCopy;
import io.sifr.internal.entry.SeparatedKind.Reference;
import io.sifr.internal.entry.range.LearnedSpans;
import io.sifr.internal.util.Bytes;
import java.nio.ByteBuffer;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * The entries of another iterator that are visible to a reader at a sequence number: of each user
 * key the newest version it may see, unless that is a tombstone; within bounds; in both directions.
 * A new iterator is invalid. Moves return whether it is valid afterwards. Not thread-safe.
 *
 * <p>Forwards, its position is that of its source. Backwards, the versions of a key come oldest
 * first, and only the next step shows which one was the newest visible one. So the source is then
 * one step ahead, and the entry is saved: the trailer always, the value if it has at most {@value
 * #MAX_SAVED_VALUE} bytes. For a longer value the source moves back only if the value is requested.
 * (Always moving back would change the direction of all children of a merging iterator twice per
 * entry.)
 *
 * <p>If the newest visible version does not settle its key, the value resolved from it and the
 * older versions (see {@link Resolution}) is saved, and the source moves back to the newest one. A
 * separated value is read when it is requested.
 *
 * <p>The key is always a copy, which a failing move leaves unchanged: {@link #keyArray} then says
 * where to continue with another iterator.
 *
 * <p>A move that passes many deleted keys notifies {@link LearnedSpans}, so that others need not.
 *
 * <p>Returned arrays and buffers must not be changed, and are valid until the next move. Owns its
 * source and closes it.
 */
public final class VisibleIterator implements AutoCloseable {
  /** Longest value that a backward move saves eagerly. */
  static final int MAX_SAVED_VALUE = 1024;

  /** After this many invisible versions of one key, a seek is cheaper than further steps. */
  private static final int STEPS_BEFORE_SEEK = 16;

  /** Fewer deleted keys than that are ever passed. */
  private static final int NEVER = Integer.MIN_VALUE;

  /** After this many deleted keys in a row, others are notified. */
  static final int DEAD_KEYS_TO_LEARN = 32;

  /**
   * Checks that seeks of moves in one direction lead on. Keys of a source come in order; but a
   * mapped file that is damaged after it was checked may show any, and a seek past one that is in
   * the wrong place would lead back, again and again. Single steps always lead on.
   */
  private static final class SeekProgress {
    private byte @Nullable [] last;

    /**
     * Whether there may be a seek from a key: it comes after those before, or before them if moves
     * are backwards.
     */
    boolean leadsOn(KeyCopy key, boolean forward) {
      byte[] before = last;
      if (before != null) {
        int order = Bytes.compare(key.array(), 0, key.length(), before, 0, before.length);
        if (forward ? order <= 0 : order >= 0) {
          return false;
        }
      }
      last = Arrays.copyOf(key.array(), key.length());
      return true;
    }

    /** The next move may begin anywhere. */
    void reset() {
      last = null;
    }
  }

  private final EntryKinds kinds;
  private final EntryIterator source;
  private final LearnedSpans learned;
  private final long sequence;
  private final byte @Nullable [] lower;
  private final byte @Nullable [] upper;

  /** Of seeks past the versions of a key. */
  private final SeekProgress skips = new SeekProgress();

  /** Of seeks to the visible version of a key. */
  private final SeekProgress searches = new SeekProgress();

  /** The direction they are of. */
  private boolean isForward = true;

  private boolean valid;

  /**
   * True if the value was saved, or is too long for that. Unless it was {@link #resolved}, the
   * source is then at an earlier entry, or invalid if there is none.
   */
  private boolean saved;

  /**
   * True if the saved value was resolved from several versions. The source is then on the newest
   * one.
   */
  private boolean resolved;

  /** Deleted keys that the current move has passed, one after the other. */
  private int deadKeys;

  /**
   * The start of the move: these bytes, or no bound if there are none; unless it {@link
   * #beganAtEntry}.
   */
  private byte @Nullable [] begin;

  private int beginOffset;
  private int beginLength;
  private boolean beganAtEntry;

  /** A copy of it, once enough deleted keys were passed. */
  private byte @Nullable [] edge;

  /** The key of the current entry, or of the last one. */
  private KeyCopy key = new KeyCopy();

  /** The key that a move examines and may have to skip. */
  private KeyCopy candidate = new KeyCopy();

  private long savedTrailer;
  private int savedValueLength;

  /** Longer values are not saved, but found again. */
  private int longestSaved = MAX_SAVED_VALUE;

  private byte[] savedValue = Bytes.EMPTY;

  /**
   * Where the value of the entry is, if it was {@link #resolved} and is not read yet; else null.
   */
  private @Nullable Reference unread;

  /** When the value of the entry expires, if it was {@link #resolved}. */
  private long due = ExpiringKind.NEVER;

  /**
   * Creates a view of {@code source}.
   *
   * @param kinds the kinds of its entries
   * @param sequence entries with a larger sequence number are not seen
   * @param lower smallest key seen, null for no bound
   * @param upper smallest key beyond the range, null for no bound
   * @param learned receives key ranges that were all deleted
   */
  public VisibleIterator(
      EntryKinds kinds,
      EntryIterator source,
      long sequence,
      byte @Nullable [] lower,
      byte @Nullable [] upper,
      LearnedSpans learned) {
    this.learned = learned;
    this.kinds = kinds;
    this.source = source;
    this.sequence = sequence;
    this.lower = lower;
    this.upper = upper;
  }

  /**
   * From now on backward moves save values of any length, so that the value is there whatever
   * becomes of the entry before the next move.
   */
  public void saveAllValues() {
    longestSaved = Integer.MAX_VALUE;
  }

  /** Moves to the first key. */
  public boolean seekToFirst() {
    saved = false;
    beginAt(lower == null ? Bytes.EMPTY : lower);
    boolean live =
        lower == null
            ? source.seekToFirst()
            : source.seek(lower, 0, lower.length, Trailer.seek(sequence));
    return settleForward(live);
  }

  /** Moves to the last key. */
  public boolean seekToLast() {
    beginAt(upper);
    boolean live = upper == null ? source.seekToLast() : source.seekBefore(upper, 0, upper.length);
    return settleBackward(live);
  }

  /** Moves to the first key at or after {@code target}. */
  public boolean seek(byte[] target, int offset, int length) {
    if (lower != null && Bytes.compare(target, offset, length, lower, 0, lower.length) < 0) {
      return seekToFirst();
    }
    saved = false;
    if (upper != null && Bytes.compare(target, offset, length, upper, 0, upper.length) >= 0) {
      valid = false;
      return false;
    }
    beginAt(target, offset, length);
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
    beginAt(target, offset, length);
    return settleBackward(source.seekBefore(target, offset, length));
  }

  /** Moves to the next key. Only when {@link #valid}. */
  public boolean next() {
    beginAtEntry(true);
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

  /** Moves to the previous key. Only when {@link #valid}. */
  public boolean previous() {
    beginAtEntry(false);
    return settleBackward(skipKeyBackward(key));
  }

  private void beginAt(byte @Nullable [] bound) {
    beginAt(bound, 0, bound == null ? 0 : bound.length);
  }

  private void beginAt(byte @Nullable [] array, int offset, int length) {
    begin = array;
    beginOffset = offset;
    beginLength = length;
    beganAtEntry = false;
    deadKeys = 0;
    skips.reset();
    searches.reset();
  }

  private void beginAtEntry(boolean movesForward) {
    beganAtEntry = true;
    deadKeys = 0;
    if (isForward != movesForward) {
      isForward = movesForward;
      skips.reset();
      searches.reset();
    }
  }

  /**
   * Counts a deleted key.
   *
   * @param forward whether those after the current entry are passed, or those before it
   */
  private void passedDeadKey(boolean forward) {
    deadKeys++;
    if (deadKeys == DEAD_KEYS_TO_LEARN) {
      edge = edge(forward);
    }
  }

  private byte[] keyCopy() {
    return Arrays.copyOf(key.array(), key.length());
  }

  private byte @Nullable [] edge(boolean forward) {
    if (beganAtEntry) {
      return forward ? Bytes.successor(keyCopy()) : keyCopy();
    }
    byte[] from = begin;
    return from == null ? null : Arrays.copyOfRange(from, beginOffset, beginOffset + beginLength);
  }

  /** Moves the source from an entry at or after a key to the first one after it. */
  private boolean skipKey(KeyCopy left, boolean sourceLive) {
    boolean live = sourceLive;
    int steps = 0;
    while (live && left.isKeyOf(source)) {
      steps++;
      live =
          (steps == STEPS_BEFORE_SEEK && skips.leadsOn(left, true))
              ? source.seek(left.array(), 0, left.length(), 0)
              : source.next();
    }
    return live;
  }

  /** Moves the source from its position to the last entry before a key. */
  private boolean skipKeyBackward(KeyCopy left) {
    boolean live = source.valid();
    int steps = 0;
    while (live && left.compareTo(source) <= 0) {
      steps++;
      live =
          (steps == STEPS_BEFORE_SEEK && skips.leadsOn(left, false))
              ? source.seekBefore(left.array(), 0, left.length())
              : source.previous();
    }
    return live;
  }

  /** Moves the source from the first entry in the range to the first visible one. */
  private boolean settleForward(boolean sourceLive) {
    boolean found = findForward(sourceLive);
    byte[] from = edge;
    if (deadKeys >= DEAD_KEYS_TO_LEARN && from != null) {
      learned.add(from, found ? keyCopy() : upper, sequence);
    }
    return found;
  }

  private boolean findForward(boolean sourceLive) {
    boolean live = sourceLive;
    int steps = 0;
    while (live && !isBeyondUpper()) {
      if (Trailer.sequence(source.trailer()) > sequence) {
        if (steps == 0 || !candidate.isKeyOf(source)) {
          candidate.set(source);
          steps = 0;
        }
        steps++;
        live =
            (steps == STEPS_BEFORE_SEEK && searches.leadsOn(candidate, true))
                ? seekVisibleVersion()
                : source.next();
      } else if (Trailer.isPut(source.trailer())) {
        key.set(source);
        valid = true;
        return true;
      } else {
        candidate.set(source);
        if (Trailer.isTombstone(source.trailer())) {
          passedDeadKey(true);
        } else if (resolve()) {
          return true;
        } else {
          deadKeys = NEVER; // what has no value now may have one later
        }
        steps = 0;
        live = skipKey(candidate, source.next());
      }
    }
    valid = false;
    return false;
  }

  /** Moves the source backwards from the oldest version of a key to before the last visible key. */
  private boolean settleBackward(boolean sourceLive) {
    boolean found = findBackward(sourceLive);
    if (deadKeys >= DEAD_KEYS_TO_LEARN) {
      byte[] first = lower == null ? Bytes.EMPTY : lower;
      learned.add(found ? Bytes.successor(keyCopy()) : first, edge, sequence);
    }
    return found;
  }

  private boolean findBackward(boolean sourceLive) {
    boolean live = sourceLive;
    saved = false;
    while (live && !isBeforeLower()) {
      candidate.set(source);
      int steps = 0;
      boolean hasManyVersions = false;
      while (live && Trailer.sequence(source.trailer()) <= sequence && candidate.isKeyOf(source)) {
        steps++;
        if (steps == STEPS_BEFORE_SEEK && searches.leadsOn(candidate, false)) {
          hasManyVersions = true;
          break;
        }
        save();
        live = source.previous();
      }
      if (hasManyVersions && seekVisibleVersion()) {
        savedTrailer = source.trailer();
      }
      if (steps > 0 && Trailer.isPut(savedTrailer)) {
        saved = !hasManyVersions;
        resolved = false;
        takeCandidate();
        return true;
      }
      if (steps > 0 && !Resolution.isPlain(savedTrailer) && seekVisibleVersion() && resolve()) {
        return true;
      }
      if (steps > 0 && Trailer.isTombstone(savedTrailer)) {
        passedDeadKey(false);
      } else if (steps > 0) {
        deadKeys = NEVER;
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
   * Resolves {@link #candidate}, and moves to it if it has a value. The source is on its newest
   * visible version before and afterwards.
   */
  private boolean resolve() {
    long newest = source.trailer();
    unread = null;
    if (SeparatedKind.is(newest)) {
      return resolveReference(newest);
    }
    Resolution resolution = new Resolution(kinds, candidate.array(), 0, candidate.length());
    boolean expires = ExpiringKind.hasDue(newest);
    due = ExpiringKind.NEVER;
    boolean hasMoved = false;
    boolean more = true;
    do {
      byte[] value = new byte[source.valueLength()];
      source.copyValue(value, 0);
      if (expires && source.trailer() == newest) {
        due = ExpiringKind.due(value);
      }
      more = resolution.add(source.trailer(), value);
      hasMoved |= more;
    } while (more && source.next() && candidate.isKeyOf(source));
    if (hasMoved) {
      source.seek(candidate.array(), 0, candidate.length(), newest);
    }
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

  private boolean resolveReference(long trailer) {
    byte[] stored = new byte[source.valueLength()];
    source.copyValue(stored, 0);
    byte[] itsKey = Arrays.copyOf(candidate.array(), candidate.length());
    Reference reference = kinds.separated().reference(itsKey, stored);
    if (reference == null) {
      return false;
    }
    due = reference.due();
    boolean isSavedAtOnce = longestSaved == Integer.MAX_VALUE;
    savedValue = isSavedAtOnce ? kinds.separated().read(itsKey, reference) : Bytes.EMPTY;
    unread = isSavedAtOnce ? null : reference;
    savedTrailer = Trailer.of(Trailer.sequence(trailer), EntryKind.PUT);
    savedValueLength = reference.valueBytes();
    saved = true;
    resolved = true;
    takeCandidate();
    return true;
  }

  /**
   * Moves the source to the newest visible version of {@link #candidate}, or past that key when
   * there is none.
   */
  private boolean seekVisibleVersion() {
    return source.seek(candidate.array(), 0, candidate.length(), Trailer.seek(sequence));
  }

  private void save() {
    savedTrailer = source.trailer();
    savedValueLength = source.valueLength();
    if (savedValueLength <= longestSaved) {
      if (savedValue.length < savedValueLength) {
        savedValue = new byte[Math.max(MAX_SAVED_VALUE, savedValueLength)];
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

  /** Whether it is positioned on an entry, as all accessors below require. */
  public boolean valid() {
    return valid;
  }

  /** Array that begins with the key, of {@link #keyLength} bytes. */
  public byte[] keyArray() {
    return key.array();
  }

  public int keyLength() {
    return key.length();
  }

  /** Sequence number and kind of the version seen. */
  public long trailer() {
    return saved ? savedTrailer : source.trailer();
  }

  public int valueLength() {
    return saved ? savedValueLength : source.valueLength();
  }

  /** When the value expires, in milliseconds since the epoch; {@link ExpiringKind#NEVER}. */
  public long due() {
    return saved && resolved ? due : ExpiringKind.NEVER; // a plain put is not resolved
  }

  /** Copies the whole value to {@code target} from {@code offset} on. */
  public void copyValue(byte[] target, int offset) {
    Reference at = unread();
    if (at != null) {
      kinds.separated().read(keyCopy(), at, 0, at.valueBytes(), target, offset);
    } else if (valueIsSaved()) {
      System.arraycopy(savedValue, 0, target, offset, savedValueLength);
    } else {
      source.copyValue(target, offset);
    }
  }

  /** The value as a read-only view, position 0 to limit. */
  public ByteBuffer value() {
    Reference at = unread();
    if (at != null) {
      savedValue = kinds.separated().read(keyCopy(), at);
      unread = null;
    }
    return valueIsSaved()
        ? ByteBuffer.wrap(savedValue, 0, savedValueLength).slice().asReadOnlyBuffer()
        : source.value();
  }

  private @Nullable Reference unread() {
    return saved && resolved ? unread : null;
  }

  /** Whether the value was saved; if not, the source is on its entry afterwards. */
  private boolean valueIsSaved() {
    if (saved && !resolved && savedValueLength > longestSaved) {
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
