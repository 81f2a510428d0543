package io.sifr.bench.experiment;

import static org.assertj.core.api.Assertions.assertThat;

import io.sifr.bench.store.Terms;
import io.sifr.config.CompactionPolicy;
import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class FormTest {
  private static final Path FAST = Path.of("/fast");

  private static Map<String, String> settings(Form form) {
    return form.terms(Scale.MEDIUM, FAST).settings();
  }

  @Test
  void theyDifferInRowsAndFirstLevelAlone() {
    assertThat(settings(Form.FOREST)).containsOnlyKeys("splitUnitBytes");
    assertThat(settings(Form.LEVELED)).isEqualTo(settings(Form.FOREST));
    assertThat(settings(Form.ROWS))
        .containsEntry("fastDirectory", "/fast")
        .containsEntry("fastBytes", Long.toString(88 << 20))
        .hasSize(3);
    assertThat(settings(Form.SMALL_LEVEL)).isEqualTo(settings(Form.ROWS));
    assertThat(settings(Form.COLUMNS)).containsAllEntriesOf(settings(Form.ROWS)).hasSize(4);
    assertThat(CompactionPolicy.parse(settings(Form.COLUMNS).getOrDefault("compaction", "")))
        .isEqualTo(CompactionPolicy.leveled().with("firstLevel", "88MiB"));
    assertThat(settings(Form.ROCKSDB)).isEmpty();
  }

  /** Otherwise the page cache would take all that they write at once. */
  @ParameterizedTest
  @EnumSource
  void allWritePastThePageCache(Form form) {
    for (Scale scale : Scale.values()) {
      Terms terms = form.terms(scale, FAST);
      assertThat(terms.directReads()).isTrue();
      assertThat(terms.writeBufferBytes()).isBetween(256L << 10, 4L << 20);
      form.kind().checkTerms(terms);
    }
  }
}
