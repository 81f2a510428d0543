package io.sifr.bench.report;

import com.google.common.collect.ImmutableSet;
import java.awt.Color;
import java.awt.Dimension;
import java.awt.Graphics2D;
import java.io.StringWriter;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Consumer;
import javax.xml.parsers.DocumentBuilderFactory;
import javax.xml.parsers.ParserConfigurationException;
import javax.xml.transform.OutputKeys;
import javax.xml.transform.Transformer;
import javax.xml.transform.TransformerException;
import javax.xml.transform.TransformerFactory;
import javax.xml.transform.dom.DOMSource;
import javax.xml.transform.stream.StreamResult;
import org.apache.batik.svggen.SVGGeneratorContext;
import org.apache.batik.svggen.SVGGraphics2D;
import org.w3c.dom.Attr;
import org.w3c.dom.Document;
import org.w3c.dom.Element;
import org.w3c.dom.NamedNodeMap;
import org.w3c.dom.Node;

/** Drawings as SVG elements of a page. */
final class Svg {
  /** Elements in this colour get the colour of the surrounding text. */
  static final Color INK = new Color(1, 2, 3);

  private static final String NAMESPACE = "http://www.w3.org/2000/svg";
  private static final String INK_IN_SVG = "rgb(1,2,3)";
  private static final int DECIMALS = 2;
  private static final ImmutableSet<String> COORDINATES =
      ImmutableSet.of("x1", "y1", "x2", "y2", "points");

  private Svg() {}

  /**
   * An SVG element with a drawing.
   *
   * @param title description for accessibility
   * @param idPrefix of all ids in it, different for each drawing of a page
   */
  static String draw(
      String title, String idPrefix, int width, int height, Consumer<Graphics2D> drawing) {
    try {
      Document document =
          DocumentBuilderFactory.newInstance()
              .newDocumentBuilder()
              .getDOMImplementation()
              .createDocument(NAMESPACE, "svg", null);
      SVGGeneratorContext context = SVGGeneratorContext.createDefault(document);
      context.setPrecision(DECIMALS);
      context.setComment("");
      SVGGraphics2D graphics = new SVGGraphics2D(context, false);
      graphics.setSVGCanvasSize(new Dimension(width, height));
      drawing.accept(graphics);
      Element root = graphics.getRoot();
      adapt(root, idPrefix);
      root.setAttribute("viewBox", "0 0 " + width + " " + height);
      root.setAttribute("role", "img");
      root.setAttribute("aria-label", title);
      return text(root);
    } catch (ParserConfigurationException | TransformerException e) {
      throw new IllegalStateException("the XML library of this JVM does not work", e);
    }
  }

  private static void adapt(Element element, String idPrefix) {
    NamedNodeMap attributes = element.getAttributes();
    for (int i = 0; i < attributes.getLength(); i++) {
      Attr attribute = (Attr) attributes.item(i);
      String value = attribute.getValue();
      if (attribute.getName().equals("id")) {
        attribute.setValue(idPrefix + value);
      } else if (value.startsWith("url(#")) {
        attribute.setValue(value.replace("url(#", "url(#" + idPrefix));
      } else if (value.equals(INK_IN_SVG)) {
        attribute.setValue("currentColor");
      }
    }
    List<Element> children = children(element);
    joinLines(children);
    children.forEach(child -> adapt(child, idPrefix));
  }

  private static List<Element> children(Element element) {
    List<Element> children = new ArrayList<>();
    for (Node child = element.getFirstChild(); child != null; child = child.getNextSibling()) {
      if (child instanceof Element childElement) {
        children.add(childElement);
      }
    }
    return children;
  }

  /** XChart draws each segment of a line separately; joined, they take a fifth of the space. */
  private static void joinLines(List<Element> siblings) {
    Element open = null;
    for (Element line : List.copyOf(siblings)) {
      if (!line.getTagName().equals("line")) {
        open = null;
      } else if (open != null && continues(open, line)) {
        open.setAttribute("points", open.getAttribute("points") + " " + end(line, 2));
        line.getParentNode().removeChild(line);
        siblings.remove(line);
      } else {
        open = polyline(line);
        line.getParentNode().replaceChild(open, line);
        siblings.set(siblings.indexOf(line), open);
      }
    }
  }

  private static Element polyline(Element line) {
    Element polyline = line.getOwnerDocument().createElementNS(NAMESPACE, "polyline");
    style(line).forEach(polyline::setAttribute);
    polyline.setAttribute("points", end(line, 1) + " " + end(line, 2));
    return polyline;
  }

  private static boolean continues(Element polyline, Element line) {
    return polyline.getAttribute("points").endsWith(" " + end(line, 1))
        && style(polyline).equals(style(line));
  }

  private static Map<String, String> style(Element element) {
    Map<String, String> style = new TreeMap<>();
    NamedNodeMap attributes = element.getAttributes();
    for (int i = 0; i < attributes.getLength(); i++) {
      Attr attribute = (Attr) attributes.item(i);
      if (!COORDINATES.contains(attribute.getName())) {
        style.put(attribute.getName(), attribute.getValue());
      }
    }
    return style;
  }

  private static String end(Element line, int number) {
    return line.getAttribute("x" + number) + "," + line.getAttribute("y" + number);
  }

  private static String text(Element root) throws TransformerException {
    Transformer transformer = TransformerFactory.newInstance().newTransformer();
    transformer.setOutputProperty(OutputKeys.OMIT_XML_DECLARATION, "yes");
    StringWriter text = new StringWriter();
    transformer.transform(new DOMSource(root), new StreamResult(text));
    return text.toString();
  }
}
