package io.sifr.bench.experiment;

import io.sifr.bench.workload.Dataset;
import io.sifr.config.CompactionPolicy;
import java.util.EnumSet;
import java.util.List;
import java.util.Optional;

/**
 * The bytes and trees of a model of each policy. It holds keys alone, knows neither files nor
 * blocks, and is done with compactions before the next flush. Its figures were computed once, by a
 * simulation of the papers' designs with entries of 125.8 bytes for 123.5 bytes of the user's:
 * stages of factor 4; levels of 10 MB and factor 10, compacted by key range; guards of 27 bits with
 * a decrement of 2 and 2 files each.
 */
final class PolicyModel {
  /** Entries of one flush. */
  static final int FLUSH_ENTRIES = 26_385;

  /** The numbers of entries there are figures for, in words. */
  static final String SIZES = "400,000, 3,000,000 and 10,000,000";

  private static final List<Integer> ROWS = List.of(400_000, 3_000_000, 10_000_000);

  private PolicyModel() {}

  /** The order in which entries come. */
  enum Order {
    /** Any, each once. */
    RANDOM("random", 0),
    /** That of the keys. */
    ASCENDING("ascending", 2),
    /** That of the keys in each quarter of them, the quarters in turns. */
    FOUR_STREAMS("four streams", 4);

    private static final int STREAMS = 4;

    private final String label;

    /** Of its bytes in the tables; that of its trees follows. */
    private final int column;

    Order(String label, int column) {
      this.label = label;
      this.column = column;
    }

    String label() {
      return label;
    }

    /** The entry that comes at that place. */
    int entry(Dataset dataset, int place, int entries) {
      return this == FOUR_STREAMS
          ? place % STREAMS * (entries / STREAMS) + place / STREAMS
          : dataset.inserted(place);
    }
  }

  /**
   * Figures of a load.
   *
   * @param bytes of SSTs written per user byte
   * @param trees after each flush on average
   */
  record Figures(double bytes, double trees) {}

  /** Those that compact, and so have a model. */
  static final List<CompactionPolicy.Kind> POLICIES =
      List.copyOf(EnumSet.complementOf(EnumSet.of(CompactionPolicy.Kind.FIFO)));

  /**
   * The figures of a load of so many entries, if they were computed.
   *
   * @param policy one of {@link #POLICIES}
   */
  static Optional<Figures> figures(int entries, CompactionPolicy.Kind policy, Order order) {
    double[][] table =
        switch (policy) {
          case SPLIT_FOREST -> FOREST;
          case SIZE_TIERED -> TIERED;
          case LAZILY_LEVELED -> LAZY;
          case LEVELED -> LEVELED;
          case GUARDED -> GUARDED;
          case FIFO -> throw new IllegalArgumentException("FIFO merges nothing, and has no model");
        };
    int row = ROWS.indexOf(entries);
    return row < 0
        ? Optional.empty()
        : Optional.of(new Figures(table[row][order.column], table[row][order.column + 1]));
  }

  // Bytes and trees in random, in ascending order and in four streams; a row for each size.
  private static final double[][] FOREST = {
    {1.81, 3.2, 1.01, 3.2, 1.81, 3.2},
    {3.59, 4.8, 1.01, 4.8, 2.85, 4.8},
    {4.57, 6, 1.02, 6, 2.85, 6}
  };
  private static final double[][] TIERED = {
    {1.81, 3.2, 1.81, 3.2, 1.81, 3.2},
    {3.59, 4.8, 3.59, 4.8, 3.59, 4.8},
    {4.57, 6, 4.57, 6, 4.57, 6}
  };
  private static final double[][] LAZY = {
    {3.16, 2.4, 1.01, 2.4, 2.53, 2.4},
    {4.49, 4.2, 1.01, 4.2, 2.91, 4.2},
    {5.7, 5.3, 1.02, 5.3, 2.87, 5.3}
  };
  private static final double[][] LEVELED = {
    {2.38, 3.2, 1.01, 3.2, 2.17, 3.2},
    {6.79, 4.1, 1.01, 4.1, 3.4, 4.1},
    {9.89, 4.5, 1.02, 4.5, 4.12, 4.5}
  };
  private static final double[][] GUARDED = {
    {2.62, 2.7, 2.62, 2.7, 2.62, 2.7},
    {4.92, 4.4, 3.95, 4.5, 4.85, 4.5},
    {5.74, 5.4, 4.24, 6.1, 5.1, 6.3}
  };
}
