package io.sifr.micrometer;

import static org.assertj.core.api.Assertions.assertThat;

import io.micrometer.core.instrument.Meter;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.sifr.Store;
import io.sifr.event.Metric;
import io.sifr.support.ModuleReadmeTest;
import java.io.IOException;
import java.util.Objects;
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

  /**
   * A name that begins with a dot begins as the first of its row; the table of metrics has the
   * others.
   */
  @Test
  void allMetersAreListed() throws IOException {
    String meters = readme().substring(readme().indexOf("\n## Meters\n"));
    Set<String> listed = new TreeSet<>(Set.of("sifr.store.puts", "sifr.store.gets"));
    assertThat(meters).contains("`sifr.store.puts` and `.gets`");
    Metric.all().stream()
        .map(Metric::meter)
        .filter(Objects::nonNull)
        .forEach(meter -> listed.add(meter.replaceAll("\\{.*", "")));
    for (String row : meters.lines().filter(line -> line.startsWith("| `sifr.database")).toList()) {
      for (MatchResult name :
          NAME.matcher(row.substring(1, row.indexOf('|', 1))).results().toList()) {
        listed.add((name.group(1) == null ? "sifr.database" : "sifr") + name.group(2));
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
