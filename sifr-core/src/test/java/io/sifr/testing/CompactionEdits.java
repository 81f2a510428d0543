package io.sifr.testing;

import io.sifr.internal.forest.Compaction;
import io.sifr.internal.forest.Forest;
import io.sifr.internal.forest.ForestEdit;
import io.sifr.internal.forest.ForestEdit.CompactionBegun;
import io.sifr.internal.forest.KeySpan;
import io.sifr.internal.sst.read.Sst;
import java.nio.charset.StandardCharsets;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Edits of compactions in the database 1. */
public final class CompactionEdits {
  private CompactionEdits() {}

  /**
   * A compaction of all keys of trees into a tree, which has the compaction's number, of a stage.
   */
  public static CompactionBegun begun(long number, List<Long> inputs, int stage) {
    return begun(number, inputs, KeySpan.ALL, number, stage);
  }

  /** A compaction of some keys of trees into a tree of a stage. */
  public static CompactionBegun begun(
      long number, List<Long> inputs, KeySpan span, long output, int stage) {
    return begun(number, inputs, span, output, stage, Compaction.Shape.MOVES);
  }

  /** The same with a shape. */
  public static CompactionBegun begun(
      long number,
      List<Long> inputs,
      KeySpan span,
      long output,
      int stage,
      Compaction.Shape shape) {
    return new CompactionBegun(
        1, new Compaction(number, inputs, output, shape, List.of(span)), stage);
  }

  /** The progress of a compaction. */
  public static ForestEdit.CompactionProgressed progress(
      long number, KeySpan span, List<Sst> written, Long... moved) {
    return new ForestEdit.CompactionProgressed(1, number, span, written, List.of(moved));
  }

  /** The forest after a compaction from beginning to end. */
  public static Forest compacted(
      Forest forest, CompactionBegun begun, List<Sst> written, Long... moved) {
    long number = begun.compaction().number();
    KeySpan span = begun.compaction().remaining().get(0);
    return forest.apply(begun).apply(progress(number, span, written, moved)).withEnded(number);
  }

  /** Whether a compaction has something left to merge. */
  public static boolean isUnderWay(Forest forest, Compaction compaction) {
    return forest.trees(compaction.inputTreeIds()).stream()
        .anyMatch(tree -> compaction.remaining().stream().anyMatch(tree::holdsIn));
  }

  /** The forest without the compactions that have nothing left to merge. */
  public static Forest withoutFinished(Forest forest) {
    Forest left = forest;
    for (Compaction compaction : forest.compactions()) {
      if (!isUnderWay(forest, compaction)) {
        left = left.withEnded(compaction.number());
      }
    }
    return left;
  }

  /** The span between two keys, a dash for none: {@code "c m"} is after c, up to m. */
  public static KeySpan span(String bounds) {
    String[] keys = bounds.split(" ", -1);
    return new KeySpan(bound(keys[0]), bound(keys[1]));
  }

  private static byte @Nullable [] bound(String key) {
    return key.equals("-") ? null : key.getBytes(StandardCharsets.UTF_8);
  }
}
