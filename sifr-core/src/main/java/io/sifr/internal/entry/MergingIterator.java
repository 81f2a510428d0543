package io.sifr.internal.entry;

import io.sifr.internal.util.Bytes;
import io.sifr.internal.util.Failures;
import java.nio.ByteBuffer;
import java.util.List;

/**
 * Many walks as one, in internal order. Which child comes next is found by a tournament (loser
 * tree): a child that has moved plays only against the losers on its way up, log n games, each
 * decided by some bytes of the keys in most cases, of which a player is made. Which bytes is found
 * out on the way, since keys often begin alike: those behind a number of bytes, the skip, that the
 * keys on which the children stand at present all share. When a child comes to a key that does not
 * share them, or when the bytes too often do not tell keys apart, the skip is chosen anew.
 *
 * <p>A player is a number: in its upper bits the beginning of eight bytes of the child's key, so
 * transformed that their order is the order of this direction, and in the lowest the child's place.
 * So a game is the smaller of two numbers, without a branch: who wins is as good as random, and a
 * processor that guesses wrong loses more time than with all else in a game.
 *
 * <p>Children stand where they are next needed: going forward, all but the winner on their first
 * entry behind the winner's; going backward, on their last before it. A change of direction moves
 * them over. Children that grow meanwhile, as memtables do, are reckoned with: then they are moved
 * until they are where they have to be.
 *
 * <p>Owns its children and closes them.
 */
public final class MergingIterator implements EntryIterator {
  /**
   * In place of bytes of a key. Loses against all but those that are nothing but 0xFF, with which
   * it is a tie that is looked into.
   */
  private static final long EXHAUSTED = Long.MAX_VALUE;

  /** After so many games that numbers did not decide the skip is chosen anew. */
  private static final int MAX_TIES = 8;

  /**
   * So many bytes of what the keys share are left in the eight: the last digits of keys change
   * often, and each time a byte changes that is skipped, the skip is chosen anew.
   */
  private static final int SLACK = 3;

  private final EntryIterator[] children;
  private final Seeker seeker;
  private final int commonPrefixLength;

  /** The bits of a player that are the child's place. */
  private final int placeMask;

  /**
   * Losers of the games 1 to n-1; the winner of game i plays in game i/2, child i enters at i + n.
   * n is a power of two, so that each child plays as many games: a processor that has to guess when
   * the last one comes is wrong every other time. Places without a child always lose.
   */
  private final long[] losers;

  /** Room for the winners while a tournament is set up. */
  private final long[] winners;

  /**
   * Leading bytes that are not looked at: {@link #commonPrefixLength}, or more, which {@link
   * #shared} tells.
   */
  private int skip;

  /** A key whose first {@link #skip} bytes are those of all keys on which children stand. */
  private final KeyCopy shared = new KeyCopy();

  /** Games since the skip was chosen that numbers did not decide. */
  private int ties;

  /** Place of the child that stands on the entry. */
  private int winner;

  // The winner's key, asked for once: it is many calls away.
  private byte[] key = Bytes.EMPTY;
  private int keyOffset;
  private int keyLength;
  private long trailer;

  private int liveChildren;
  private boolean forward = true;
  private boolean valid;

  /**
   * A walk over all entries of the children.
   *
   * @param children in order of priority: of equal entries that of the earlier child comes first
   * @param commonPrefixLength number of leading bytes that all keys of all children are known to
   *     share, now and as long as the walk lasts; 0 is always right, only slower when keys begin
   *     alike
   */
  public MergingIterator(List<? extends EntryIterator> children, int commonPrefixLength) {
    this(children, commonPrefixLength, Seeker.ONE_BY_ONE);
  }

  /** The same, for which seeks are done by a seeker. */
  public MergingIterator(
      List<? extends EntryIterator> children, int commonPrefixLength, Seeker seeker) {
    this.seeker = seeker;
    this.children = children.toArray(new EntryIterator[0]);
    this.commonPrefixLength = commonPrefixLength;
    int count = this.children.length;
    int places = Integer.highestOneBit(2 * Math.max(1, count) - 1); // the next power of two
    placeMask = places - 1;
    losers = new long[places];
    winners = new long[2 * places];
  }

  @Override
  public boolean seekToFirst() {
    seeker.lead(children, SeekTarget.FIRST);
    return play(true);
  }

  @Override
  public boolean seekToLast() {
    seeker.lead(children, SeekTarget.LAST);
    return play(false);
  }

  @Override
  public boolean seek(byte[] key, int offset, int length, long trailer) {
    seeker.lead(children, SeekTarget.at(key, offset, length, trailer));
    return play(true);
  }

  @Override
  public boolean seekBefore(byte[] key, int offset, int length) {
    seeker.lead(children, SeekTarget.before(key, offset, length));
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

  /** The winner has moved: finds the new one. */
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
        // Nobody to play against, and no game will be played before play().
        standOn(array, offset, length, child.trailer());
        return true;
      }
      if (ties > MAX_TIES || !sharesSkip(array, offset, length)) {
        return play(forward);
      }
      player = player(array, offset, length, winner);
    }
    winner = place(playUp(player));
    return standOnWinner();
  }

  /** Has a child play on its way up; returns who wins in the end. */
  private long playUp(long moved) {
    long candidate = moved;
    for (int game = (place(moved) + losers.length) >>> 1; game > 0; game >>>= 1) {
      long other = losers[game];
      long difference = other ^ candidate;
      // All bits set when the other one comes first. Players are not negative, nor is it then.
      long isFirst =
          isDecisive(difference)
              ? (other - candidate) >> 63
              : comesFirstByKey(place(other), place(candidate)) ? -1 : 0;
      long exchanged = difference & isFirst;
      losers[game] = other ^ exchanged;
      candidate ^= exchanged;
    }
    return candidate;
  }

  /** Whether players with this difference are told apart by more than their places. */
  private boolean isDecisive(long difference) {
    return (difference & ~(long) placeMask) != 0;
  }

  private boolean standOnWinner() {
    if (valid) {
      EntryIterator child = children[winner];
      standOn(child.keyArray(), child.keyOffset(), child.keyLength(), child.trailer());
    }
    return valid;
  }

  private void standOn(byte[] array, int offset, int length, long itsTrailer) {
    key = array;
    keyOffset = offset;
    keyLength = length;
    trailer = itsTrailer;
  }

  /** Sets up the tournament of the children where they stand. */
  private boolean play(boolean inForwardOrder) {
    forward = inForwardOrder;
    skip = commonPrefixLength;
    playAll();
    if (ties > 0) {
      chooseSkip();
      playAll();
    }
    return standOnWinner();
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
    winner = place(winners[1]);
    valid = liveChildren > 0;
  }

  /**
   * Finds out how many bytes the keys share on which the children stand. The winner is one of them.
   */
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

  private long player(EntryIterator child, int place) {
    return player(child.keyArray(), child.keyOffset(), child.keyLength(), place);
  }

  private long player(byte[] key, int offset, int length, int place) {
    long bytes = Bytes.prefix(key, offset + skip, length - skip);
    return player((forward ? bytes : ~bytes) >>> 1, place);
  }

  private long player(long bytes, int place) {
    return (bytes & ~(long) placeMask) | place;
  }

  private int place(long player) {
    return (int) player & placeMask;
  }

  /** Whether player a comes before player b in this direction. */
  private boolean comesFirst(long a, long b) {
    return isDecisive(a ^ b) ? a < b : comesFirstByKey(place(a), place(b));
  }

  private boolean isLive(int place) {
    return place < children.length && children[place].valid();
  }

  /** The same of two children, by the whole keys. */
  private boolean comesFirstByKey(int a, int b) {
    if (!isLive(a) || !isLive(b)) {
      return isLive(a);
    }
    ties++;
    return forward == inOrder(a, b);
  }

  /**
   * Whether child a stands before child b in internal order; of equal entries that of the earlier
   * child is.
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

  /** Moves all children but the winner to their first entry behind the winner's. */
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
}
