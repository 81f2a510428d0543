package io.sifr.bench.report;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class MarkedTableTest {
  private static final String BEGIN = "<!-- figures: written by sifr-bench -->\n";
  private static final String END = "<!-- end of figures -->\n";

  @TempDir Path directory;

  private static Block.Table table(String figure) {
    return new Block.Table(List.of("", "sifr"), List.of(List.of("gets", figure)));
  }

  @Test
  void whatIsBetweenTheMarksIsReplaced() throws Exception {
    Path page = Files.writeString(directory.resolve("page.md"), "before\n" + BEGIN + END + "after");

    MarkedTable.replace(page, table("100"));
    MarkedTable.replace(page, table("200"));

    assertThat(page)
        .hasContent(
            "before\n"
                + BEGIN
                + "\n|  | sifr |\n| --- | --: |\n| gets | 200 |\n\n"
                + END
                + "after");
  }

  @Test
  void aPageWithoutMarksIsRefused() throws Exception {
    for (String text : List.of("", BEGIN, END, END + BEGIN)) {
      Path page = Files.writeString(directory.resolve("page.md"), text);

      assertThatIllegalArgumentException()
          .isThrownBy(() -> MarkedTable.check(page))
          .withMessageContaining("page.md has no place for figures")
          .withMessageContaining(BEGIN);
      assertThatIllegalArgumentException().isThrownBy(() -> MarkedTable.replace(page, table("1")));
      assertThat(page).hasContent(text);
    }
  }
}
