package io.sifr.cli.report;

import io.sifr.cli.terminal.Units;
import io.sifr.event.ForestShape;
import io.sifr.event.SstPlace;
import java.util.Locale;

/**
 * Draws a forest as SVG, for documents: a row for each tree, newest first, over the key space from
 * left to right, and a block for each SST. It has no keys in it.
 */
public final class ForestPicture {
  private static final int WIDTH = 880;
  private static final int MARGIN = 16;
  private static final int NAME_WIDTH = 84;
  private static final int SIZE_WIDTH = 150;
  private static final int MAP_WIDTH = WIDTH - 2 * MARGIN - NAME_WIDTH - SIZE_WIDTH;
  private static final int ROW = 22;
  private static final int BLOCK = 16;
  private static final int STAGE_GAP = 10;
  private static final int HEAD = 34;
  private static final int FOOT = 24;

  /** Legible on light and on dark pages. */
  private static final String STYLE =
      """
      text { font: 12px sans-serif; fill: #24292f }
      .title { font-weight: bold; font-size: 13px }
      .note { fill: #6e7781 }
      .sst { fill: #4c8dd6; stroke: #fff; stroke-width: 1 }
      .fast { fill: #d9822b }
      .cold { fill: #7d8590 }
      .row { fill: #8c959f; fill-opacity: 0.12 }
      @media (prefers-color-scheme: dark) {
        text { fill: #e6edf3 }
        .note { fill: #8b949e }
        .sst { stroke: #0d1117 }
      }
      """;

  private final ForestShape forest;
  private final StringBuilder drawing = new StringBuilder();
  private int top = MARGIN + HEAD;

  private ForestPicture(ForestShape forest) {
    this.forest = forest;
  }

  /** The text of an SVG file. */
  public static String of(ForestShape forest) {
    return new ForestPicture(forest).draw();
  }

  private String draw() {
    KeySpace keys = new KeySpace(forest, MAP_WIDTH);
    for (ForestShape.Stage stage : forest.stages()) {
      text("name", MARGIN, top, "stage " + stage.number());
      for (ForestShape.Tree tree : stage.trees()) {
        row(tree, keys);
      }
      top += stage.trees().isEmpty() ? ROW + STAGE_GAP : STAGE_GAP;
    }
    text(
        "note",
        MARGIN + NAME_WIDTH,
        top,
        "Rows are trees, the newest first; blocks are SSTs, from the first key to the last.");
    int height = top + FOOT;
    return String.format(
        Locale.ROOT,
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%d\" height=\"%d\" viewBox=\"0 0 %1$d"
            + " %2$d\">\n<style>\n%s</style>\n%s</svg>\n",
        WIDTH,
        height,
        STYLE,
        title() + drawing);
  }

  private String title() {
    return String.format(
        Locale.ROOT,
        "<text class=\"title\" x=\"%d\" y=\"%d\">%s, %s, %s, %s</text>\n",
        MARGIN,
        MARGIN + 8,
        Units.count(forest.stages().size(), "stage"),
        Units.count(forest.trees(), "tree"),
        Units.count(forest.ssts(), "SST"),
        Units.bytes(forest.bytes()));
  }

  private void row(ForestShape.Tree tree, KeySpace keys) {
    rectangle("row", MARGIN + NAME_WIDTH, MAP_WIDTH);
    for (ForestShape.Sst sst : tree.ssts()) {
      int begin = keys.firstColumn(sst);
      int end = Math.max(keys.endColumn(sst), begin + 1);
      rectangle(style(sst.place()), MARGIN + NAME_WIDTH + begin, end - begin);
    }
    text(
        "note",
        MARGIN + NAME_WIDTH + MAP_WIDTH + 8,
        top,
        Units.count(tree.ssts().size(), "SST") + ", " + Units.bytes(tree.bytes()));
    top += ROW;
  }

  private static String style(SstPlace place) {
    return switch (place) {
      case STORE -> "sst";
      case FAST -> "sst fast";
      case COLD -> "sst cold";
    };
  }

  private void rectangle(String style, int x, int width) {
    drawing.append(
        String.format(
            Locale.ROOT,
            "<rect class=\"%s\" x=\"%d\" y=\"%d\" width=\"%d\" height=\"%d\" rx=\"2\"/>\n",
            style,
            x,
            top,
            width,
            BLOCK));
  }

  private void text(String style, int x, int y, String text) {
    drawing.append(
        String.format(
            Locale.ROOT,
            "<text class=\"%s\" x=\"%d\" y=\"%d\">%s</text>\n",
            style,
            x,
            y + 12,
            text));
  }
}
