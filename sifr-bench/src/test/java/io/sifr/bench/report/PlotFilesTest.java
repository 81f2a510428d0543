package io.sifr.bench.report;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import javax.xml.parsers.DocumentBuilderFactory;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.w3c.dom.Document;

class PlotFilesTest {
  @TempDir Path directory;

  @Test
  void eachPlotThatHasSomethingToDrawBecomesADrawing() throws Exception {
    Report report = SampleReport.create();
    List<Path> files = PlotFiles.write(report, directory.resolve("plots"));
    List<Block.Plot> plots =
        report.sections().stream()
            .flatMap(section -> section.blocks().stream())
            .filter(Block.Plot.class::isInstance)
            .map(Block.Plot.class::cast)
            .filter(plot -> !Figures.isEmpty(plot))
            .toList();
    assertThat(files).hasSameSizeAs(plots).doesNotHaveDuplicates();
    for (int i = 0; i < files.size(); i++) {
      Document svg =
          DocumentBuilderFactory.newInstance().newDocumentBuilder().parse(files.get(i).toFile());
      assertThat(svg.getDocumentElement().getTagName()).isEqualTo("svg");
      assertThat(svg.getElementsByTagName("svg").getLength()).isEqualTo(2);
      assertThat(svg.getDocumentElement().getTextContent()).contains(plots.get(i).title());
      for (String name : plots.get(i).seriesNames()) {
        assertThat(svg.getDocumentElement().getTextContent()).contains(name);
      }
    }
  }

  @Test
  void aFileIsNamedAfterItsSectionAndPlace() throws Exception {
    Block.LinePlot plot =
        new Block.LinePlot(
            "Rise",
            Block.Axis.linear("x"),
            Block.Axis.linear("y"),
            List.of(new Block.Series("one", List.of(1.0, 2.0), List.of(1.0, 2.0))));
    Report report =
        new Report("", List.of(new Report.Section("Some name: a title", List.of(plot, plot))));
    assertThat(PlotFiles.write(report, directory))
        .containsExactly(directory.resolve("some-name-1.svg"), directory.resolve("some-name-2.svg"))
        .allMatch(Files::exists);
  }
}
