package io.sifr.internal.compaction.pick;

import io.sifr.internal.forest.Forest;
import io.sifr.internal.forest.KeySpan;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * All that a decision may look at.
 *
 * @param forest the trees of a database, and the compactions that have begun
 * @param snapshots sequence numbers that must stay readable, ascending; none of them where no tree
 *     has range tombstones
 * @param now the time, in milliseconds since the epoch
 * @param reads what reads have wasted on having several trees
 * @param idleMillis for how long nobody has written to the store
 * @param upkeep for what SSTs are rewritten where they are
 * @param request what a caller requests; null if none does
 */
@SuppressWarnings("ArrayRecordComponent") // never compared as a record
public record Picture(
    Forest forest,
    long[] snapshots,
    long now,
    ReadCost reads,
    long idleMillis,
    Upkeep upkeep,
    @Nullable Request request) {
  private static final long[] NO_SNAPSHOTS = {};

  /**
   * The waste of reads, and the credit of compactions before there are reads.
   *
   * @param credit what was wasted and not used up, in bytes that compactions write in the same time
   * @param flushed bytes that were flushed since trees were last compacted in an idle store
   * @param keys of reads, drawn in proportion to what these have wasted, ascending; none if it is
   *     not yet time to look at them
   */
  public record ReadCost(long credit, long flushed, List<byte[]> keys) {
    /** Of a database that is not read. */
    public static final ReadCost NONE = new ReadCost(0, 0, List.of());
  }

  /**
   * A demand on SSTs: those that do not meet it are rewritten where they are.
   *
   * @param homeBefore the sequence number of which SSTs that may be lost should have nothing older
   *     any more; 0: they need not be rewritten
   * @param key number of the key with which they should be encrypted, 0: with none; negative when
   *     that is not known
   */
  public record Upkeep(long homeBefore, int key) {
    /** Of a store without either. */
    public static final Upkeep NONE = new Upkeep(0, 0);
  }

  /**
   * A caller wants trees to be compacted.
   *
   * @param span which keys
   * @param fromStage what lower stages hold of them does not count; 0: all is to become one tree
   */
  public record Request(KeySpan span, int fromStage) {
    /** All trees. */
    public static final Request ALL = new Request(KeySpan.ALL, 0);
  }

  /** Of a forest that is written to, and of which readers need only what they get now. */
  public static Picture of(Forest forest) {
    return new Picture(forest, NO_SNAPSHOTS, 0, ReadCost.NONE, 0, Upkeep.NONE, null);
  }

  /** With these snapshots, at that time. */
  public static Picture of(Forest forest, long[] snapshots, long now) {
    return of(forest, snapshots, now, Upkeep.NONE);
  }

  /** With SSTs that should be rewritten, see {@link Home} and {@link KeyRotation}. */
  public static Picture of(Forest forest, long[] snapshots, long now, Upkeep upkeep) {
    return new Picture(forest, snapshots, now, ReadCost.NONE, 0, upkeep, null);
  }

  /** With what its reads have wasted, after so long without a write. */
  public static Picture of(Forest forest, ReadCost reads, long idleMillis) {
    return new Picture(forest, NO_SNAPSHOTS, 0, reads, idleMillis, Upkeep.NONE, null);
  }

  /** With a request. */
  public static Picture of(Forest forest, Request request) {
    return new Picture(forest, NO_SNAPSHOTS, 0, ReadCost.NONE, 0, Upkeep.NONE, request);
  }
}
