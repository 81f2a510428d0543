package io.sifr.event;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class StatisticsTest {
  private static final LatencySummary NONE = new LatencySummary(0, 0, 0, 0, 0, 0);

  private static StoreStatistics of(long user, long wal, long flush, long merge) {
    return new StoreStatistics(
        new StoreStatistics.Writes(user, wal, flush, 0, 0, 0, 0, NONE),
        new StoreStatistics.Compactions(merge, 5, Map.of(), 0, 0, 0, 0, 0),
        new StoreStatistics.Reads(0, 0, 0, 0, 0, NONE),
        new StoreStatistics.Filters(0, 0),
        new StoreStatistics.Memory(0, 0, 0, 0, 0, 0, 0, 0, 0),
        new StoreStatistics.Space(0, 0, 0, 0),
        new StoreStatistics.Contents(1, 0, 0, 0, 0, 0, 0),
        new StoreStatistics.Backlog(0, 0),
        new StoreStatistics.RetainedLog(0, 0, 0, 0));
  }

  @Test
  void writeAmplificationIsWrittenBytesPerUserByte() {
    StoreStatistics statistics = of(100, 110, 90, 210);
    assertThat(statistics.writeAmplification()).isCloseTo(3.0, within(1e-9));
    assertThat(statistics.writeAmplificationWithLog()).isCloseTo(4.1, within(1e-9));
    assertThat(of(0, 0, 0, 0).writeAmplification()).isZero();
    assertThat(of(0, 0, 0, 0).writeAmplificationWithLog()).isZero();
  }

  @Test
  void shapesAddUpAndAreCopies() {
    byte[] key = {1};
    List<ForestShape.Sst> ssts =
        new ArrayList<>(
            List.of(
                new ForestShape.Sst(1, 4096, 10, 1, key, key),
                new ForestShape.Sst(2, 8192, 20, 0, key, key)));
    ForestShape.Tree tree = new ForestShape.Tree(7, ssts);
    List<ForestShape.Stage> stages =
        new ArrayList<>(
            List.of(
                new ForestShape.Stage(1, List.of(tree, tree)),
                new ForestShape.Stage(2, List.of(tree))));
    ForestShape shape = new ForestShape("default", stages);
    ssts.clear();
    stages.clear();
    assertThat(shape.trees()).isEqualTo(3);
    assertThat(shape.ssts()).isEqualTo(6);
    assertThat(shape.bytes()).isEqualTo(3 * 12288);
    assertThat(tree.entries()).isEqualTo(30);
  }
}
