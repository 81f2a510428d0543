package io.sifr.bench.report;

import static org.assertj.core.api.Assertions.assertThat;

import io.sifr.bench.report.Block.Axis;
import io.sifr.bench.report.Block.Code;
import io.sifr.bench.report.Block.LinePlot;
import io.sifr.bench.report.Block.Missing;
import io.sifr.bench.report.Block.Table;
import io.sifr.bench.report.Block.Text;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class MarkdownReportTest {

  @Test
  void showsEveryKindOfBlock(@TempDir Path directory) throws Exception {
    Path file = directory.resolve("report.md");

    MarkdownReport.write(SampleReport.create(), file);

    assertThat(Files.readString(file))
        .startsWith("# Sifr \\<measured\\> & compared\n\n## Result\n\nSeven stores held")
        .contains("\n> **Missing:** lmdb could not")
        .contains("\n| store | ops/s |")
        .contains("\n| --- | --: |")
        .contains("\n**Puts per second while loading** (operations/s)\n\n| seconds since")
        .contains("\n**Stalls** (operations/s)\n\n> There is no point")
        .contains("\n```\nsifr-bench run \\\n")
        .endsWith("|\n");
  }

  @Test
  void allRowsOfATableHaveAsManyCells() {
    List<String> lines = MarkdownReport.text(SampleReport.create()).lines().toList();

    int tables = 0;
    for (int i = 1; i < lines.size(); i++) {
      if (lines.get(i).startsWith("|")) {
        boolean first = !lines.get(i - 1).startsWith("|");
        tables += first ? 1 : 0;
        assertThat(lines.get(i)).endsWith(" |");
        if (first) {
          assertThat(lines.get(i - 1)).isEmpty();
          assertThat(lines.get(i + 1)).matches("\\|( -{2}[-:] \\|)+");
        } else {
          assertThat(cells(lines.get(i))).isEqualTo(cells(lines.get(i - 1)));
        }
      }
    }
    assertThat(tables).isEqualTo(6);
  }

  @Test
  void escapesWhatIsNotMarkup() {
    assertThat(render(new Text("a*b _c_ <d> [e](f) `g` #h ~i~ \\ &lt; j & k")))
        .isEqualTo("a\\*b \\_c\\_ \\<d\\> \\[e\\](f) \\`g\\` \\#h \\~i\\~ \\\\ \\&lt; j & k");
    assertThat(render(new Missing("one\n two"))).isEqualTo("> **Missing:** one two");
    assertThat(render(new Table(List.of("a|b", "c"), List.of(List.of("x\ny", "p|q")))))
        .isEqualTo("| a\\|b | c |\n| --- | --- |\n| x y | p\\|q |");
  }

  @Test
  void aParagraphDoesNotBecomeAList() {
    assertThat(render(new Text("- x"))).isEqualTo("\\- x");
    assertThat(render(new Text("12. x"))).isEqualTo("12\\. x");
    assertThat(render(new Text("---"))).isEqualTo("\\---");
    assertThat(render(new Text("1.5 or -1"))).isEqualTo("1.5 or -1");
  }

  @Test
  void aFenceIsLongerThanAnyInside() {
    assertThat(render(new Code("a\n```\nb\n"))).isEqualTo("````\na\n```\nb\n````");
  }

  @Test
  void anEmptyPlotIsNoTable() {
    assertThat(render(new LinePlot("p", Axis.linear("s"), Axis.linear("op/s"), List.of())))
        .isEqualTo("**p** (op/s)\n\n> " + Figures.NOTHING_TO_DRAW);
  }

  private static String render(Block block) {
    String text =
        MarkdownReport.text(new Report("r", List.of(new Report.Section("s", List.of(block)))));
    assertThat(text).startsWith("# r\n\n## s\n\n").endsWith("\n");
    return text.substring("# r\n\n## s\n\n".length(), text.length() - 1);
  }

  private static int cells(String line) {
    return line.replaceAll("\\\\.", "").split("\\|", -1).length;
  }
}
