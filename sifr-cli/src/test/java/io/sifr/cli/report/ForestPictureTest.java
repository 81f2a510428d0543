package io.sifr.cli.report;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.sifr.event.ForestShape;
import io.sifr.event.SstPlace;
import java.io.ByteArrayInputStream;
import java.util.List;
import javax.xml.parsers.DocumentBuilderFactory;
import org.junit.jupiter.api.Test;
import org.w3c.dom.Document;
import org.w3c.dom.Element;
import org.w3c.dom.NodeList;

class ForestPictureTest {
  private static ForestShape.Sst sst(String first, String last, SstPlace place) {
    return new ForestShape.Sst(
        1, 2 << 20, 100, 0, first.getBytes(UTF_8), last.getBytes(UTF_8), place);
  }

  private static ForestShape forest(List<ForestShape.Stage> stages) {
    return new ForestShape("<default> & \"others\"", stages, List.of());
  }

  private static Document parsed(String svg) throws Exception {
    return DocumentBuilderFactory.newInstance()
        .newDocumentBuilder()
        .parse(new ByteArrayInputStream(svg.getBytes(UTF_8)));
  }

  @Test
  void blocksOfATreeLieSideBySide() throws Exception {
    ForestShape.Tree tree =
        new ForestShape.Tree(
            1,
            List.of(
                sst("a", "f", SstPlace.STORE),
                sst("g", "m", SstPlace.FAST),
                sst("n", "z", SstPlace.COLD)));
    Document svg =
        parsed(ForestPicture.of(forest(List.of(new ForestShape.Stage(1, List.of(tree))))));

    NodeList blocks = svg.getElementsByTagName("rect");
    assertThat(blocks.getLength()).isEqualTo(4); // the row, then the SSTs
    int end = number(blocks, 0, "x");
    for (int i = 1; i < 4; i++) {
      assertThat(number(blocks, i, "x")).isEqualTo(end);
      assertThat(number(blocks, i, "y")).isEqualTo(number(blocks, 0, "y"));
      end += number(blocks, i, "width");
    }
    assertThat(end).isEqualTo(number(blocks, 0, "x") + number(blocks, 0, "width"));
    assertThat(((Element) blocks.item(2)).getAttribute("class")).isEqualTo("sst fast");
    assertThat(((Element) blocks.item(3)).getAttribute("class")).isEqualTo("sst cold");
    assertThat(svg.getDocumentElement().getTextContent()).contains("1 tree, 3 SSTs, 6.0 MiB");
  }

  @Test
  void anEmptyForestIsDrawn() throws Exception {
    Document svg = parsed(ForestPicture.of(forest(List.of())));

    assertThat(svg.getElementsByTagName("rect").getLength()).isZero();
    assertThat(svg.getDocumentElement().getTextContent()).contains("0 stages, 0 trees");
  }

  private static int number(NodeList blocks, int index, String attribute) {
    return Integer.parseInt(((Element) blocks.item(index)).getAttribute(attribute));
  }
}
