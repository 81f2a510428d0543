package io.sifr.testing;

import io.sifr.internal.entry.ExpiringKind;
import io.sifr.internal.forest.Forest;
import io.sifr.internal.forest.LogicalTree;
import io.sifr.internal.sst.format.SstMeta;
import io.sifr.internal.sst.read.Sst;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/**
 * Forests as text: {@code S1: [a-f] [c-k] | S2: [a-c d-m]}.
 *
 * <p>A bracket is a tree, the newest of its stage first. An SST is its smallest and its largest
 * key, or one key if they are the same, and its size in KiB where it is not that of a split unit:
 * {@code a-f:512K}. What follows an {@code @} is the time of its last write. A stage without trees
 * is drawn as {@code S1:}, an empty forest as nothing.
 *
 * <p>Ids of trees and numbers of SSTs count from 1 in the order of the drawing; sequence numbers
 * fall from tree to tree, as I1 wants it.
 */
public final class ForestDrawing {
  /** Size of an SST that is drawn without one. */
  public static final long SPLIT_UNIT_BYTES = 2 << 20;

  private static final int SEQUENCES_PER_TREE = 1000;
  private static final int BYTES_PER_ENTRY = 128;
  private static final Pattern STAGE = Pattern.compile("S(\\d+):((?: ?\\[[^\\]]*])*)");
  private static final Pattern TREE = Pattern.compile("\\[([^\\]]*)]");
  private static final Pattern SST =
      Pattern.compile("([^-:@ ]+)(?:-([^-:@ ]+))?(?::(\\d+)K)?(?:@(\\d+))?");

  private ForestDrawing() {}

  /** The drawn forest, of the database 1, "default". */
  public static Forest parse(String drawing) {
    List<List<List<String>>> stages = new ArrayList<>();
    if (!drawing.isBlank()) {
      for (String stage : drawing.strip().split("\\s*\\|\\s*", -1)) {
        stages.add(trees(stages.size() + 1, stage));
      }
    }
    Forest forest = Forest.empty(1, "default");
    int number = 1;
    int treeId = 1;
    long sequence = SEQUENCES_PER_TREE * stages.stream().mapToLong(List::size).sum();
    for (int stage = 1; stage <= stages.size(); stage++) {
      List<LogicalTree> newestFirst = new ArrayList<>();
      for (List<String> tree : stages.get(stage - 1)) {
        List<Sst> ssts = new ArrayList<>();
        for (String sst : tree) {
          ssts.add(sst(number++, sst, sequence));
        }
        newestFirst.add(new LogicalTree(treeId++, ssts));
        sequence -= SEQUENCES_PER_TREE;
      }
      for (int i = newestFirst.size() - 1; i >= 0; i--) {
        forest = forest.withTree(stage, newestFirst.get(i));
      }
    }
    return forest;
  }

  private static List<List<String>> trees(int expectedStage, String text) {
    Matcher stage = STAGE.matcher(text);
    if (!stage.matches() || Integer.parseInt(stage.group(1)) != expectedStage) {
      throw new IllegalArgumentException("not a drawing of stage " + expectedStage + ": " + text);
    }
    return TREE.matcher(stage.group(2))
        .results()
        .map(tree -> List.of(tree.group(1).strip().split(" +")))
        .toList();
  }

  /** One SST from its drawing ({@code a-f}, {@code a-f:512K}) with sequence numbers up to 1000. */
  public static Sst sst(long number, String drawing) {
    return sst(number, drawing, SEQUENCES_PER_TREE);
  }

  private static Sst sst(long number, String drawing, long maxSequence) {
    Matcher matcher = SST.matcher(drawing);
    if (!matcher.matches()) {
      throw new IllegalArgumentException("not a drawing of an SST: '" + drawing + "'");
    }
    String smallest = matcher.group(1);
    String largest = matcher.group(2) == null ? smallest : matcher.group(2);
    long bytes =
        matcher.group(3) == null ? SPLIT_UNIT_BYTES : Long.parseLong(matcher.group(3)) << 10;
    long entries = Math.max(1, bytes / BYTES_PER_ENTRY);
    SstMeta meta =
        SstMetas.of(
            number,
            0x5157_0000_0000_0000L + number,
            bytes,
            entries,
            0,
            0,
            bytes,
            0,
            maxSequence - SEQUENCES_PER_TREE + 1,
            maxSequence,
            smallest.getBytes(StandardCharsets.UTF_8),
            largest.getBytes(StandardCharsets.UTF_8));
    String lastWrite = matcher.group(4);
    return new Sst(
        lastWrite == null
            ? meta
            : meta.with(new SstMeta.Times(Long.parseLong(lastWrite), ExpiringKind.NEVER)));
  }

  /**
   * Draws a forest; what {@link #parse} reads it reads again as it was, but for ids and numbers.
   */
  public static String print(Forest forest) {
    return IntStream.rangeClosed(1, forest.stageCount())
        .mapToObj(
            stage ->
                "S"
                    + stage
                    + ":"
                    + forest.stage(stage).stream()
                        .map(tree -> " " + print(tree))
                        .collect(Collectors.joining()))
        .collect(Collectors.joining(" | "));
  }

  /** Draws a tree. */
  public static String print(LogicalTree tree) {
    return tree.ssts().stream()
        .map(ForestDrawing::print)
        .collect(Collectors.joining(" ", "[", "]"));
  }

  /** Draws an SST. */
  public static String print(Sst sst) {
    SstMeta meta = sst.meta();
    String smallest = new String(meta.smallestKey(), StandardCharsets.UTF_8);
    String largest = new String(meta.largestKey(), StandardCharsets.UTF_8);
    String range = smallest.equals(largest) ? smallest : smallest + "-" + largest;
    return meta.fileBytes() == SPLIT_UNIT_BYTES
        ? range
        : String.format(Locale.ROOT, "%s:%dK", range, meta.fileBytes() >> 10);
  }
}
