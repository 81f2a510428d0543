package io.sifr.bench.experiment;

import io.sifr.bench.report.Block;
import io.sifr.bench.report.Numbers;
import java.util.Comparator;
import java.util.List;

/**
 * A figure in which another store is better than Sifr.
 *
 * @param where what was measured
 * @param figure Sifr's
 * @param store the best of the others
 * @param other its figure
 * @param lead by what factor it is better
 */
record Loss(String where, double figure, String store, double other, double lead) {
  /** The losses, largest first, one a row. */
  static Block.Table table(List<Loss> losses, int most) {
    return new Block.Table(
        List.of("where", "sifr", "the best other", "its figure", "better by"),
        losses.stream()
            .sorted(Comparator.comparingDouble(Loss::lead).reversed())
            .limit(most)
            .map(
                loss ->
                    List.of(
                        loss.where,
                        Numbers.number(loss.figure),
                        loss.store,
                        Numbers.number(loss.other),
                        Numbers.number(loss.lead) + " ×"))
            .toList());
  }
}
