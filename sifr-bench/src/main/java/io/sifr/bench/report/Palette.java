package io.sifr.bench.report;

import com.google.common.collect.LinkedHashMultimap;
import com.google.common.collect.SetMultimap;
import java.awt.Color;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.IntStream;

/**
 * The colours of the series of a report: one name has one colour in all plots, and two names that
 * meet in a plot have different ones. Public for templates.
 */
public final class Palette {
  /**
   * The palette of Okabe and Ito, which people with colour blindness can distinguish. Grey replaces
   * its black and ochre its yellow, so that each colour is visible on white and on black.
   */
  private static final List<Color> COLORS =
      List.of(
          new Color(0x0072B2),
          new Color(0xE69F00),
          new Color(0x009E73),
          new Color(0xD55E00),
          new Color(0xCC79A7),
          new Color(0x56B4E9),
          new Color(0x8C8C8C),
          new Color(0xB8A800));

  private final Map<String, Integer> numbers = new LinkedHashMap<>();

  Palette(Report report) {
    SetMultimap<String, String> neighbours = LinkedHashMultimap.create();
    for (Report.Section section : report.sections()) {
      for (Block block : section.blocks()) {
        if (block instanceof Block.Plot plot) {
          plot.seriesNames().forEach(name -> neighbours.putAll(name, plot.seriesNames()));
        }
      }
    }
    for (String name : neighbours.keySet()) {
      Set<Integer> taken = new HashSet<>();
      neighbours.get(name).forEach(neighbour -> taken.add(numbers.getOrDefault(neighbour, -1)));
      numbers.put(
          name,
          IntStream.iterate(0, i -> i + 1)
              .filter(i -> !taken.contains(i))
              .findFirst()
              .orElseThrow());
    }
  }

  /** The colour of a series of the report. */
  Color color(String name) {
    Integer number = numbers.get(name);
    if (number == null) {
      throw new IllegalArgumentException("the report has no series named " + name);
    }
    Color color = COLORS.get(number % COLORS.size());
    // After the palette only shades are left.
    for (int i = 0; i < number / COLORS.size(); i++) {
      color = color.darker();
    }
    return color;
  }

  /** The colour as CSS has it. */
  public String css(String name) {
    return String.format("#%06x", color(name).getRGB() & 0xFFFFFF);
  }
}
