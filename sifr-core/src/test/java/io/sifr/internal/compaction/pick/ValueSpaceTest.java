package io.sifr.internal.compaction.pick;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import io.sifr.event.CompactionReason;
import io.sifr.internal.compaction.pick.Rule.Proposal;
import io.sifr.internal.forest.Compaction.Shape;
import io.sifr.internal.forest.CompactionPlan;
import io.sifr.internal.forest.Forest;
import io.sifr.internal.forest.ForestEdit;
import io.sifr.internal.forest.KeySpan;
import io.sifr.internal.forest.LogicalTree;
import io.sifr.internal.format.FileHeader;
import io.sifr.internal.format.FileKind;
import io.sifr.internal.io.DiskFileSystem;
import io.sifr.internal.sst.block.SstAccess;
import io.sifr.internal.sst.format.BlockCodecs;
import io.sifr.internal.sst.format.SstMeta;
import io.sifr.internal.sst.format.SstMeta.ValueUse;
import io.sifr.internal.sst.read.ClippedSst;
import io.sifr.internal.sst.read.Sst;
import io.sifr.internal.sst.read.SstSlice;
import io.sifr.testing.ForwardingFileSystem;
import io.sifr.testing.SstMetas;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.TreeSet;
import java.util.stream.Collectors;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class ValueSpaceTest {
  /** Of all value files. */
  private static final long FILE_BYTES = 100;

  private static final long SST_BYTES = 10;
  private static final ValueSpace RULE = new ValueSpace(1.5, 1);

  private final SstAccess access =
      SstAccess.mapped(
          new ForwardingFileSystem(new DiskFileSystem()) {
            @Override
            public long size(Path file) {
              assertThat(FileKind.VALUES.numberOf(file.getFileName().toString())).isPresent();
              return FileHeader.BYTES + FILE_BYTES;
            }
          },
          Path.of("nowhere"),
          BlockCodecs.STANDARD);

  private long nextSst = 1000;

  @AfterEach
  void close() {
    access.close();
  }

  /**
   * A forest, drawn as stages, their trees, newest first, and of each the SSTs with the bytes of
   * value files that they refer to: "a-c 7:60 8:40, d-f 7:10; a-f 9:100 | …". Ids are the places of
   * the trees.
   */
  private Forest forest(String drawing) {
    Forest forest = Forest.empty(1, "default");
    long id = 1;
    int stage = 1;
    for (String drawn : drawing.split("\\|", -1)) {
      List<LogicalTree> trees = new ArrayList<>();
      for (String tree : drawn.split(";", -1)) {
        if (!tree.isBlank()) {
          trees.add(new LogicalTree(id++, ssts(tree)));
        }
      }
      Collections.reverse(trees);
      for (LogicalTree tree : trees) {
        forest = forest.withTree(stage, tree);
      }
      stage++;
    }
    return forest;
  }

  private List<Sst> ssts(String tree) {
    List<Sst> ssts = new ArrayList<>();
    for (String drawn : tree.split(",", -1)) {
      String[] words = drawn.strip().split(" +", -1);
      List<ValueUse> uses = new ArrayList<>();
      for (int i = 1; i < words.length; i++) {
        String[] use = words[i].split(":", -1);
        uses.add(new ValueUse(Long.parseLong(use[0]), Long.parseLong(use[1])));
      }
      String[] ends = words[0].split("-", -1);
      ssts.add(sst(ends[0].getBytes(UTF_8), ends[1].getBytes(UTF_8), uses));
    }
    return ssts;
  }

  private Sst sst(byte[] smallest, byte[] largest, List<ValueUse> uses) {
    long number = nextSst++;
    SstMeta meta =
        SstMetas.of(number, number, SST_BYTES, 10, 0, 0, SST_BYTES, 0, 1, 1, smallest, largest);
    Sst sst =
        new Sst(
            new SstMeta(
                meta.identity(), meta.keys(), meta.counts(), meta.sequences(), meta.times(), uses));
    sst.attach(access);
    return sst;
  }

  private static List<Proposal> proposals(Forest forest) {
    List<Proposal> due = new ArrayList<>();
    assertThat(RULE.propose(Picture.of(forest), due::add)).isEqualTo(Rule.Look.NEVER);
    return due;
  }

  /** Of each plan its tree, the key ranges and the files: "1 [(-, c]]: 7 8". */
  private static String described(Forest forest) {
    return proposals(forest).stream()
        .map(Proposal::plan)
        .map(
            plan ->
                plan.output()
                    + plan.spans().stream()
                        .map(ValueSpaceTest::text)
                        .collect(Collectors.joining(" ", " ", ""))
                    + new TreeSet<>(plan.emptied())
                        .stream().map(String::valueOf).collect(Collectors.joining(" ", ": ", "")))
        .collect(Collectors.joining(", "));
  }

  private static String text(KeySpan span) {
    byte[] above = span.above();
    byte[] last = span.last();
    return (above == null ? "" : new String(above, UTF_8))
        + ".."
        + (last == null ? "" : new String(last, UTF_8));
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '/',
      value = {
        // No value is apart.
        "a-c / ''",
        // All are needed.
        "a-c 7:100 8:100 / ''",
        // Up to the limit, nothing: 100 bytes beside 200.
        "a-c 7:20 8:90 9:90 / ''",
        "a-c 7:19 8:90 9:90 / 1 ..c: 7",
        // The emptiest file first, and no more than is enough.
        "a-c 6:60 7:10 8:40 9:90 / 1 ..c: 7",
        "a-c 6:60 7:8 8:1 9:90 / 1 ..c: 7 8",
        // One file at least, however much of it is to be copied.
        "a-c 7:60 8:60 / 1 ..c: 7",
        // As much of file 8 is left in two trees: neither alone says so.
        "a-c 7:10 8:50; a-c 8:50 | d-f 6:90 9:50 / 1 ..c: 7",
        "a-c 7:40 8:30; a-c 8:65 | d-f 6:90 9:60 / ''",
        // Each tree, where it is.
        "a-c 7:5 8:95; a-c 9:90 | d-f 7:5 6:55 5:80 4:60 / 1 ..c: 7, 3 ..f: 7",
        // Of each tree those SSTs that refer to the files.
        "a-c 7:3 8:90, d-f 8:10, g-i 7:3, j-l 7:3 6:50, m-o 5:91 / 1 ..c f..l: 7",
        // What is full is not worth to be copied, as little as frees the rest.
        "a-c 1:81 2:81 3:81 4:81 5:1 6:1 7:1 / 1 ..c: 5 6 7",
      })
  void theEmptiestFilesAreEmptied(String drawing, String expected) {
    Forest forest = forest(drawing);
    assertThat(described(forest)).isEqualTo(expected);
    for (Proposal proposal : proposals(forest)) {
      CompactionPlan plan = proposal.plan();
      assertThat(plan.shape()).isEqualTo(Shape.REWRITES);
      assertThat(plan.reason()).isEqualTo(CompactionReason.VALUE_FILES);
      assertThat(plan.inputs()).extracting(LogicalTree::id).containsExactly(plan.output());
      assertThat(proposal.priority()).isEqualTo(Priority.SPACE);
      assertThat(proposal.inputBytes()).isGreaterThan(plan.inputBytes());
      Forest begun =
          forest.apply(new ForestEdit.CompactionBegun(1, plan.compaction(90), plan.targetStage()));
      long id = plan.inputs().get(0).id();
      assertThat(proposals(begun)).noneMatch(other -> other.plan().inputs().get(0).id() == id);
    }
  }

  @Test
  void partsOfAnSstCountOnce() {
    Sst sst = sst(key("a"), key("i"), List.of(new ValueUse(7, 60), new ValueUse(8, 70)));
    List<SstSlice> parts =
        List.of(new ClippedSst(sst, key("a"), key("c")), new ClippedSst(sst, key("g"), key("i")));
    Forest forest = Forest.empty(1, "default").withTree(1, new LogicalTree(1, parts));
    assertThat(forest.values().referredBytes()).isEqualTo(130);
    assertThat(forest.values().unreferredBytes()).isEqualTo(70);
    assertThat(described(forest)).isEqualTo("1 ..i: 7");
  }

  @Test
  void whatCannotBeCopiedIsLeft() {
    Forest forest = forest("a-c 7:10 8:70 9:70");
    assertThat(described(forest)).isEqualTo("1 ..c: 7");
    access.values().leave(7);
    assertThat(described(forest)).isEmpty();
    assertThat(RULE.debt(forest)).isNegative();
  }

  @Test
  void writersAreSlowedWhenThereIsMuchMoreThanAllowed() {
    assertThat(RULE.debt(forest("a-c"))).isZero();
    assertThat(RULE.debt(forest("a-c 7:100"))).isZero();
    // 100 bytes are allowed beside 200.
    assertThat(RULE.debt(forest("a-c 7:50 8:100 9:50"))).isCloseTo(-0.25, within(1e-9));
    assertThat(RULE.debt(forest("a-c 6:50 7:50 8:50 9:50"))).isCloseTo(0.75, within(1e-9));
  }

  private static byte[] key(String key) {
    return key.getBytes(UTF_8);
  }
}
