package io.sifr.bench.workload;

import java.util.SplittableRandom;
import org.apache.commons.rng.sampling.distribution.DiscreteSampler;
import org.apache.commons.rng.sampling.distribution.RejectionInversionZipfSampler;

/** Chooses the entry of an operation. Not thread-safe: one per thread. */
public final class Choice {
  /** As in YCSB. */
  private static final double ZIPFIAN_EXPONENT = 0.99;

  /** One entry in this many is hot. */
  private static final int HOT_SHARE = 100;

  private final Dataset dataset;
  private final SplittableRandom random;
  private final DiscreteSampler zipfian;

  /** Chooses among the entries inserted so far and, uniformly, later ones. */
  public Choice(Dataset dataset, SplittableRandom random) {
    this.dataset = dataset;
    this.random = random;
    this.zipfian =
        RejectionInversionZipfSampler.of(
            random::nextLong, Math.max(1, dataset.inserted()), ZIPFIAN_EXPONENT);
  }

  /** Any, all equally often. */
  public int uniform() {
    return dataset.inserted(random.nextInt(dataset.inserted()));
  }

  /**
   * Uniformly among the first hundredth of insertions, which spread over the key space unless
   * ascending.
   */
  int hot() {
    return dataset.inserted(random.nextInt(Math.max(1, dataset.inserted() / HOT_SHARE)));
  }

  /** Zipfian: few very often, most hardly ever. */
  public int zipfian() {
    return dataset.inserted(zipfian.sample() - 1);
  }

  /** The newest most often. */
  int latest() {
    return dataset.inserted(Math.max(0, dataset.inserted() - zipfian.sample()));
  }

  boolean withProbability(double probability) {
    return random.nextDouble() < probability;
  }

  /** A number from 1 to {@code most}. */
  int upTo(int most) {
    return 1 + random.nextInt(most);
  }
}
