package io.sifr.internal.search;

/**
 * What {@code ADAPTIVE} decides: whether reads are worth being handed over, and how far ahead of
 * what is known a query reads.
 *
 * <p><b>Whether.</b> Two reads in parallel take one read and a hand-off instead of two reads. So
 * reads must be slower than a hand-off, which those from the system's page cache are not; and there
 * must be a searcher without work. And no more callers may be reading than there are processors:
 * they keep those and the disk busy among themselves, and whatever is done beside one, the others
 * wait for. Four callers on two processors got 27,000 and 31,000 a second of YCSB D when each
 * handed reads over, 42,000 and 51,000 when none did; of B as many, but with a p99 of 3,900 µs
 * instead of 1,300, and of C as many for twice the CPU.
 *
 * <p><b>How far.</b> An answer needs the candidate that holds the key and all above it; reads below
 * it are in vain. Where the key lies is not known, but how likely each candidate is: as likely as
 * its tree is large, so that one of the last stage is far likelier than all of the first. (A filter
 * that let several candidates pass does not change the odds between them.) A query keeps so many
 * candidates under way, in order of priority, that they hold a certain share of what is left of the
 * likelihood. With three trees each in three stages, that begins with everything down to the first
 * tree or two of the last stage, and a further one is read when those above have said no. So the
 * reads that nearly every query needs are all done at once, and the last ones, of which each has a
 * good chance to be in vain, are held back for a moment. With ten candidates of 4 KiB, read
 * directly, a share of 0.45 was as quick as all at once, with half the reads in vain (0.87 instead
 * of 1.61 a query); 0.2 was a tenth slower, with a quarter of them.
 *
 * <p>And it keeps no more under way than three quarters of them, or four. Where one tree holds most
 * of the data the share alone would begin with all. The rest begins with the first answers, which
 * is soon enough to cost little time: over six trees, 4,000 gets each in turns, all at once took
 * 610 µs with 0.76 reads in vain, four at once 618 µs with 0.67, three at once 623 µs with 0.57.
 * Over twelve, all at once took 632 µs with 0.97 in vain, eight at once 743 µs with 0.91; ten at
 * once were 5 % slower than all, with 0.87 in vain instead of 0.89.
 *
 * <p>The share shrinks with the number of searchers at work. When many callers keep the disk busy
 * anyway, a read in vain takes the place of one that is needed.
 */
final class AdaptivePolicy {
  /**
   * What it costs to hand a search over: the hand-over, and until the searcher is awake. A few
   * microseconds where processors are free; reads from the page cache take less than this, reads
   * from a disk several times as long. {@code HandOffBenchmark} of the microbenchmarks measures it.
   */
  static final long HAND_OFF_NANOS = 10_000;

  /** Share of the likelihood that is under way when all searchers are idle. */
  static final double IDLE_SHARE = 0.45;

  /** So many candidates may be under way however few there are. */
  private static final int FEW = 4;

  private AdaptivePolicy() {}

  /**
   * Whether a query with several candidates to be read hands some over.
   *
   * @param readNanos how long reads take
   * @param idle searchers without work
   * @param callers that read at this moment, this one included
   * @param processors of this machine
   */
  static boolean isWorthHandingOver(long readNanos, int idle, int callers, int processors) {
    return idle > 0 && readNanos > HAND_OFF_NANOS && callers <= processors;
  }

  /** Share of the likelihood to be kept under way. */
  static double share(int idle, int searchers) {
    return IDLE_SHARE * Math.max(0, idle) / searchers;
  }

  /**
   * A plan that keeps a share of the likelihood under way.
   *
   * @param weights how likely each candidate is, in any measure; more than 0
   * @param share 0 to 1; 0 searches one after the other, 1 all at once
   */
  static SearchPlan lookAhead(double[] weights, double share) {
    int most = share < 1 ? Math.max(FEW, weights.length * 3 / 4) : weights.length;
    return (claimed, answered) -> {
      double left = 0;
      for (int i = 0; i < weights.length; i++) {
        left += (answered >>> i & 1) == 0 ? weights[i] : 0;
      }
      double wanted = share * left;
      double underWay = 0;
      long allowed = 0;
      int count = 0;
      for (int i = 0;
          i < weights.length && count < most && (count == 0 || underWay < wanted);
          i++) {
        if ((answered >>> i & 1) == 0) {
          underWay += weights[i];
          allowed |= 1L << i;
          count++;
        }
      }
      return allowed;
    };
  }
}
