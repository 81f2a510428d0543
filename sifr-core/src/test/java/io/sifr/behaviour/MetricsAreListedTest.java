package io.sifr.behaviour;

import static org.assertj.core.api.Assertions.assertThat;

import io.sifr.Store;
import io.sifr.event.Metric;
import io.sifr.event.StoreStatistics;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Locale;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class MetricsAreListedTest {
  private static final Path GUIDE = Path.of("..", "src-docs", "guide", "metrics.md");

  @TempDir Path directory;

  private static String item(Metric<?> metric) {
    String meter = metric.meter() == null ? "" : ", `" + metric.meter() + "`";
    String unit = metric.unit().isEmpty() ? "" : ", " + metric.unit();
    String kind = metric.kind().toString().toLowerCase(Locale.ROOT);
    return "- `%s`%s: %s%s\n  %s\n".formatted(metric, meter, kind, unit, metric.meaning());
  }

  @Test
  void theGuideHasTheTable() throws IOException {
    String page = Files.readString(GUIDE);
    String table =
        Metric.all().stream().map(MetricsAreListedTest::item).collect(Collectors.joining());
    int begin = page.indexOf("- `userBytes`");
    String listed = page.substring(begin, page.indexOf("\n## ", begin));

    assertThat(listed).as("the list in %s, which must be:\n%s", GUIDE, table).isEqualTo(table);
  }

  @Test
  void aStoreHasAValueForEach() {
    try (Store store = SmallStores.open(directory)) {
      StoreStatistics now = store.statistics();
      for (Metric<?> metric : Metric.all()) {
        assertThat((Object) now.get(metric)).as(metric.name()).isNotNull();
        assertThat(metric.numbers(now)).as(metric.name()).isNotEmpty();
      }
    }
  }
}
