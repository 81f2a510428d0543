package io.sifr.internal.compaction.cut;

import static org.assertj.core.api.Assertions.assertThat;

import io.sifr.internal.forest.Forest;
import io.sifr.internal.forest.KeySpan;
import io.sifr.internal.forest.LogicalTree;
import io.sifr.internal.sst.read.Sst;
import io.sifr.testing.ForestDrawing;
import java.nio.charset.StandardCharsets;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class CutsTest {
  private static final long UNIT = ForestDrawing.SPLIT_UNIT_BYTES;

  private static List<LogicalTree> trees(String drawing) {
    Forest forest = ForestDrawing.parse(drawing);
    return forest.byPriority();
  }

  /** The last keys of the parts; a dash for the one that has no end. */
  private static String split(String drawing, int most, long fewestBytes) {
    StringBuilder ends = new StringBuilder();
    byte @Nullable [] above = null;
    for (KeySpan part : Cuts.parts(trees(drawing), List.of(KeySpan.ALL), most, fewestBytes)) {
      assertThat(part.above()).isEqualTo(above);
      above = part.last();
      ends.append(above == null ? "-" : new String(above, StandardCharsets.UTF_8)).append(' ');
    }
    return ends.toString().strip();
  }

  @Test
  void partsAreOfAboutTheSameSizeAndEndWithAnSst() {
    assertThat(split("S1: [a-b c-d e-f g-h]", 1, 1)).isEqualTo("-");
    assertThat(split("S1: [a-b c-d e-f g-h]", 2, 1)).isEqualTo("d -");
    assertThat(split("S1: [a-b c-d e-f g-h]", 4, 1)).isEqualTo("b d f -");
    assertThat(split("S1: [a-b c-d e-f g-h]", 9, 1)).isEqualTo("b d f -");
    assertThat(split("S1: [a-c d-g h-z] [b-e f-k]", 2, 1)).isEqualTo("g -");
  }

  @Test
  void smallMergesStayWhole() {
    assertThat(split("S1: [a-b c-d e-f g-h]", 4, 2 * UNIT)).isEqualTo("d -");
    assertThat(split("S1: [a-b c-d e-f g-h]", 4, 5 * UNIT)).isEqualTo("-");
  }

  @Test
  void sstsThatEndAlikeAreNotCutTwice() {
    assertThat(split("S1: [a-d] [b-d] [c-d e-f]", 4, 1)).isEqualTo("d -");
    assertThat(split("S1: [a-d] [b-d]", 4, 1)).isEqualTo("-");
  }

  /** What a crash left of a merge: each stretch that is left is a part, and none is in two. */
  @Test
  void stretchesThatAreDoneStayOutside() {
    List<LogicalTree> trees = trees("S1: [a-b c-d e-f g-h]");
    List<KeySpan> left =
        List.of(KeySpan.upTo(bytes("b")), new KeySpan(bytes("d"), bytes("f")), after("h"));
    List<KeySpan> parts = Cuts.parts(trees, left, 1, 1);
    assertThat(parts).hasSize(2);
    assertThat(parts.get(0).last()).isEqualTo(bytes("b"));
    assertThat(parts.get(1).above()).isEqualTo(bytes("d"));
    assertThat(parts.get(1).last()).isEqualTo(bytes("f"));
  }

  /** An SST that overlaps no other is never in two parts, or it could not be moved. */
  @Test
  void sstsThatOverlapNothingStayWhole() {
    List<LogicalTree> trees = trees("S1: [a-c d-g p-z] [e-k m-n]");
    for (int most = 1; most < 6; most++) {
      for (KeySpan part : Cuts.parts(trees, List.of(KeySpan.ALL), most, 1)) {
        for (LogicalTree tree : trees) {
          tree.within(part).slices().stream()
              .filter(slice -> List.of(1L, 3L, 5L).contains(slice.sst().number()))
              .forEach(slice -> assertThat(slice).isInstanceOf(Sst.class));
        }
      }
    }
  }

  private static KeySpan after(String key) {
    return new KeySpan(bytes(key), bytes("zzz"));
  }

  private static byte[] bytes(String text) {
    return text.getBytes(StandardCharsets.UTF_8);
  }
}
