package io.sifr.bench.report;

import java.awt.Font;
import java.awt.font.FontRenderContext;
import java.awt.font.TextLayout;
import org.jspecify.annotations.Nullable;

/**
 * A check for the ability of this JVM to draw text. To do so a JDK needs libfreetype, libfontconfig
 * and a font, which containers and machines without a desktop may lack. A headless JVM is
 * sufficient.
 */
final class TextDrawing {
  private TextDrawing() {}

  /**
   * Why text cannot be drawn, and what helps; null if it can. After a first failure AWT stays
   * unusable in this JVM.
   */
  static @Nullable String obstacle() {
    // Otherwise AWT looks for a screen when DISPLAY is set, as in many remote shells.
    System.setProperty("java.awt.headless", "true");
    try {
      new TextLayout(
          "0", new Font(Font.SANS_SERIF, Font.PLAIN, 12), new FontRenderContext(null, true, true));
      return null;
    } catch (Error | RuntimeException e) {
      // UnsatisfiedLinkError, NoClassDefFoundError, InternalError or Error itself, depending on
      // what is absent; some releases of the JDK throw NullPointerException.
      return "Drawings. This JVM cannot draw text, so tables stand in for the plots. It needs"
          + " libfreetype, libfontconfig and a font; on Debian and Ubuntu install libfreetype6,"
          + " libfontconfig1 and fonts-dejavu-core, on Alpine freetype, fontconfig and ttf-dejavu"
          + " (the JVM says: "
          + e
          + ")";
    }
  }
}
