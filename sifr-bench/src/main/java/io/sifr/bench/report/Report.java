package io.sifr.bench.report;

import java.util.List;

/**
 * A report.
 *
 * @param title what it is about
 * @param sections in the order they are to be read
 */
public record Report(String title, List<Section> sections) {

  /** A copy that nobody can change. */
  public Report {
    sections = List.copyOf(sections);
  }

  /**
   * A part of a report.
   *
   * @param title what it is about
   * @param blocks in the order they are to be read
   */
  public record Section(String title, List<Block> blocks) {

    /** A copy that nobody can change. */
    public Section {
      blocks = List.copyOf(blocks);
    }
  }
}
