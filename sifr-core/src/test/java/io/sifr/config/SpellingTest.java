package io.sifr.config;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Test;

class SpellingTest {
  private static final List<String> KNOWN =
      List.of("load", "export", "--format", "--from", "--hex");

  @Test
  void theNearestWordsAreFound() {
    assertThat(Spelling.nearest("lod", KNOWN)).containsExactly("load");
    assertThat(Spelling.nearest("exprot", KNOWN)).containsExactly("export");
    assertThat(Spelling.nearest("--fromat", KNOWN)).containsExactly("--format");
    assertThat(Spelling.nearest("--hx", KNOWN)).containsExactly("--hex");
    assertThat(Spelling.nearest("ab", List.of("aa", "bb"))).containsExactly("aa", "bb");
  }

  @Test
  void whatLooksLikeNothingKnownHasNone() {
    assertThat(Spelling.nearest("frobnicate", KNOWN)).isEmpty();
    assertThat(Spelling.nearest("", KNOWN)).isEmpty();
    assertThat(Spelling.nearest("x", KNOWN)).isEmpty();
  }
}
