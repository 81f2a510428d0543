package io.sifr.cli.report;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.sifr.cli.record.TextBytes;
import io.sifr.event.ForestShape;
import io.sifr.event.SstPlace;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import org.junit.jupiter.api.Test;

class ForestDrawingTest {
  private static final long MIB = 1 << 20;

  private static ForestShape.Tree tree(long id, String... ranges) {
    List<ForestShape.Sst> ssts =
        Arrays.stream(ranges)
            .map(range -> range.split("-", -1))
            .map(
                bounds ->
                    new ForestShape.Sst(
                        id,
                        2 * MIB,
                        100,
                        0,
                        bounds[0].getBytes(UTF_8),
                        bounds[1].getBytes(UTF_8),
                        place(bounds)))
            .toList();
    return new ForestShape.Tree(id, ssts);
  }

  /** What follows a second hyphen. */
  private static SstPlace place(String[] bounds) {
    return bounds.length < 3 ? SstPlace.STORE : SstPlace.valueOf(bounds[2]);
  }

  private static ForestShape forest(
      List<List<ForestShape.Tree>> stages, ForestShape.ValueFile... valueFiles) {
    List<ForestShape.Stage> numbered = new ArrayList<>();
    for (List<ForestShape.Tree> trees : stages) {
      numbered.add(new ForestShape.Stage(numbered.size() + 1, trees));
    }
    return new ForestShape("default", numbered, List.of(valueFiles));
  }

  private static final ForestShape FOREST =
      forest(
          List.of(
              List.of(tree(12, "b-w"), tree(11, "a-k", "m-z")),
              List.of(),
              List.of(tree(7, "a-c", "d-f", "g-l", "m-p", "q-z"), tree(3, "d-e"))));

  @Test
  void treesAreLinesAndSstsAreBlocks() {
    assertThat(new ForestDrawing(FOREST, 70, false, TextBytes::escape).lines())
        .containsExactly(
            "default: 3 stages, 4 trees, 9 SSTs, 18.0 MiB",
            "stage 1: 2 trees, 6.0 MiB",
            " #12        ├──────────────── 2.0M ────────────────┤    1 SST, 2.0 MiB",
            " #11 ├─────────── 2.0M ────────────┤├──── 2.0M ────┤   2 SSTs, 4.0 MiB",
            "stage 2: 0 trees",
            "stage 3: 2 trees, 12.0 MiB",
            "  #7 ├─── 2.0M ────┤├ 2.0M ┤├ 2.0M ┤├ 2.0M ┤├ 2.0M ┤  5 SSTs, 10.0 MiB",
            "  #3                ├ 2.0M ┤                            1 SST, 2.0 MiB",
            "     a                                             z",
            "Each line is a tree, newest first; ├─┤ is an SST, │ a narrow one, █ several.");
  }

  private static final ForestShape SPREAD =
      forest(
          List.of(
              List.of(tree(12, "b-w-FAST"), tree(11, "a-k-FAST", "m-z")),
              List.of(tree(9, "d-e-FAST")),
              List.of(tree(7, "a-c", "d-f-COLD", "g-l-COLD", "m-p", "q-z-COLD"))));

  @Test
  void sstsInOtherDirectoriesLookDifferent() {
    assertThat(new ForestDrawing(SPREAD, 70, false, TextBytes::escape).lines())
        .containsExactly(
            "default: 3 stages, 4 trees, 9 SSTs, 18.0 MiB",
            "3 SSTs, 6.0 MiB in the store's directory",
            "3 SSTs, 6.0 MiB in the fast directory",
            "3 SSTs, 6.0 MiB in the cold directory",
            "stage 1: 2 trees, 6.0 MiB: 2.0 MiB in the store's directory, 4.0 MiB in the fast directory",
            " #12        ╠════════════════ 2.0M ════════════════╣    1 SST, 2.0 MiB",
            " #11 ╠═══════════ 2.0M ════════════╣├──── 2.0M ────┤   2 SSTs, 4.0 MiB",
            "stage 2: 1 tree, 2.0 MiB in the fast directory",
            "  #9                ╠ 2.0M ╣                            1 SST, 2.0 MiB",
            "stage 3: 1 tree, 10.0 MiB: 4.0 MiB in the store's directory, 6.0 MiB in the cold directory",
            "  #7 ├─── 2.0M ────┤┊ 2.0M ┊┊ 2.0M ┊├ 2.0M ┤┊ 2.0M ┊  5 SSTs, 10.0 MiB",
            "     a                                             z",
            "Each line is a tree, newest first; ├─┤ is an SST, │ a narrow one, █ several.",
            "╠═╣ is an SST in the fast directory, ║ a narrow one.",
            "┊┄┊ is an SST in the cold directory, ┊ a narrow one.");
  }

  @Test
  void narrowOnesAndAsciiTellTheirDirectoriesToo() {
    List<String> lines =
        new ForestDrawing(
                forest(List.of(List.of(tree(1, "a-b", "c-d-FAST", "e-f-COLD"), tree(2, many(20))))),
                40,
                true,
                TextBytes::escape)
            .lines();
    assertThat(lines.get(5)).contains("|!:");
    assertThat(new ForestDrawing(SPREAD, 120, true, TextBytes::escape).lines())
        .allMatch(line -> line.chars().allMatch(c -> c >= ' ' && c < 0x7F))
        .anyMatch(line -> line.contains("{==") && line.contains("=}"))
        .anyMatch(line -> line.contains("(~") && line.contains("~)"));
  }

  @Test
  void valueFilesAreBarsTheEmptiestFirst() {
    ForestShape forest =
        forest(
            List.of(List.of(tree(1, "a-z"))),
            new ForestShape.ValueFile(3, 64 * MIB, 64 * MIB),
            new ForestShape.ValueFile(15, 64 * MIB, 1),
            new ForestShape.ValueFile(4, 64 * MIB, 64 * MIB - 1),
            new ForestShape.ValueFile(9, 10 * MIB, 5 * MIB));
    assertThat(new ForestDrawing(forest, 50, false, TextBytes::escape).lines().subList(5, 11))
        .containsExactly(
            "4 value files, 202.0 MiB, 133.0 MiB of it needed",
            " #15 █░░░░░░░░░░░░░░░░░░░░░░       1 B of 64.0 MiB",
            "  #9 ████████████░░░░░░░░░░░   5.0 MiB of 10.0 MiB",
            "  #4 ██████████████████████░  64.0 MiB of 64.0 MiB",
            "  #3 ███████████████████████  64.0 MiB of 64.0 MiB",
            "Each line is a value file, the emptiest first; █ is needed, ░ is not.");
  }

  @Test
  void ofManyValueFilesTheEmptiestAreDrawn() {
    ForestShape.ValueFile[] files = new ForestShape.ValueFile[2000];
    for (int i = 0; i < files.length; i++) {
      files[i] = new ForestShape.ValueFile(i + 1L, 10_000, 5L * i);
    }
    ForestShape forest = forest(List.of(List.of(tree(1, "a-z"))), files);
    List<String> lines = new ForestDrawing(forest, 50, true, TextBytes::escape).lines();

    assertThat(lines).hasSize(5 + 12);
    assertThat(lines.get(6)).matches(" +#1 \\.+ +0 B of 9.8 KiB");
    assertThat(lines.get(15)).matches(" +#10 #\\.+ +45 B of 9.8 KiB");
    assertThat(lines.get(16)).endsWith("# is needed, . is not; 1,990 more.");
  }

  @Test
  void asciiIsPlain() {
    List<String> lines = new ForestDrawing(FOREST, 70, true, TextBytes::escape).lines();

    assertThat(lines).allMatch(line -> line.chars().allMatch(c -> c >= ' ' && c < 0x7F));
    assertThat(lines.get(6)).contains("[--- 2.0M ----]");
  }

  @Test
  void noLineIsWiderThanTheTerminal() {
    for (int columns = 60; columns < 150; columns++) {
      int limit = columns;
      assertThat(new ForestDrawing(FOREST, columns, false, TextBytes::escape).lines())
          .filteredOn(line -> !line.startsWith("Each"))
          .allMatch(line -> line.length() <= limit, "at most " + columns + " wide");
    }
  }

  @Test
  void manySstsShareAColumn() {
    String[] ranges = new String[1000];
    for (int i = 0; i < ranges.length; i++) {
      ranges[i] = String.format(Locale.ROOT, "%04d0-%04d9", i, i);
    }
    List<String> lines =
        new ForestDrawing(forest(List.of(List.of(tree(1, ranges)))), 80, false, TextBytes::escape)
            .lines();

    assertThat(lines.get(2)).matches(" #1 █+  1,000 SSTs, 2.0 GiB");
  }

  @Test
  void narrowSstsAreDistinguishedFromSeveral() {
    List<String> lines =
        new ForestDrawing(
                forest(List.of(List.of(tree(1, many(20)), tree(2, "01-015")))),
                40,
                true,
                TextBytes::escape)
            .lines();

    assertThat(lines.get(2)).isEqualTo(" #1 #||||#|||||#|||||  20 SSTs, 40.0 MiB");
    assertThat(lines.get(3)).startsWith(" #2 |");
  }

  private static String[] many(int count) {
    String[] ranges = new String[count];
    for (int i = 0; i < count; i++) {
      ranges[i] = String.format(Locale.ROOT, "%02d-%02d5", i, i);
    }
    return ranges;
  }

  @Test
  void longKeysAreCutAndAnEmptyForestIsOneLine() {
    String left = "k".repeat(100);
    List<String> lines =
        new ForestDrawing(
                forest(List.of(List.of(tree(1, left + "-z")))), 60, false, TextBytes::escape)
            .lines();
    assertThat(lines.get(3)).matches("    k+…  +z");

    assertThat(new ForestDrawing(forest(List.of()), 60, false, TextBytes::escape).lines())
        .containsExactly("default: 0 stages, 0 trees, 0 SSTs, 0 B");
  }
}
