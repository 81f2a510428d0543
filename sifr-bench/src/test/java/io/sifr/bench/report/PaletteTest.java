package io.sifr.bench.report;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sifr.bench.report.Block.Axis;
import io.sifr.bench.report.Block.BarPlot;
import io.sifr.bench.report.Block.Bars;
import java.util.List;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

class PaletteTest {

  @Test
  void namesThatMeetInAPlotDiffer() {
    Palette palette = palette("a b", "c b", "c a");

    assertThat(List.of(palette.css("a"), palette.css("b"), palette.css("c")))
        .doesNotHaveDuplicates();
  }

  @Test
  void namesThatDoNotMeetShareAColour() {
    Palette palette = palette("a b", "c d");

    assertThat(palette.css("c")).isEqualTo(palette.css("a")).isEqualTo("#0072b2");
    assertThat(palette.css("d")).isEqualTo(palette.css("b"));
  }

  @Test
  void thereAreShadesWhereThePaletteEnds() {
    List<String> names = IntStream.range(0, 24).mapToObj(i -> "s" + i).toList();

    assertThat(names.stream().map(palette(String.join(" ", names))::css)).doesNotHaveDuplicates();
  }

  @Test
  void aNameOfAnotherReportHasNone() {
    assertThatThrownBy(() -> palette("a").css("b"))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("b");
  }

  private static Palette palette(String... plots) {
    return new Palette(
        new Report(
            "r",
            List.of(new Report.Section("s", Stream.of(plots).map(PaletteTest::plot).toList()))));
  }

  private static Block plot(String names) {
    return new BarPlot(
        "p",
        Axis.linear("y"),
        List.of("c"),
        Stream.of(names.split(" ", -1)).map(name -> new Bars(name, List.of(1.0))).toList());
  }
}
