package io.sifr.bench.micro;

import static org.assertj.core.api.Assertions.assertThat;

import io.sifr.event.ForestShape;
import io.sifr.internal.forest.LogicalTree;
import java.io.IOException;
import java.util.Arrays;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** That the benchmarks find what they look for, in what they say they look into. */
class WhatIsMeasuredTest {

  @Test
  void keysAscendAndAbsentOnesLieBetween() {
    Entries entries = new Entries(1000, 1);
    for (int i = 0; i < entries.count(); i++) {
      assertThat(entries.key(i)).hasSize(23).isEqualTo(entries.key(i));
      assertThat(Arrays.compareUnsigned(entries.key(i), entries.absentKey(i))).isNegative();
      assertThat(entries.value(i)).hasSizeBetween(1, 200);
      if (i > 0) {
        assertThat(Arrays.compareUnsigned(entries.absentKey(i - 1), entries.key(i))).isNegative();
      }
    }
    assertThat(IntStream.of(entries.shuffled()).sorted())
        .containsExactlyElementsOf(IntStream.range(0, 1000).boxed().toList());
  }

  @ParameterizedTest
  @CsvSource({"30, 1, 2", "15000, 1, 512", "60000, 4, 512"})
  void treesHaveSstsOfTheSizeWanted(int entries, int ssts, int pages) throws IOException {
    try (TreeFiles files = new TreeFiles()) {
      LogicalTree tree = files.open(files.write(new Entries(entries, 0), index -> true));
      assertThat(tree.ssts()).hasSize(ssts);
      assertThat(tree.bytes() / ssts / 4096).isBetween((long) pages * 3 / 4, (long) pages);
      TreeFiles.close(tree.ssts());
    }
  }

  @Test
  void memtableHasWhatIsAskedFor() {
    MemtableBenchmark benchmark = new MemtableBenchmark();
    benchmark.fillOne();
    assertThat(benchmark.getHit()).isPositive();
    assertThat(benchmark.getMiss()).isEqualTo(-1);
  }

  @Test
  void sstHasWhatIsAskedFor() throws IOException {
    SstGetBenchmark benchmark = new SstGetBenchmark();
    benchmark.entries = 2000;
    benchmark.write();
    assertThat(benchmark.getHit()).isPositive();
    assertThat(benchmark.getMiss()).isEqualTo(-1);
    benchmark.delete();
  }

  @Test
  void storeHasFiveTreesAndWhatIsAskedFor() throws IOException {
    LoadedStore loaded = new LoadedStore();
    loaded.entries = 2000;
    loaded.load();
    ForestShape shape = loaded.database().forest();
    DatabaseGetBenchmark benchmark = new DatabaseGetBenchmark();
    benchmark.prepare(loaded);
    assertThat(shape.trees()).isEqualTo(5);
    assertThat(benchmark.hit()).isNotNull();
    assertThat(benchmark.hitIntoBuffer()).isPositive();
    assertThat(benchmark.hitIntoJavaBuffer()).isPositive();
    assertThat(benchmark.miss()).isNull();
    loaded.delete();
  }
}
