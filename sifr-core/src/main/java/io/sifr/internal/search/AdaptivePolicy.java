package io.sifr.internal.search;

/**
 * The decisions of {@code ADAPTIVE}: whether reads are worth handing over, and how far ahead of the
 * known answers a query reads.
 *
 * <p><b>Whether.</b> Two reads in parallel take one read and a hand-off instead of two reads. So
 * reads must be slower than a hand-off, which reads from the system's page cache are not; there
 * must be an idle searcher; and no more callers may be reading than there are processors: they keep
 * the processors and the disk busy by themselves, and work handed over for one delays the others.
 * Four callers on two processors did 27,000 and 31,000 operations a second of YCSB D when each
 * handed reads over, 42,000 and 51,000 when none did; the same number of B, but with a p99 of 3,900
 * µs instead of 1,300, and the same number of C for twice the CPU.
 *
 * <p><b>How far.</b> An answer needs the candidate that holds the key and all above it; reads below
 * it are wasted. Which candidate that is, is not known, but its likelihood is: proportional to the
 * size of its tree, so that a candidate of the last stage is far likelier than all of the first.
 * (That several candidates have passed their filters does not change the odds between them.) A
 * query keeps candidates in flight, in order of priority, until they hold a certain share of the
 * remaining likelihood. With three trees in each of three stages, it begins with everything down to
 * the first tree or two of the last stage, and reads a further one when those above do not hold the
 * key. So the reads that nearly every query needs are done at once, and the last ones, each of
 * which is quite likely to be wasted, are delayed a little. With ten candidates of 4 KiB and direct
 * I/O, a share of 0.45 was as fast as all at once, with half the wasted reads (0.87 instead of 1.61
 * a query); 0.2 was a tenth slower, with a quarter of them.
 *
 * <p>And at most three quarters of the candidates are in flight, or four. Where one tree holds most
 * of the data, the share alone would begin with all. The others begin with the first answers, early
 * enough to cost little time: over six trees, 4,000 gets each in turns, all at once took 610 µs
 * with 0.76 wasted reads, four at once 618 µs with 0.67, three at once 623 µs with 0.57. Over
 * twelve, all at once took 632 µs with 0.97 wasted reads, eight at once 743 µs with 0.91; ten at
 * once were 5 % slower than all, with 0.87 wasted reads instead of 0.89.
 *
 * <p>The share shrinks with the number of busy searchers. When many callers keep the disk busy
 * anyway, a wasted read delays one that is needed.
 */
final class AdaptivePolicy {
  /**
   * The cost of a hand-off, including the wake-up of the searcher. It takes a few microseconds if
   * processors are free; reads from the page cache take less, reads from a disk several times as
   * long. {@code HandOffBenchmark} of the microbenchmarks measures it.
   */
  static final long HAND_OFF_NANOS = 10_000;

  /** Share of the likelihood that is in flight when all searchers are idle. */
  static final double IDLE_SHARE = 0.45;

  /** This many candidates may always be in flight. */
  private static final int FEW = 4;

  private AdaptivePolicy() {}

  /**
   * Whether a query with several candidates to read hands some over.
   *
   * @param readNanos duration of a read
   * @param idle number of idle searchers
   * @param callers number of callers that are reading, this one included
   * @param processors number of processors
   */
  static boolean isWorthHandingOver(long readNanos, int idle, int callers, int processors) {
    return idle > 0 && readNanos > HAND_OFF_NANOS && callers <= processors;
  }

  /** Whether a query that has to wait for a read announces it, and others that it may need. */
  static boolean isWorthAnnouncing(long readNanos) {
    return readNanos > HAND_OFF_NANOS; // a call of a microsecond or two for each
  }

  /** Share of the likelihood to keep in flight. */
  static double share(int idle, int searchers) {
    return IDLE_SHARE * Math.max(0, idle) / searchers;
  }

  /**
   * Share of the likelihood to announce to the system. An announcement needs no thread, so a query
   * announces all that it may need, and waits for one read instead of two. Only where more callers
   * read than there are processors, which keep the disk busy, are reads in vain avoided.
   *
   * @param callers number of callers that are reading, this one included
   * @param processors number of processors
   */
  static double shareAnnounced(int callers, int processors) {
    return callers <= processors ? 1 : IDLE_SHARE;
  }

  /**
   * A plan that keeps a share of the likelihood in flight.
   *
   * @param weights relative likelihood of each candidate; more than 0
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
