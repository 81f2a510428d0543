package io.sifr.internal.state;

import io.sifr.event.ForestShape;
import io.sifr.event.SstPlace;
import io.sifr.internal.entry.EntryLimits;
import io.sifr.internal.forest.Forest;
import io.sifr.internal.forest.LogicalTree;
import io.sifr.internal.sst.format.SstMeta;
import io.sifr.internal.sst.read.Sst;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.function.LongFunction;

/** Describes a forest to users. */
public final class ForestShapes {
  private static final int SHOWN_OF_LAST_KEY = 8;

  private ForestShapes() {}

  /**
   * A forest as it is.
   *
   * @param places where an SST of that number lies
   */
  public static ForestShape of(Forest forest, LongFunction<SstPlace> places) {
    List<ForestShape.Stage> stages = new ArrayList<>();
    for (int number = 1; number <= forest.stageCount(); number++) {
      stages.add(
          new ForestShape.Stage(
              number, forest.stage(number).stream().map(tree -> tree(tree, places)).toList()));
    }
    return new ForestShape(
        forest.name(),
        stages,
        forest.values().files().stream()
            .map(
                file ->
                    new ForestShape.ValueFile(
                        file.number(),
                        file.referredBytes() + file.unreferredBytes(),
                        file.referredBytes()))
            .toList());
  }

  private static ForestShape.Tree tree(LogicalTree tree, LongFunction<SstPlace> places) {
    return new ForestShape.Tree(
        tree.id(), tree.ssts().stream().map(sst -> sst(sst, places)).toList());
  }

  private static ForestShape.Sst sst(Sst sst, LongFunction<SstPlace> places) {
    SstMeta meta = sst.meta();
    return new ForestShape.Sst(
        meta.number(),
        meta.fileBytes(),
        meta.entries(),
        meta.tombstones(),
        meta.smallestKey().clone(),
        // The last of all keys is 64 KiB long.
        Arrays.copyOf(
            meta.largestKey(),
            Arrays.equals(meta.largestKey(), EntryLimits.LAST_KEY)
                ? SHOWN_OF_LAST_KEY
                : meta.largestKey().length),
        places.apply(meta.number()));
  }
}
