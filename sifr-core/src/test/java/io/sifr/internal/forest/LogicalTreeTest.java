package io.sifr.internal.forest;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sifr.internal.sst.read.Sst;
import io.sifr.internal.sst.read.SstSlice;
import io.sifr.testing.ForestDrawing;
import io.sifr.testing.RandomEdits;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class LogicalTreeTest {
  private static final int ROUNDS = 400;

  @ParameterizedTest
  @ValueSource(longs = {1, 2, 3})
  void findsWhatALinearSearchFinds(long seed) {
    Random random = new Random(seed);
    for (int round = 0; round < ROUNDS; round++) {
      RandomEdits edits = new RandomEdits(random);
      while (edits.catalog().forests().stream().allMatch(forest -> forest.ssts().isEmpty())) {
        edits.next();
      }
      LogicalTree tree =
          edits.catalog().forests().stream()
              .flatMap(forest -> forest.byPriority().stream())
              .findFirst()
              .orElseThrow();
      for (byte[] key : keysAround(tree, random)) {
        assertFinds(tree, key, "seed " + seed + " round " + round);
      }
    }
  }

  private static List<byte[]> keysAround(LogicalTree tree, Random random) {
    List<byte[]> keys = new ArrayList<>(RandomEdits.keys(random, 20));
    keys.add(new byte[0]);
    for (SstSlice slice : tree.slices()) {
      for (byte[] bound : List.of(slice.smallestKey(), slice.largestKey())) {
        keys.add(bound);
        keys.add(Arrays.copyOf(bound, bound.length + 1));
        keys.add(Arrays.copyOf(bound, random.nextInt(bound.length + 1)));
      }
    }
    return keys;
  }

  private static void assertFinds(LogicalTree tree, byte[] key, String where) {
    int lastBeginning = -1;
    int firstEnding = tree.slices().size();
    Sst holder = null;
    for (int i = 0; i < tree.slices().size(); i++) {
      SstSlice slice = tree.slices().get(i);
      boolean begins = Arrays.compareUnsigned(slice.smallestKey(), key) <= 0;
      boolean isNotOver = Arrays.compareUnsigned(slice.largestKey(), key) >= 0;
      if (begins) {
        lastBeginning = i;
      }
      if (isNotOver && i < firstEnding) {
        firstEnding = i;
      }
      if (begins && isNotOver) {
        holder = slice.sst();
      }
    }
    // Within a larger array, so that a search that reads around the key's ends is noticed.
    byte[] array = new byte[key.length + 13];
    Arrays.fill(array, (byte) 'a');
    System.arraycopy(key, 0, array, 5, key.length);
    String what = where + " key " + HexFormat.of().formatHex(key) + " in " + tree;
    assertThat(tree.lastBeginningAtOrBefore(array, 5, key.length))
        .describedAs(what)
        .isEqualTo(lastBeginning);
    assertThat(tree.firstEndingAtOrAfter(array, 5, key.length))
        .describedAs(what)
        .isEqualTo(firstEnding);
    assertThat(tree.find(array, 5, key.length)).describedAs(what).isSameAs(holder);
    assertThat(tree.mayHold(array, 5, key.length)).describedAs(what).isEqualTo(holder != null);
  }

  @Test
  void findsNothingInATreeWithoutSsts() {
    LogicalTree tree = new LogicalTree(1, List.of());

    assertThat(tree.find(new byte[] {1}, 0, 1)).isNull();
    assertThat(tree.firstEndingAtOrAfter(new byte[0], 0, 0)).isZero();
    assertThat(tree.lastBeginningAtOrBefore(new byte[] {1}, 0, 1)).isEqualTo(-1);
  }

  @Test
  void sumsUpItsSsts() {
    LogicalTree tree = tree("a-c:4K", "d-e:12K");

    assertThat(tree.bytes()).isEqualTo(16 << 10);
    assertThat(tree.entries())
        .isEqualTo(tree.ssts().stream().mapToLong(s -> s.meta().entries()).sum());
    assertThat(tree).hasToString("tree 7[1, 2]");
  }

  @Test
  void refusesSstsThatOverlapOrAreOutOfOrder() {
    assertThatThrownBy(() -> tree("a-c", "c-e"))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage("tree 7: SST 2 does not lie after SST 1");
    assertThatThrownBy(() -> tree("d-e", "a-b")).isInstanceOf(IllegalArgumentException.class);
    assertThatThrownBy(() -> tree("a-d", "b-c")).isInstanceOf(IllegalArgumentException.class);
    assertThatThrownBy(() -> tree("a-b", "d-c"))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage("tree 7: SST 2 ends before it begins");
  }

  private static LogicalTree tree(String... drawings) {
    List<Sst> ssts = new ArrayList<>();
    for (String drawing : drawings) {
      ssts.add(ForestDrawing.sst(ssts.size() + 1, drawing));
    }
    return new LogicalTree(7, ssts);
  }
}
