package io.sifr.internal.entry;

import io.sifr.error.CorruptionException;
import io.sifr.error.MergeOperatorException;
import io.sifr.error.UnreadableException;
import io.sifr.internal.entry.Resolution.Operands;
import io.sifr.internal.util.Bytes;
import java.util.Arrays;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Joins what a flush or a compaction is about to write: versions that do not settle their key
 * become one with the next older ones, as long as each reader sees all of them or none.
 *
 * <ul>
 *   <li>With a put or a tombstone below them they become a put of what they come to. So they do if
 *       there is nothing below them: no older version in the iteration, and no older source that
 *       may hold the key.
 *   <li>Otherwise they become one such version, if their kind can be joined.
 * </ul>
 *
 * What cannot be joined, because an operator has failed or is missing, is written as it is: nothing
 * is lost, and the next compaction tries again.
 *
 * <p>Not thread-safe.
 */
public final class JoinedVersions {
  /** Values that are larger together are not joined, since all of them are in memory. */
  private static final long MOST_BYTES = 64L << 20;

  private final EntryKinds kinds;
  private final long[] snapshots;
  private final OlderSources olderSources;
  private final Consumer<ForwardIterator> output;
  private final SingleEntry written = new SingleEntry();
  private final Operands operands = new Operands();
  private byte[] key = Bytes.EMPTY;
  private long given;
  private long absorbed;

  /**
   * Creates one for one iteration.
   *
   * @param kinds which entries there are
   * @param snapshots sequence numbers of the live snapshots, ascending; see {@link VersionFilter}
   * @param olderSources consulted for versions that do not settle their key only
   * @param output receives entries in order, each positioned on it; during the call
   */
  public JoinedVersions(
      EntryKinds kinds,
      long[] snapshots,
      OlderSources olderSources,
      Consumer<ForwardIterator> output) {
    this.kinds = kinds;
    this.snapshots = snapshots.clone();
    this.olderSources = olderSources;
    this.output = output;
  }

  /**
   * Adds the next entry, of those that must be written. All versions of a key follow one another,
   * and after the last one {@link #endKey} is called.
   *
   * @param trailer its own, or that of a tombstone that is to be written in its place
   */
  public void add(ForwardIterator entry, long trailer) {
    boolean settles = Resolution.settles(kinds, trailer);
    if (settles && operands.isEmpty()) {
      writeAs(entry, trailer);
      return;
    }
    if (!operands.isEmpty() && isSeenWithoutNewest(Trailer.sequence(trailer))) {
      writeOperands();
    }
    if (!settles) {
      addOperand(entry);
    } else if ((Resolution.isPlain(trailer) || isLasting(entry, trailer))
        && !operands.isEmpty()
        && writeResolved(entry, trailer)) {
      absorbed++;
    } else {
      writeOperands();
      writeAs(entry, trailer);
    }
  }

  /** Whether it is the reference to a value that does not expire. */
  private static boolean isLasting(ForwardIterator entry, long trailer) {
    return SeparatedKind.is(trailer) && ExpiringKind.dueOf(entry) == ExpiringKind.NEVER;
  }

  private void writeAs(ForwardIterator entry, long trailer) {
    if (trailer == entry.trailer()) {
      output.accept(entry);
    } else {
      write(keyOf(entry), trailer, Bytes.EMPTY);
    }
  }

  private static byte[] keyOf(ForwardIterator entry) {
    int from = entry.keyOffset();
    return Arrays.copyOfRange(entry.keyArray(), from, from + entry.keyLength());
  }

  /** Says that no more versions of the key follow. */
  public void endKey() {
    if (operands.isEmpty()) {
      return;
    }
    if (olderSources.mayHold(key, 0, key.length) || !writeResolved(null, 0)) {
      writeOperands();
    }
  }

  /** How many entries less were written than were added since the last call. */
  public long takeAbsorbed() {
    long number = absorbed;
    absorbed = 0;
    return number;
  }

  /** Whether a snapshot sees a version, but not the newest of the operands. */
  private boolean isSeenWithoutNewest(long sequence) {
    int at = Arrays.binarySearch(snapshots, sequence);
    int first = at >= 0 ? at : -at - 1;
    return first < snapshots.length && snapshots[first] < operands.newest();
  }

  private void addOperand(ForwardIterator entry) {
    if (operands.isEmpty()) {
      key = keyOf(entry);
    } else if (operands.bytes() + entry.valueLength() > MOST_BYTES) {
      writeOperands();
    }
    long trailer = entry.trailer();
    given++;
    try {
      operands.add(key, kinds.ofCode(Trailer.kind(trailer)), trailer, valueOf(entry));
    } catch (MergeOperatorException e) {
      operands.joinNoMore(); // readers of the key get the failure
    }
  }

  private static byte[] valueOf(ForwardIterator entry) {
    byte[] value = new byte[entry.valueLength()];
    entry.copyValue(value, 0);
    return value;
  }

  /**
   * Writes a put of what the operands come to. Returns whether that is possible.
   *
   * @param base a put, a reference to a value that does not expire, or a tombstone; null for none
   * @param baseTrailer says which
   */
  private boolean writeResolved(@Nullable ForwardIterator base, long baseTrailer) {
    byte[] value;
    try {
      value = operands.over(key, base == null ? null : resolved(base, baseTrailer));
    } catch (MergeOperatorException | CorruptionException | UnreadableException e) {
      return false;
    }
    EntryKind kind = value == null ? EntryKind.DELETE : EntryKind.PUT;
    long trailer = Trailer.of(operands.newest(), kind);
    write(trailer, value == null ? Bytes.EMPTY : value);
    end();
    return true;
  }

  private byte @Nullable [] resolved(ForwardIterator base, long trailer) {
    return kinds.ofCode(Trailer.kind(trailer)).resolve(key, valueOf(base), null);
  }

  /** Writes the operands, as far as they can be joined, as what they are. */
  private void writeOperands() {
    try {
      operands.joinAll(key);
    } catch (MergeOperatorException e) {
      operands.joinNoMore();
    }
    operands.all().forEach(operand -> write(operand.trailer(), operand.value()));
    end();
  }

  private void write(long trailer, byte[] value) {
    write(key, trailer, value);
    given--;
  }

  private void write(byte[] ofKey, long trailer, byte[] value) {
    written.set(trailer, ofKey, value);
    output.accept(written);
  }

  private void end() {
    absorbed += given;
    given = 0;
    operands.clear();
  }
}
