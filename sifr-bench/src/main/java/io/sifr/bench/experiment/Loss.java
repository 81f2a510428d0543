package io.sifr.bench.experiment;

import io.sifr.bench.report.Block;
import io.sifr.bench.report.Numbers;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

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
  /** The losses, largest first; of those that several experiments found in the same run, one. */
  static List<Loss> largestFirst(List<Loss> losses) {
    Set<List<Object>> known = new HashSet<>();
    return losses.stream()
        .filter(loss -> known.add(List.of(loss.figure, loss.store, loss.other)))
        .sorted(Comparator.comparingDouble(Loss::lead).reversed())
        .toList();
  }

  /** Losses in that order, one a row. */
  static Block.Table table(List<Loss> losses) {
    return new Block.Table(
        List.of("where", "sifr", "the best other", "its figure", "better by"),
        losses.stream()
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
