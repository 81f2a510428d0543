package io.sifr.internal.entry;

import io.sifr.internal.entry.EntryIterator.KeyCopy;
import io.sifr.internal.util.Bytes;
import io.sifr.internal.util.Failures;
import java.nio.ByteBuffer;
import java.util.List;

/**
 * Merges many iterators into one, in internal order. The next child is found by a tournament (loser
 * tree): a child that has moved plays only against the losers on its path to the root, log n games.
 * Most games are decided by a few bytes of the keys, from which a player is made. As keys often
 * have a common prefix, these are the bytes after the skip: a number of leading bytes that the
 * current keys of all children share. When a child reaches a key that does not share them, or when
 * too many games are ties, the skip is chosen anew.
 *
 * <p>A player is a number: its upper bits are the first of eight bytes of the child's key,
 * transformed so that their order is that of the current direction, and its lowest bits are the
 * child's index. So a game is the minimum of two numbers, without a branch: the winner is
 * practically random, and a misprediction would cost more than everything else in a game.
 *
 * <p>Each child is positioned where it is needed next: forwards, all but the winner are at their
 * first entry after the winner's; backwards, at their last entry before it. A change of direction
 * repositions them. Children may grow meanwhile, as memtables do; they are then moved until they
 * are in the right position.
 *
 * <p>Owns its children and closes them.
 */
public final class MergingIterator implements EntryIterator {
  /**
   * Used instead of bytes of a key by an exhausted child. Loses against all keys except those whose
   * bytes are all 0xFF; that tie is decided separately.
   */
  private static final long EXHAUSTED = Long.MAX_VALUE;

  /** After this many games that the numbers did not decide, the skip is chosen anew. */
  private static final int MAX_TIES = 8;

  /**
   * This many bytes of the common prefix are not skipped: the last digits of keys change often, and
   * whenever a skipped byte changes, the skip is chosen anew.
   */
  private static final int SLACK = 3;

  private final EntryIterator[] children;
  private final Seeker seeker;
  private final int commonPrefixLength;

  /** The bits of a player that are the child's index. */
  private final int indexMask;

  /**
   * Losers of the games 1 to n-1; the winner of game i plays in game i/2, child i enters at i + n.
   * n is a power of two, so that all children play the same number of games: otherwise the end of
   * the loop would be mispredicted every other time. Slots without a child always lose.
   */
  private final long[] losers;

  /** The winners while a tournament is set up. */
  private final long[] winners;

  /**
   * Number of leading bytes that are not compared: {@link #commonPrefixLength}, or more, according
   * to {@link #shared}.
   */
  private int skip;

  /** A key whose first {@link #skip} bytes are those of the current keys of all children. */
  private final KeyCopy shared = new KeyCopy();

  /** Number of games since the skip was chosen that the numbers did not decide. */
  private int ties;

  /** Index of the child that holds the current entry. */
  private int winner;

  // The winner's key, fetched once: it is many calls away.
  private byte[] key = Bytes.EMPTY;
  private int keyOffset;
  private int keyLength;
  private long trailer;

  private int liveChildren;
  private boolean forward = true;
  private boolean valid;

  /**
   * Creates an iterator over all entries of the children.
   *
   * @param children in order of priority: of two equal entries, that of the earlier child comes
   *     first
   * @param commonPrefixLength number of leading bytes that all keys of all children are known to
   *     share, now and as long as the iterator is in use; 0 is always correct, only slower when
   *     keys have a common prefix
   */
  public MergingIterator(List<? extends EntryIterator> children, int commonPrefixLength) {
    this(children, commonPrefixLength, Seeker.ONE_BY_ONE);
  }

  /** The same, with a seeker for its seeks. */
  public MergingIterator(
      List<? extends EntryIterator> children, int commonPrefixLength, Seeker seeker) {
    this.seeker = seeker;
    this.children = children.toArray(new EntryIterator[0]);
    this.commonPrefixLength = commonPrefixLength;
    int count = this.children.length;
    int slots = Integer.highestOneBit(2 * Math.max(1, count) - 1); // the next power of two
    indexMask = slots - 1;
    losers = new long[slots];
    winners = new long[2 * slots];
  }

  @Override
  public boolean seekToFirst() {
    seeker.seek(children, EntryIterator.Target.FIRST);
    return play(true);
  }

  @Override
  public boolean seekToLast() {
    seeker.seek(children, EntryIterator.Target.LAST);
    return play(false);
  }

  @Override
  public boolean seek(byte[] key, int offset, int length, long trailer) {
    seeker.seek(children, EntryIterator.Target.at(key, offset, length, trailer));
    return play(true);
  }

  @Override
  public boolean seekBefore(byte[] key, int offset, int length) {
    seeker.seek(children, EntryIterator.Target.before(key, offset, length));
    return play(false);
  }

  @Override
  public boolean next() {
    if (!forward) {
      turnForward();
    }
    return moved(children[winner].next());
  }

  @Override
  public boolean previous() {
    if (forward) {
      turnBackward();
    }
    return moved(children[winner].previous());
  }

  /** Finds the new winner after the winner has moved. */
  private boolean moved(boolean childIsValid) {
    EntryIterator child = children[winner];
    long player;
    if (!childIsValid) {
      liveChildren--;
      player = player(EXHAUSTED, winner);
      valid = liveChildren > 0;
    } else {
      byte[] array = child.keyArray();
      int offset = child.keyOffset();
      int length = child.keyLength();
      if (liveChildren == 1) {
        // A single valid child: there are no games until the next play().
        positionAt(array, offset, length, child.trailer());
        return true;
      }
      if (ties > MAX_TIES || !sharesSkip(array, offset, length)) {
        return play(forward);
      }
      player = player(array, offset, length, winner);
    }
    winner = index(playUp(player));
    return positionAtWinner();
  }

  /** Plays a child's games up to the root; returns the winner. */
  private long playUp(long moved) {
    long candidate = moved;
    for (int game = (index(moved) + losers.length) >>> 1; game > 0; game >>>= 1) {
      long other = losers[game];
      long difference = other ^ candidate;
      // All bits set when the other comes first: players are not negative, so their difference does
      // not overflow.
      long isFirst =
          isDecisive(difference)
              ? (other - candidate) >> 63
              : comesFirstByKey(index(other), index(candidate)) ? -1 : 0;
      long exchanged = difference & isFirst;
      losers[game] = other ^ exchanged;
      candidate ^= exchanged;
    }
    return candidate;
  }

  /** Whether players with this difference differ in more than their indexes. */
  private boolean isDecisive(long difference) {
    return (difference & ~(long) indexMask) != 0;
  }

  private boolean positionAtWinner() {
    if (valid) {
      EntryIterator child = children[winner];
      positionAt(child.keyArray(), child.keyOffset(), child.keyLength(), child.trailer());
    }
    return valid;
  }

  private void positionAt(byte[] array, int offset, int length, long itsTrailer) {
    key = array;
    keyOffset = offset;
    keyLength = length;
    trailer = itsTrailer;
  }

  /** Sets up the tournament of the children at their positions. */
  private boolean play(boolean inForwardOrder) {
    forward = inForwardOrder;
    skip = commonPrefixLength;
    playAll();
    if (ties > 0) {
      chooseSkip();
      playAll();
    }
    return positionAtWinner();
  }

  private void playAll() {
    int count = losers.length;
    liveChildren = 0;
    ties = 0;
    for (int i = 0; i < count; i++) {
      boolean live = isLive(i);
      winners[count + i] = live ? player(children[i], i) : player(EXHAUSTED, i);
      liveChildren += live ? 1 : 0;
    }
    for (int game = count - 1; game > 0; game--) {
      long left = winners[2 * game];
      long right = winners[2 * game + 1];
      boolean rightFirst = comesFirst(right, left);
      winners[game] = rightFirst ? right : left;
      losers[game] = rightFirst ? left : right;
    }
    winner = index(winners[1]);
    valid = liveChildren > 0;
  }

  /** Finds out how many bytes the current keys of all children share, including the winner's. */
  private void chooseSkip() {
    shared.set(children[winner]);
    int common = shared.length();
    for (EntryIterator child : children) {
      if (child.valid()) {
        common = Math.min(common, shared.commonPrefix(child));
      }
    }
    skip = Math.max(commonPrefixLength, common - SLACK);
  }

  private boolean sharesSkip(byte[] array, int offset, int length) {
    return skip == commonPrefixLength
        || shared.beginsLike(array, offset, length, commonPrefixLength, skip);
  }

  private long player(EntryIterator child, int index) {
    return player(child.keyArray(), child.keyOffset(), child.keyLength(), index);
  }

  private long player(byte[] key, int offset, int length, int index) {
    long bytes = Bytes.prefix(key, offset + skip, length - skip);
    return player((forward ? bytes : ~bytes) >>> 1, index);
  }

  private long player(long bytes, int index) {
    return (bytes & ~(long) indexMask) | index;
  }

  private int index(long player) {
    return (int) player & indexMask;
  }

  /** Whether player a comes before player b in the current direction. */
  private boolean comesFirst(long a, long b) {
    return isDecisive(a ^ b) ? a < b : comesFirstByKey(index(a), index(b));
  }

  private boolean isLive(int index) {
    return index < children.length && children[index].valid();
  }

  /** Whether child a comes before child b in the current direction, by their whole keys. */
  private boolean comesFirstByKey(int a, int b) {
    if (!isLive(a) || !isLive(b)) {
      return isLive(a);
    }
    ties++;
    return forward == inOrder(a, b);
  }

  /**
   * Whether the entry of child a is before that of child b in internal order; of two equal entries,
   * that of the earlier child is.
   */
  private boolean inOrder(int a, int b) {
    EntryIterator first = children[a];
    EntryIterator second = children[b];
    int order =
        Bytes.compare(
            first.keyArray(),
            first.keyOffset() + commonPrefixLength,
            first.keyLength() - commonPrefixLength,
            second.keyArray(),
            second.keyOffset() + commonPrefixLength,
            second.keyLength() - commonPrefixLength);
    if (order == 0) {
      order = Long.compare(second.trailer(), first.trailer());
    }
    return order < 0 || (order == 0 && a < b);
  }

  /** Moves all children but the winner to their first entry after the winner's. */
  private void turnForward() {
    for (int i = 0; i < children.length; i++) {
      EntryIterator child = children[i];
      if (i != winner) {
        boolean live = child.valid() ? child.next() : child.seekToFirst();
        while (live && inOrder(i, winner)) {
          live = child.next();
        }
      }
    }
    play(true);
  }

  /** Moves all children but the winner to their last entry before the winner's. */
  private void turnBackward() {
    for (int i = 0; i < children.length; i++) {
      EntryIterator child = children[i];
      if (i != winner) {
        boolean live = child.valid() ? child.previous() : child.seekToLast();
        while (live && inOrder(winner, i)) {
          live = child.previous();
        }
      }
    }
    play(false);
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
    return children[winner].valueLength();
  }

  @Override
  public void copyValue(byte[] target, int offset) {
    children[winner].copyValue(target, offset);
  }

  @Override
  public ByteBuffer value() {
    return children[winner].value();
  }

  @Override
  public void close() {
    valid = false;
    Failures failures = new Failures();
    for (EntryIterator child : children) {
      failures.collect(child::close);
    }
    failures.throwFirst();
  }

  /** Positions the children of a merging iterator. */
  public interface Seeker {
    /** Positions one after another. */
    Seeker ONE_BY_ONE =
        (iterators, to) -> {
          for (EntryIterator iterator : iterators) {
            var unused = iterator.seek(to);
          }
        };

    /**
     * Moves all iterators to a target, in any order, and returns when all are positioned. When it
     * throws, no thread uses them any more, and they may only be closed.
     *
     * @param iterators not to be changed
     * @throws RuntimeException what one of them threw
     */
    void seek(EntryIterator[] iterators, EntryIterator.Target to);
  }
}
