package io.sifr.cli.terminal;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class ParagraphTest {

  @Test
  void linesAreBrokenBetweenWordsAndIndented() {
    assertThat(Paragraph.lines("note  ", "one two three", 13))
        .containsExactly("note  one two", "      three");
    assertThat(Paragraph.lines("note  ", "one two three", 80))
        .containsExactly("note  one two three");
    assertThat(Paragraph.lines("", "one two", 3)).containsExactly("one", "two");
  }

  @Test
  void aWordThatIsTooLongStandsAlone() {
    assertThat(Paragraph.lines("a ", "b extraordinary c", 6))
        .containsExactly("a b", "  extraordinary", "  c");
  }
}
