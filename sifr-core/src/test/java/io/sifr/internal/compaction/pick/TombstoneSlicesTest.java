package io.sifr.internal.compaction.pick;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.sifr.internal.forest.Forest;
import io.sifr.internal.forest.LogicalTree;
import io.sifr.internal.sst.read.ClippedSst;
import io.sifr.internal.sst.read.Sst;
import io.sifr.internal.sst.read.SstSlice;
import io.sifr.testing.WrittenSsts;
import java.nio.file.Path;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class TombstoneSlicesTest {
  @TempDir Path directory;
  private WrittenSsts ssts;

  @BeforeEach
  void begin() {
    ssts = new WrittenSsts(directory);
  }

  @AfterEach
  void end() {
    ssts.close();
  }

  private static byte[] key(String text) {
    return text.getBytes(UTF_8);
  }

  /** Those that a snapshot needs are none of them. */
  @Test
  void theLargestHasMostRangeTombstonesThatCanBeDropped() {
    Sst none = ssts.write("a1 b2");
    Sst few = ssts.write("c3", "c-d4");
    Sst many = ssts.write("e5", "e-f6 g-h7 i-j8");
    Forest forest = Forest.empty(1, "a").withTree(1, new LogicalTree(1, List.of(none, few, many)));
    assertThat(TombstoneSlices.largest(forest, 9, Set.of())).isSameAs(many);
    assertThat(TombstoneSlices.largest(forest, 5, Set.of())).isSameAs(few);
    assertThat(TombstoneSlices.largest(forest, 3, Set.of())).isNull();
    assertThat(TombstoneSlices.largest(forest, 9, Set.of(TombstoneSlices.Slice.of(many))))
        .isSameAs(few);
  }

  /** A compaction of keys in the middle of it has left two. */
  @Test
  void slicesOfOneSstAreToldFromEachOther() {
    Sst sst = ssts.write("b1 c2 x3", "b-d4 f-g5 u-w6");
    SstSlice left = new ClippedSst(sst, key("b"), key("g"));
    SstSlice right = new ClippedSst(sst, key("t"), key("x"));
    Forest forest = Forest.empty(1, "a").withTree(1, new LogicalTree(1, List.of(left, right)));
    Set<TombstoneSlices.Slice> merged = new HashSet<>();
    assertThat(TombstoneSlices.largest(forest, 9, merged)).isSameAs(left);
    merged.add(TombstoneSlices.Slice.of(left));
    assertThat(TombstoneSlices.largest(forest, 9, merged)).isSameAs(right);
    merged.add(TombstoneSlices.Slice.of(right));
    assertThat(TombstoneSlices.largest(forest, 9, merged)).isNull();
  }

  /** While any of it is there, the SST keeps all of its range tombstones in memory. */
  @Test
  void whatIsLeftOfAnSstWithoutItsRangeTombstonesComesLast() {
    Sst one = ssts.write("b1 x2", "b-d3 e-g4");
    Sst two = ssts.write("y5", "y-z6");
    SstSlice left = new ClippedSst(one, key("m"), key("x"));
    Forest forest = Forest.empty(1, "a").withTree(1, new LogicalTree(1, List.of(left, two)));
    assertThat(TombstoneSlices.largest(forest, 9, Set.of())).isSameAs(two);
    Set<TombstoneSlices.Slice> merged = Set.of(TombstoneSlices.Slice.of(two));
    assertThat(TombstoneSlices.largest(forest, 9, merged)).isSameAs(left);
    assertThat(TombstoneSlices.largest(forest, 3, Set.of())).isSameAs(left);
  }
}
