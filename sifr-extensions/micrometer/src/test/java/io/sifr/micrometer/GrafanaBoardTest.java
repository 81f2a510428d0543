package io.sifr.micrometer;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.micrometer.prometheusmetrics.PrometheusConfig;
import io.micrometer.prometheusmetrics.PrometheusMeterRegistry;
import io.sifr.Store;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The board asks for what Prometheus gets. */
class GrafanaBoardTest {
  private static final Path BOARD = Path.of("grafana", "sifr-board.json");
  private static final Pattern METRIC = Pattern.compile("\\bsifr_\\w+");
  private static final Pattern SELECTOR = Pattern.compile("\\b(sifr_\\w+)\\{([^}]*)\\}");
  private static final Pattern LABEL = Pattern.compile("(\\w+)(?:=~|!=|=)\"");
  private static final Pattern SAMPLE = Pattern.compile("(sifr_\\w+)\\{(.*)\\} (\\S+)");
  private static final Pattern LABEL_OF_SAMPLE = Pattern.compile("(\\w+)=\"");

  @TempDir Path directory;

  private static JsonNode board() throws IOException {
    return new ObjectMapper().readTree(BOARD.toFile());
  }

  /** The queries of all panels and variables. */
  private static List<String> queries() throws IOException {
    List<String> queries = board().findValuesAsText("expr");
    queries.addAll(board().findValuesAsText("definition"));
    return queries;
  }

  private static Set<String> labels(Pattern pattern, String text) {
    return pattern
        .matcher(text)
        .results()
        .map(label -> label.group(1))
        .collect(Collectors.toCollection(TreeSet::new));
  }

  /** What Prometheus would get of a store: names of samples and their labels. */
  private Map<String, Set<String>> scraped() {
    PrometheusMeterRegistry registry = new PrometheusMeterRegistry(PrometheusConfig.DEFAULT);
    try (Store store = Store.open(directory)) {
      SifrMetrics.bind(store, registry);
      store.database().put("apple".getBytes(UTF_8), "red".getBytes(UTF_8));
      Map<String, Set<String>> samples = new HashMap<>();
      registry
          .scrape()
          .lines()
          .filter(line -> !line.startsWith("#"))
          .map(SAMPLE::matcher)
          .filter(sample -> sample.matches())
          .forEach(
              sample ->
                  samples
                      .computeIfAbsent(sample.group(1), name -> new HashSet<>())
                      .addAll(labels(LABEL_OF_SAMPLE, sample.group(2))));
      return samples;
    }
  }

  @Test
  void everyMetricThatItAsksForExistsWithItsLabels() throws IOException {
    Map<String, Set<String>> scraped = scraped();
    assertThat(queries()).hasSizeGreaterThan(40);
    for (String query : queries()) {
      List<MatchResult> metrics = METRIC.matcher(query).results().toList();
      assertThat(metrics).as(query).isNotEmpty();
      for (MatchResult metric : metrics) {
        assertThat(scraped).as(query).containsKey(metric.group());
      }
      for (MatchResult selector : SELECTOR.matcher(query).results().toList()) {
        assertThat(scraped.get(selector.group(1)))
            .as(query)
            .containsAll(labels(LABEL, selector.group(2)));
      }
    }
  }

  /** What nobody shows, nobody looks at. */
  @Test
  void itShowsNearlyAllOfThem() throws IOException {
    Set<String> shown =
        queries().stream()
            .flatMap(query -> METRIC.matcher(query).results())
            .map(MatchResult::group)
            .collect(Collectors.toSet());
    Set<String> scraped = scraped().keySet();
    Set<String> notShown = new TreeSet<>(scraped);
    notShown.removeAll(shown);
    assertThat(notShown).hasSizeLessThan(scraped.size() / 5);
  }

  @Test
  void panelsDoNotOverlapAndHaveATitleAndADescription() throws IOException {
    Set<String> places = new HashSet<>();
    Set<Integer> ids = new HashSet<>();
    for (JsonNode panel : board().get("panels")) {
      assertThat(ids.add(panel.get("id").asInt())).isTrue();
      assertThat(panel.get("title").asText()).isNotBlank();
      if (!panel.get("type").asText().equals("row")) {
        assertThat(panel.get("description").asText()).isNotBlank();
      }
      JsonNode place = panel.get("gridPos");
      assertThat(place.get("x").asInt() + place.get("w").asInt()).isLessThanOrEqualTo(24);
      for (int x = 0; x < place.get("w").asInt(); x++) {
        for (int y = 0; y < place.get("h").asInt(); y++) {
          int column = place.get("x").asInt() + x;
          int line = place.get("y").asInt() + y;
          assertThat(places.add(column + "," + line)).as(panel.get("title").asText()).isTrue();
        }
      }
    }
  }

  /** So a program can hand it out. */
  @Test
  void itIsInTheJar() throws IOException {
    try (var stream = SifrMetrics.class.getResourceAsStream("sifr-board.json")) {
      assertThat(stream).isNotNull();
      assertThat(stream.readAllBytes()).isEqualTo(Files.readAllBytes(BOARD));
    }
  }
}
