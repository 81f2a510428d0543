package io.sifr.web;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.InputStream;
import java.util.regex.Pattern;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The files of the page. */
class PageTest {
  /** What makes nodes or programs out of a text. */
  private static final Pattern PARSERS =
      Pattern.compile(
          "innerHTML|outerHTML|insertAdjacentHTML|setHTML|document\\.write|DOMParser|\\beval\\b"
              + "|\\bFunction\\(|createContextualFragment|srcdoc|setTimeout\\(\\s*[\"']|javascript:");

  private static final Pattern ELSEWHERE = Pattern.compile("(?i)https?://|[\"'(]//|@import|url\\(");

  private static String text(String name) throws IOException {
    try (InputStream in = StoreWindow.class.getResourceAsStream(name)) {
      return new String(in.readAllBytes(), UTF_8);
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"window.html", "window.css", "window.js"})
  void nothingIsLoadedFromElsewhere(String name) throws IOException {
    // The name of a kind of XML, which nobody fetches.
    String text = text(name).replace("\"http://www.w3.org/2000/svg\"", "");
    assertThat(ELSEWHERE.matcher(text).results().map(each -> each.group())).isEmpty();
  }

  @ParameterizedTest
  @ValueSource(strings = {"window.html", "window.js"})
  void nothingThatIsShownIsParsed(String name) throws IOException {
    assertThat(PARSERS.matcher(text(name)).results().map(each -> each.group())).isEmpty();
  }

  /** Neither would the policy of the page let them be. */
  @ParameterizedTest
  @ValueSource(
      strings = {"(?i)<script(?![^>]*\\ssrc=)", "(?i)<style", "(?i)\\sstyle=", "(?i)\\son[a-z]+="})
  void nothingIsInline(String what) throws IOException {
    assertThat(Pattern.compile(what).matcher(text("window.html")).find()).isFalse();
  }
}
