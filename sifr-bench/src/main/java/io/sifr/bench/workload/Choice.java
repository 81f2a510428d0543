package io.sifr.bench.workload;

import java.util.SplittableRandom;
import org.apache.commons.rng.sampling.distribution.DiscreteSampler;
import org.apache.commons.rng.sampling.distribution.RejectionInversionZipfSampler;

/** Which of the inserted entries an operation is about. Not thread-safe: one a thread. */
final class Choice {
  /** As in YCSB. */
  private static final double ZIPFIAN_EXPONENT = 0.99;

  /** One entry in so many is hot. */
  private static final int HOT_SHARE = 100;

  private final Dataset dataset;
  private final SplittableRandom random;
  private final DiscreteSampler zipfian;

  /** Chooses among the entries that are inserted by now and, uniformly, later ones. */
  Choice(Dataset dataset, SplittableRandom random) {
    this.dataset = dataset;
    this.random = random;
    this.zipfian =
        RejectionInversionZipfSampler.of(
            random::nextLong, Math.max(1, dataset.inserted()), ZIPFIAN_EXPONENT);
  }

  /** Any, all equally often. */
  int uniform() {
    return dataset.inserted(random.nextInt(dataset.inserted()));
  }

  /** One of the hundredth that was inserted first, spread over the key space unless ascending. */
  int hot() {
    return dataset.inserted(random.nextInt(Math.max(1, dataset.inserted() / HOT_SHARE)));
  }

  /** Few very often, most hardly ever. */
  int zipfian() {
    return dataset.inserted(zipfian.sample() - 1);
  }

  /** The newest the most often. */
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
