package io.sifr.event;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.junit.jupiter.api.Test;

class StatisticsTest {
  private static StoreStatistics of(long user, long wal, long flush, long compaction) {
    return StoreStatistics.builder()
        .set(Metric.USER_BYTES, user)
        .set(Metric.LOG_BYTES, wal)
        .set(Metric.FLUSH_BYTES, flush)
        .set(Metric.COMPACTION_BYTES, compaction)
        .build();
  }

  @Test
  void writeAmplificationIsWrittenBytesPerUserByte() {
    StoreStatistics statistics = of(100, 110, 90, 210);
    assertThat(statistics.get(Metric.WRITE_AMPLIFICATION)).isCloseTo(3.0, within(1e-9));
    assertThat(statistics.get(Metric.WRITE_AMPLIFICATION_WITH_LOG)).isCloseTo(4.1, within(1e-9));
    assertThat(of(0, 0, 0, 0).get(Metric.WRITE_AMPLIFICATION)).isZero();
    assertThat(of(0, 0, 0, 0).get(Metric.WRITE_AMPLIFICATION_WITH_LOG)).isZero();
  }

  @Test
  void spaceAmplificationIsSstBytesPerByteOfData() {
    StoreStatistics.Builder space = StoreStatistics.builder();
    assertThat(space.set(Metric.LIVE_BYTES, 0).set(Metric.ESTIMATED_DATA_BYTES, 0).build())
        .extracting(s -> s.get(Metric.SPACE_AMPLIFICATION))
        .isEqualTo(1.0);
    assertThat(space.set(Metric.LIVE_BYTES, 30).set(Metric.ESTIMATED_DATA_BYTES, 20).build())
        .extracting(s -> s.get(Metric.SPACE_AMPLIFICATION))
        .isEqualTo(1.5);
  }

  @Test
  void aValueThatWasNotSetIsRefusedByItsName() {
    StoreStatistics some = of(1, 2, 3, 4);
    assertThat(some.get(Metric.LOG_BYTES)).isEqualTo(2);
    assertThatThrownBy(() -> some.get(Metric.TREES))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage("these statistics have no trees");
  }

  @Test
  void namesAndMetersAreUnique() {
    assertThat(Metric.all()).extracting(Metric::name).doesNotHaveDuplicates();
    assertThat(Metric.all().stream().map(Metric::meter).filter(Objects::nonNull))
        .hasSizeGreaterThan(40)
        .doesNotHaveDuplicates();
    for (Metric<?> metric : Metric.all()) {
      assertThat(metric).isSameAs(Metric.all().get(metric.index()));
    }
  }

  @Test
  void partsOfAMetricAreNumbersByName() {
    StoreStatistics statistics =
        StoreStatistics.builder()
            .set(Metric.GET_MICROS, new LatencySummary(7, 1, 2, 3, 4, 5))
            .set(Metric.COMPACTIONS, Map.of(CompactionReason.STAGE_FULL, 6L))
            .set(Metric.TREES, 9)
            .build();
    assertThat(Metric.GET_MICROS.numbers(statistics))
        .containsEntry("getMicrosSamples", 7L)
        .containsEntry("getMicrosMean", 1.0)
        .containsEntry("getMicrosP50", 2.0)
        .containsEntry("getMicrosP99", 3.0)
        .containsEntry("getMicrosP999", 4.0)
        .containsEntry("getMicrosMax", 5.0)
        .hasSize(6);
    assertThat(Metric.COMPACTIONS.numbers(statistics))
        .isEqualTo(Map.of("compactionsStageFull", 6L));
    assertThat(Metric.TREES.numbers(statistics)).isEqualTo(Map.of("trees", 9L));
  }

  @Test
  void shapesAddUpAndAreCopies() {
    byte[] key = {1};
    List<ForestShape.Sst> ssts =
        new ArrayList<>(
            List.of(
                new ForestShape.Sst(1, 4096, 10, 1, key, key, SstPlace.STORE),
                new ForestShape.Sst(2, 8192, 20, 0, key, key, SstPlace.STORE)));
    ForestShape.Tree tree = new ForestShape.Tree(7, ssts);
    List<ForestShape.Stage> stages =
        new ArrayList<>(
            List.of(
                new ForestShape.Stage(1, List.of(tree, tree)),
                new ForestShape.Stage(2, List.of(tree))));
    List<ForestShape.ValueFile> files =
        new ArrayList<>(
            List.of(
                new ForestShape.ValueFile(3, 1000, 700),
                new ForestShape.ValueFile(4, 0, 0),
                new ForestShape.ValueFile(5, 4000, 800)));
    ForestShape shape = new ForestShape("default", stages, files);
    ssts.clear();
    stages.clear();
    files.clear();
    assertThat(shape.trees()).isEqualTo(3);
    assertThat(shape.ssts()).isEqualTo(6);
    assertThat(shape.bytes()).isEqualTo(3 * 12288);
    assertThat(tree.entries()).isEqualTo(30);
    assertThat(shape.valueFiles())
        .extracting(ForestShape.ValueFile::number)
        .containsExactly(4L, 5L, 3L);
    assertThat(shape.valueBytes()).isEqualTo(5000);
    assertThat(shape.referredValueBytes()).isEqualTo(1500);
  }
}
