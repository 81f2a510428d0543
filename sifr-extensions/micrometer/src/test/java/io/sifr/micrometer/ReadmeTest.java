package io.sifr.micrometer;

import static org.assertj.core.api.Assertions.assertThat;

import io.micrometer.core.instrument.Meter;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.sifr.Store;
import io.sifr.support.ModuleReadmeTest;
import java.io.IOException;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;

/** What the README of the module says is so. */
class ReadmeTest extends ModuleReadmeTest {
  private static final Pattern NAME = Pattern.compile("`(sifr)?(\\.[a-z.]+)`");

  ReadmeTest() {
    super("sifr-micrometer");
  }

  /** A name that begins with a dot begins as the first of its row. */
  @Test
  void theTableListsAllMeters() throws IOException {
    String tables = readme().substring(readme().indexOf("\n## Meters\n"));
    String table = tables.substring(0, tables.indexOf("Of `SifrTimers`"));
    Set<String> listed = new TreeSet<>();
    for (String row : table.lines().filter(line -> line.startsWith("| `sifr.")).toList()) {
      String cell = row.substring(1, row.indexOf('|', 1));
      String prefix = cell.contains("sifr.database") ? "sifr.database" : "sifr.store";
      for (MatchResult name : NAME.matcher(cell).results().toList()) {
        listed.add((name.group(1) == null ? prefix : "sifr") + name.group(2));
      }
    }
    SimpleMeterRegistry registry = new SimpleMeterRegistry();
    try (Store store = Store.open(directory.resolve("store"))) {
      SifrMetrics.bind(store, registry);
      assertThat(listed)
          .isEqualTo(
              registry.getMeters().stream()
                  .map(Meter::getId)
                  .map(Meter.Id::getName)
                  .collect(Collectors.toCollection(TreeSet::new)));
    }
  }
}
