package io.sifr.leveldb;

import io.sifr.Database;
import io.sifr.Store;
import io.sifr.event.ForestShape;
import io.sifr.event.Metric;
import io.sifr.event.StoreStatistics;
import java.nio.charset.StandardCharsets;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/** The properties that LevelDB has, of a store. A stage takes the place of a level. */
final class Properties {
  private static final String FILES_AT_LEVEL = "leveldb.num-files-at-level";

  private static final int LEVELS = 7;

  private Properties() {}

  /** A property; null if there is none of that name. */
  static @Nullable String of(Store store, Database database, String name) {
    if (name.startsWith(FILES_AT_LEVEL)) {
      return filesAtLevel(database.forest(), name.substring(FILES_AT_LEVEL.length()));
    }
    return switch (name) {
      case "leveldb.stats" -> stats(database.forest());
      case "leveldb.sstables" -> ssts(database.forest());
      case "leveldb.approximate-memory-usage" -> String.valueOf(memory(store));
      default -> null;
    };
  }

  /** Level 0 is stage 1. LevelDB has seven levels; so the last one is of all further stages. */
  private static @Nullable String filesAtLevel(ForestShape forest, String level) {
    if (!level.matches("[0-6]")) {
      return null;
    }
    int stage = 1 + Integer.parseInt(level);
    return String.valueOf(
        forest.stages().stream()
            .filter(each -> Math.min(each.number(), LEVELS) == stage)
            .flatMap(each -> each.trees().stream())
            .mapToInt(tree -> tree.ssts().size())
            .sum());
  }

  private static String stats(ForestShape forest) {
    StringBuilder text = new StringBuilder("stage  trees   SSTs  size in MB\n");
    for (ForestShape.Stage stage : forest.stages()) {
      long ssts = stage.trees().stream().mapToLong(tree -> tree.ssts().size()).sum();
      long bytes =
          stage.trees().stream()
              .flatMap(tree -> tree.ssts().stream())
              .mapToLong(ForestShape.Sst::bytes)
              .sum();
      text.append(
          String.format(
              Locale.ROOT,
              "%5d  %5d  %5d  %10.1f%n",
              stage.number(),
              stage.trees().size(),
              ssts,
              bytes / 1e6));
    }
    return text.toString();
  }

  private static String ssts(ForestShape forest) {
    StringBuilder text = new StringBuilder();
    for (ForestShape.Stage stage : forest.stages()) {
      text.append("--- stage ").append(stage.number()).append(" ---\n");
      for (ForestShape.Tree tree : stage.trees()) {
        for (ForestShape.Sst sst : tree.ssts()) {
          text.append(
              String.format(
                  Locale.ROOT,
                  " %d:%d['%s' .. '%s']%n",
                  sst.number(),
                  sst.bytes(),
                  shown(sst.smallestKey()),
                  shown(sst.largestKey())));
        }
      }
    }
    return text.toString();
  }

  /** One character for each byte, so that nothing is lost. */
  private static String shown(byte[] key) {
    return new String(key, StandardCharsets.ISO_8859_1);
  }

  private static long memory(Store store) {
    StoreStatistics now = store.statistics();
    return now.get(Metric.WRITE_BUFFER_BYTES)
        + now.get(Metric.BLOCK_CACHE_BYTES)
        + now.get(Metric.READ_AHEAD_BYTES);
  }
}
