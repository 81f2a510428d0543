package io.sifr.bench.experiment;

import io.sifr.bench.report.Templates;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.Objects;
import java.util.Optional;
import java.util.Properties;
import java.util.function.BiConsumer;
import java.util.stream.Stream;

/**
 * Reproduces a table or figure of a paper. Its title and what the report says of it are in {@code
 * experiments.properties}.
 *
 * @param name its name on the command line
 * @param measurement runs it; a figure that cannot be measured becomes a {@link
 *     io.sifr.bench.report.Block.Missing}
 */
record Experiment(String name, BiConsumer<Laboratory, Findings> measurement) {
  private static final Properties TEXTS = texts();

  private static Properties texts() {
    Properties texts = new Properties();
    try (InputStream in = Experiment.class.getResourceAsStream("experiments.properties")) {
      texts.load(new InputStreamReader(Objects.requireNonNull(in), StandardCharsets.UTF_8));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    return texts;
  }

  /** What it is about, with the section or figure of the paper. */
  String title() {
    return text("title").orElseThrow();
  }

  private Optional<String> text(String what) {
    return Optional.ofNullable(TEXTS.getProperty(name + "." + what));
  }

  /** Runs it. */
  Findings run(Laboratory laboratory) {
    Findings findings = new Findings(laboratory.scale());
    measurement.accept(laboratory, findings);
    return findings.between(
        Stream.of(text("paper").map("The paper: "::concat), text("method"))
            .flatMap(Optional::stream)
            .map(text -> Templates.fillText(text, findings.facts()))
            .toList(),
        Templates.fillText("Comparable: " + text("comparable").orElseThrow(), findings.facts()));
  }
}
