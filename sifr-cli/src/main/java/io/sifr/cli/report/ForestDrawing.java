package io.sifr.cli.report;

import io.sifr.cli.terminal.Units;
import io.sifr.event.ForestShape;
import io.sifr.event.SstPlace;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;
import java.util.function.ToIntFunction;

/**
 * Draws a forest: a line for each tree, over the key space from left to right, with a block for
 * each SST that shows its size where there is room, and in which of the store's directories it lies
 * if that is not the usual one; below them the emptiest value files, each with the part of it that
 * is needed.
 */
public final class ForestDrawing {
  /** Smallest number of columns for the trees, however narrow the terminal is. */
  private static final int LEAST_MAP_COLUMNS = 16;

  /** Value files that are drawn; there may be thousands. */
  private static final int MOST_VALUE_FILES = 10;

  private final ForestShape forest;
  private final int columns;
  private final Glyphs glyphs;
  private final Function<byte[], String> keyText;

  /** The characters of an SST. */
  private record Block(char left, char line, char right, char narrow) {
    @Override
    public String toString() {
      return "" + left + line + right;
    }
  }

  /** The characters of a drawing: of SSTs by place, and others. */
  private record Glyphs(
      Block store, Block fast, Block cold, char crowded, char empty, String ellipsis) {
    static final Glyphs UNICODE =
        new Glyphs(
            new Block('├', '─', '┤', '│'),
            new Block('╠', '═', '╣', '║'),
            new Block('┊', '┄', '┊', '┊'),
            '█',
            '░',
            "…");
    static final Glyphs ASCII =
        new Glyphs(
            new Block('[', '-', ']', '|'),
            new Block('{', '=', '}', '!'),
            new Block('(', '~', ')', ':'),
            '#',
            '.',
            "...");

    Block block(SstPlace place) {
      return switch (place) {
        case STORE -> store;
        case FAST -> fast;
        case COLD -> cold;
      };
    }
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
    Places places = Places.of(forest);
    if (!places.areUsual()) {
      lines.addAll(shares(places));
    }
    List<ForestShape.Tree> trees =
        forest.stages().stream().flatMap(stage -> stage.trees().stream()).toList();
    int idColumns = widest(trees, tree -> id(tree.id()).length());
    int sizeColumns = widest(trees, tree -> size(tree).length());
    int mapColumns = Math.max(LEAST_MAP_COLUMNS, columns - idColumns - sizeColumns - 4);
    KeySpace keys = new KeySpace(forest, mapColumns);
    if (keys.isEmpty()) {
      return lines;
    }
    for (ForestShape.Stage stage : forest.stages()) {
      lines.add(header(stage));
      for (ForestShape.Tree tree : stage.trees()) {
        lines.add(
            padded(id(tree.id()), 1 + idColumns)
                + " "
                + map(tree, keys, mapColumns)
                + " "
                + padded(size(tree), 1 + sizeColumns));
      }
    }
    lines.add(" ".repeat(idColumns + 2) + axis(keys, mapColumns));
    lines.add(legend());
    places.shares().keySet().stream()
        .filter(place -> place != SstPlace.STORE)
        .forEach(place -> lines.add(legend(place)));
    if (!forest.valueFiles().isEmpty()) {
      values(lines);
    }
    return lines;
  }

  /** A line for each directory: together they are wider than a terminal. */
  private static List<String> shares(Places places) {
    return places.shares().entrySet().stream()
        .map(
            each ->
                String.join(
                        ", ",
                        Units.count(each.getValue().ssts(), "SST"),
                        Units.bytes(each.getValue().bytes()))
                    + " in "
                    + Places.directory(each.getKey()))
        .toList();
  }

  /** How many value files there are, and what they take, in a few words. */
  static String values(ForestShape forest) {
    return String.join(
        ", ",
        Units.count(forest.valueFiles().size(), "value file"),
        Units.bytes(forest.valueBytes()),
        Units.bytes(forest.referredValueBytes()) + " of it needed");
  }

  private void values(List<String> lines) {
    lines.add(values(forest));
    List<ForestShape.ValueFile> drawn =
        forest.valueFiles().stream().limit(MOST_VALUE_FILES).toList();
    int idColumns = widest(drawn, file -> id(file.number()).length());
    int sizeColumns = widest(drawn, file -> size(file).length());
    int barColumns = Math.max(LEAST_MAP_COLUMNS, columns - idColumns - sizeColumns - 4);
    for (ForestShape.ValueFile file : drawn) {
      lines.add(
          padded(id(file.number()), 1 + idColumns)
              + " "
              + bar(file, barColumns)
              + " "
              + padded(size(file), 1 + sizeColumns));
    }
    lines.add(
        "Each line is a value file, the emptiest first; "
            + glyphs.crowded()
            + " is needed, "
            + glyphs.empty()
            + " is not"
            + (forest.valueFiles().size() == drawn.size()
                ? "."
                : "; " + Units.count(forest.valueFiles().size() - drawn.size()) + " more."));
  }

  private static String size(ForestShape.ValueFile file) {
    return Units.bytes(file.referredBytes()) + " of " + Units.bytes(file.bytes());
  }

  /** A bar; as soon as something is needed or not, a column says so. */
  private String bar(ForestShape.ValueFile file, int width) {
    double part = file.bytes() == 0 ? 0 : (double) file.referredBytes() / file.bytes();
    int needed = (int) Math.round(part * width);
    if (file.referredBytes() > 0) {
      needed = Math.max(1, needed);
    }
    if (file.referredBytes() < file.bytes()) {
      needed = Math.min(width - 1, needed);
    }
    return String.valueOf(glyphs.crowded()).repeat(needed)
        + String.valueOf(glyphs.empty()).repeat(width - needed);
  }

  private static String header(ForestShape.Stage stage) {
    long bytes = stage.trees().stream().mapToLong(ForestShape.Tree::bytes).sum();
    return "stage "
        + stage.number()
        + ": "
        + Units.count(stage.trees().size(), "tree")
        + (stage.trees().isEmpty() ? "" : ", " + Units.bytes(bytes))
        + Places.of(stage).words();
  }

  private static <T> int widest(List<T> lines, ToIntFunction<T> width) {
    return lines.stream().mapToInt(width).max().orElse(0);
  }

  private static String id(long number) {
    return "#" + number;
  }

  private static String padded(String text, int width) {
    return " ".repeat(width - text.length()) + text;
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
        map.replace(begin, end, drawn(sst, end - begin));
        free = end;
      }
    }
    return map.toString();
  }

  private String drawn(ForestShape.Sst sst, int width) {
    Block block = glyphs.block(sst.place());
    if (width == 1) {
      return String.valueOf(block.narrow());
    }
    int inside = width - 2;
    String label = " " + Units.shortBytes(sst.bytes()) + " ";
    if (label.length() > inside) {
      label = "";
    }
    int before = (inside - label.length()) / 2;
    String line = String.valueOf(block.line());
    return block.left()
        + line.repeat(before)
        + label
        + line.repeat(inside - label.length() - before)
        + block.right();
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
    Block usual = glyphs.block(SstPlace.STORE);
    return "Each line is a tree, newest first; "
        + usual
        + " is an SST, "
        + usual.narrow()
        + " a narrow one, "
        + glyphs.crowded()
        + " several.";
  }

  private String legend(SstPlace place) {
    Block block = glyphs.block(place);
    return block
        + " is an SST in "
        + Places.directory(place)
        + ", "
        + block.narrow()
        + " a narrow one.";
  }
}
