package io.sifr.cli.report;

import io.sifr.cli.terminal.Units;
import io.sifr.event.ForestShape;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;
import java.util.function.ToIntFunction;

/**
 * Draws a forest: a line for each tree, over the key space from left to right, with a block for
 * each SST that shows its size where there is room.
 */
public final class ForestDrawing {
  /** Smallest number of columns for the trees, however narrow the terminal is. */
  private static final int LEAST_MAP_COLUMNS = 16;

  private final ForestShape forest;
  private final int columns;
  private final Glyphs glyphs;
  private final Function<byte[], String> keyText;

  /** The characters of a drawing. */
  private record Glyphs(
      char left, char line, char right, char narrow, char crowded, String ellipsis) {
    static final Glyphs UNICODE = new Glyphs('├', '─', '┤', '│', '█', "…");
    static final Glyphs ASCII = new Glyphs('[', '-', ']', '|', '#', "...");
  }

  /**
   * @param forest what to draw
   * @param columns largest number of characters in a line
   * @param ascii whether to use ASCII characters only
   * @param keyText how to show a key
   */
  public ForestDrawing(
      ForestShape forest, int columns, boolean ascii, Function<byte[], String> keyText) {
    this.forest = forest;
    this.columns = columns;
    this.glyphs = ascii ? Glyphs.ASCII : Glyphs.UNICODE;
    this.keyText = keyText;
  }

  /** The lines of the drawing. */
  public List<String> lines() {
    List<String> lines = new ArrayList<>();
    lines.add(
        String.join(
            ", ",
            forest.database() + ": " + Units.count(forest.stages().size(), "stage"),
            Units.count(forest.trees(), "tree"),
            Units.count(forest.ssts(), "SST"),
            Units.bytes(forest.bytes())));
    int idColumns = widest(tree -> id(tree).length());
    int sizeColumns = widest(tree -> size(tree).length());
    int mapColumns = Math.max(LEAST_MAP_COLUMNS, columns - idColumns - sizeColumns - 4);
    KeySpace keys = new KeySpace(forest, mapColumns);
    if (keys.isEmpty()) {
      return lines;
    }
    for (ForestShape.Stage stage : forest.stages()) {
      lines.add(header(stage));
      for (ForestShape.Tree tree : stage.trees()) {
        lines.add(
            " ".repeat(1 + idColumns - id(tree).length())
                + id(tree)
                + " "
                + map(tree, keys, mapColumns)
                + "  "
                + " ".repeat(sizeColumns - size(tree).length())
                + size(tree));
      }
    }
    lines.add(" ".repeat(idColumns + 2) + axis(keys, mapColumns));
    lines.add(legend());
    return lines;
  }

  private static String header(ForestShape.Stage stage) {
    long bytes = stage.trees().stream().mapToLong(ForestShape.Tree::bytes).sum();
    return "stage "
        + stage.number()
        + ": "
        + Units.count(stage.trees().size(), "tree")
        + (stage.trees().isEmpty() ? "" : ", " + Units.bytes(bytes));
  }

  private int widest(ToIntFunction<ForestShape.Tree> width) {
    return forest.stages().stream()
        .flatMap(stage -> stage.trees().stream())
        .mapToInt(width)
        .max()
        .orElse(0);
  }

  private static String id(ForestShape.Tree tree) {
    return "#" + tree.id();
  }

  private static String size(ForestShape.Tree tree) {
    return Units.count(tree.ssts().size(), "SST") + ", " + Units.bytes(tree.bytes());
  }

  private String map(ForestShape.Tree tree, KeySpace keys, int mapColumns) {
    StringBuilder map = new StringBuilder(" ".repeat(mapColumns));
    int free = 0;
    for (ForestShape.Sst sst : tree.ssts()) {
      int first = keys.firstColumn(sst);
      int end = Math.max(keys.endColumn(sst), first + 1);
      if (end <= free) {
        map.setCharAt(end - 1, glyphs.crowded());
      } else {
        int begin = Math.max(first, free);
        map.replace(begin, end, block(sst, end - begin));
        free = end;
      }
    }
    return map.toString();
  }

  private String block(ForestShape.Sst sst, int width) {
    if (width == 1) {
      return String.valueOf(glyphs.narrow());
    }
    int inside = width - 2;
    String label = " " + Units.shortBytes(sst.bytes()) + " ";
    if (label.length() > inside) {
      label = "";
    }
    int before = (inside - label.length()) / 2;
    String line = String.valueOf(glyphs.line());
    return glyphs.left()
        + line.repeat(before)
        + label
        + line.repeat(inside - label.length() - before)
        + glyphs.right();
  }

  /** The axis: the first key below the left end of the trees, the last one below the right end. */
  private String axis(KeySpace keys, int mapColumns) {
    String left = shortened(keyText.apply(keys.smallest()), mapColumns / 2 - 1);
    String right = shortened(keyText.apply(keys.largest()), mapColumns / 2 - 1);
    return left + " ".repeat(mapColumns - left.length() - right.length()) + right;
  }

  private String shortened(String text, int length) {
    return text.length() <= length
        ? text
        : text.substring(0, length - glyphs.ellipsis().length()) + glyphs.ellipsis();
  }

  private String legend() {
    return "Each line is a tree, newest first; "
        + glyphs.left()
        + glyphs.line()
        + glyphs.right()
        + " is an SST, "
        + glyphs.narrow()
        + " a narrow one, "
        + glyphs.crowded()
        + " several.";
  }
}
