package io.sifr.bench.report;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;

import io.sifr.bench.report.Block.Axis;
import io.sifr.bench.report.Block.BarPlot;
import io.sifr.bench.report.Block.Bars;
import io.sifr.bench.report.Block.LinePlot;
import io.sifr.bench.report.Block.Missing;
import io.sifr.bench.report.Block.Plot;
import io.sifr.bench.report.Block.Series;
import io.sifr.bench.report.Block.Text;
import java.io.StringReader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.DoubleStream;
import java.util.stream.Stream;
import javax.xml.parsers.DocumentBuilderFactory;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.w3c.dom.Document;
import org.w3c.dom.Element;
import org.w3c.dom.NodeList;
import org.xml.sax.InputSource;

class HtmlReportTest {
  private static final Axis LINEAR = Axis.linear("operations/s");
  private static final Axis LOGARITHMIC = Axis.logarithmic("µs");

  @Test
  void needsNothingFromOutside() throws Exception {
    String html = drawn(SampleReport.create());

    assertThat(matches("\\w+:?\\w*=\"\\w+://[^\"]*\"", html))
        .isNotEmpty()
        .allMatch(attribute -> attribute.startsWith("xmlns"));
    assertThat(matches("(?:href|src)=\"[^\"]*\"", html))
        .isNotEmpty()
        .allMatch(attribute -> attribute.startsWith("href=\"#"));
    assertThat(matches("url\\([^)]*\\)|@import|<script|<link", html))
        .isNotEmpty()
        .allMatch(reference -> reference.startsWith("url(#"));
  }

  @Test
  void everyReferenceLeadsToExactlyOneElement() throws Exception {
    String html = drawn(SampleReport.create());

    List<String> ids = matches("(?<= id=\")[^\"]*", html);
    assertThat(ids).doesNotHaveDuplicates();
    assertThat(ids).containsAll(matches("(?<=url\\(#)[^)]*|(?<=href=\"#)[^\"]*", html));
    assertThat(matches("<a href=\"#[^>]*>[^<]*", html))
        .contains("<a href=\"#section-2\">Throughput");
    assertThat(html).contains("<section id=\"section-2\">\n<h2>Throughput</h2>");
  }

  @Test
  void showsEveryKindOfBlock() throws Exception {
    Document page = parse(drawn(SampleReport.create()));

    assertThat(texts(page, "h1")).containsExactly("Sifr <measured> & compared");
    assertThat(texts(page, "p")).anyMatch(text -> text.contains("<each> alone"));
    assertThat(texts(page, "p"))
        .contains("Missing: lmdb could not meet the term \"write" + " buffer\"; no figures.");
    assertThat(texts(page, "code")).anyMatch(text -> text.contains("&& echo \"<ok>\"\n"));
    assertThat(texts(page, "th")).contains("p99.9 µs");
    assertThat(texts(page, "figcaption")).hasSize(5);
    assertThat(page.getElementsByTagName("svg").getLength()).isEqualTo(4);
    assertThat(texts(page, "summary")).hasSize(4);
  }

  @Test
  void escapesWhatIsNotMarkup() throws Exception {
    String nasty = "</style><b> & \"it's\" \u0001 \uD800 ]]>";
    Report report =
        new Report(
            nasty,
            List.of(
                new Report.Section(
                    nasty,
                    List.of(
                        new Text(nasty),
                        new Missing(nasty),
                        new Block.Code(nasty),
                        new Block.Table(List.of(nasty, nasty), List.of(List.of(nasty, nasty))),
                        lines(LINEAR, 1, 2, 3),
                        new LinePlot(
                            nasty,
                            new Axis(nasty, false),
                            new Axis(nasty, true),
                            List.of(new Series(nasty, List.of(1.0, 2.0), List.of(0.0, 2.0)))),
                        new BarPlot(
                            nasty,
                            new Axis(nasty, false),
                            List.of(nasty),
                            List.of(new Bars(nasty, List.of(1.0))))))));

    Document page = parse(drawn(report));

    String shown = nasty.replace('\u0001', '\uFFFD').replace('\uD800', '\uFFFD');
    assertThat(texts(page, "h1")).containsExactly(shown);
    assertThat(texts(page, "td")).contains(shown);
    assertThat(texts(page, "figcaption")).contains(shown);
    assertThat(texts(page, "li")).contains(shown);
    assertThat(page.getElementsByTagName("b").getLength()).isZero();
  }

  @Test
  void isTheSameEachTime() throws Exception {
    assertThat(drawn(SampleReport.create())).isEqualTo(drawn(SampleReport.create()));
  }

  @Test
  void alignsFiguresToTheRight() throws Exception {
    String html = drawn(SampleReport.create());

    assertThat(html).contains("<th>store</th><th class=\"figure\">ops/s</th>");
    assertThat(html).contains("<td>processors</td><td>16</td>");
  }

  @Test
  void showsFiguresWhereTheJvmCannotDraw() throws Exception {
    String html = HtmlReport.text(SampleReport.create(), "Drawings. No <font>.");

    Document page = parse(html);
    assertThat(page.getElementsByTagName("svg").getLength()).isZero();
    assertThat(texts(page, "p")).contains("Missing: Drawings. No <font>.");
    assertThat(matches("<details open=\"open\">", html)).hasSize(4);
  }

  @Test
  void writesUtf8(@TempDir Path directory) throws Exception {
    Path file = directory.resolve("report.html");

    HtmlReport.write(SampleReport.create(), file);

    assertThat(Files.readString(file)).contains("p99.9 µs").endsWith("</html>\n");
  }

  @Test
  void drawsManyPointsInLittleSpace() throws Exception {
    double[] y = DoubleStream.iterate(0, i -> i + 1).limit(100_000).map(i -> i % 1009).toArray();

    String svg = svg(lines(LINEAR, y));
    assertThat(svg).hasSizeLessThan(60_000);
    assertThat(matches("points=\"([-.\\d]+,[-.\\d]+ ?){150,200}\"", svg)).hasSize(1);
  }

  @Test
  void drawsInTheColourOfTheTextAround() throws Exception {
    assertThat(svg(lines(LINEAR, 1, 2))).contains("currentColor").doesNotContain("rgb(1,2,3)");
  }

  static Stream<Plot> awkwardPlots() {
    return Stream.of(LINEAR, LOGARITHMIC)
        .flatMap(
            axis ->
                Stream.of(
                    lines(axis, 7),
                    lines(axis, 7, 7, 7),
                    lines(axis, 0, 0, 5),
                    lines(axis, -3, 4, -5, 6),
                    lines(axis, Double.NaN, 1, Double.POSITIVE_INFINITY),
                    lines(axis, 1e-300, 1e-12, 1e18, 1e300),
                    lines(axis, 1e-9, 2e-9),
                    lines(axis, 1e-12),
                    lines(axis, 1, Math.nextUp(1.0)),
                    bars(axis, 7.0),
                    bars(axis, null, 1.0, null),
                    bars(axis, 0.0, 3.0, Double.NaN),
                    bars(axis, -1.0, 1.0)));
  }

  @ParameterizedTest
  @MethodSource("awkwardPlots")
  void drawsAwkwardPlots(Plot plot) throws Exception {
    assertThat(parse(drawn(report(plot))).getElementsByTagName("svg").getLength()).isEqualTo(1);
  }

  static Stream<Plot> emptyPlots() {
    return Stream.of(
        new LinePlot("p", LINEAR, LINEAR, List.of()),
        lines(LINEAR),
        lines(LINEAR, Double.NaN, Double.NEGATIVE_INFINITY),
        lines(LOGARITHMIC, 0, -1),
        new BarPlot("p", LINEAR, List.of(), List.of()),
        bars(LINEAR),
        bars(LINEAR, null, Double.NaN),
        bars(LOGARITHMIC, 0.0, -1.0));
  }

  @ParameterizedTest
  @MethodSource("emptyPlots")
  void saysThatThereIsNothingToDraw(Plot plot) throws Exception {
    Document page = parse(drawn(report(plot)));

    assertThat(page.getElementsByTagName("svg").getLength()).isZero();
    assertThat(texts(page, "p")).contains(Figures.NOTHING_TO_DRAW);
  }

  @Test
  void tellsWhatIsNotDrawn() throws Exception {
    assertThat(drawn(report(lines(LOGARITHMIC, 0, 1, 2))))
        .contains("a: 1 of 3 points are outside the axes.");
    assertThat(drawn(report(bars(LINEAR, null, 1.0, null)))).contains("a: no bar for c0, c2.");
  }

  private static Report report(Plot plot) {
    return new Report("r", List.of(new Report.Section("s", List.of(plot))));
  }

  private static LinePlot lines(Axis y, double... values) {
    List<Double> x = DoubleStream.iterate(1, i -> i + 1).limit(values.length).boxed().toList();
    List<Double> ys = Arrays.stream(values).boxed().toList();
    return new LinePlot(
        "p",
        y.logarithmic() ? Axis.logarithmic("s") : Axis.linear("s"),
        y,
        List.of(new Series("a", x, ys)));
  }

  private static BarPlot bars(Axis y, @Nullable Double... values) {
    List<String> categories = new ArrayList<>();
    for (int i = 0; i < values.length; i++) {
      categories.add("c" + i);
    }
    return new BarPlot(
        "p",
        y,
        categories,
        List.of(
            new Bars("a", Arrays.asList(values)),
            new Bars("none", Collections.nCopies(values.length, null))));
  }

  private static String drawn(Report report) throws Exception {
    assumeThat(TextDrawing.obstacle()).isNull();
    return HtmlReport.text(report, null);
  }

  private static String svg(Plot plot) throws Exception {
    return matches("(?s)<svg.*</svg>", drawn(report(plot))).get(0);
  }

  private static List<String> matches(String regex, String text) {
    return Pattern.compile(regex).matcher(text).results().map(MatchResult::group).toList();
  }

  private static Document parse(String html) throws Exception {
    return DocumentBuilderFactory.newInstance()
        .newDocumentBuilder()
        .parse(new InputSource(new StringReader(html)));
  }

  private static List<String> texts(Document page, String tag) {
    NodeList elements = page.getElementsByTagName(tag);
    List<String> texts = new ArrayList<>();
    for (int i = 0; i < elements.getLength(); i++) {
      texts.add(((Element) elements.item(i)).getTextContent());
    }
    return texts;
  }
}
