package io.sifr.cli;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonToken;
import io.sifr.event.Metric;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class StatsForestCompactTest {
  @TempDir private Path store;

  @BeforeEach
  void fill() {
    Cli.Result load =
        Cli.run(
            store,
            "load",
            "--generate=random",
            "--entries=3000",
            "--write-buffer=64KiB",
            "--split-unit=32KiB");
    assertThat(load.exitCode()).describedAs(load.toString()).isZero();
  }

  /** Names of the fields of the outermost JSON object. */
  private static List<String> fieldNames(String json) throws IOException {
    List<String> names = new ArrayList<>();
    try (JsonParser parser = new JsonFactory().createParser(json)) {
      assertThat(parser.nextToken()).isEqualTo(JsonToken.START_OBJECT);
      while (parser.nextToken() == JsonToken.FIELD_NAME) {
        names.add(parser.currentName());
        parser.nextToken();
        parser.skipChildren();
      }
    }
    return names;
  }

  @Test
  void statisticsHaveTheFieldsThatProgramsRelyOn() throws IOException {
    Cli.Result stats = Cli.run(store, "stats", "--json");

    assertThat(stats.exitCode()).isZero();
    assertThat(stats.out()).endsWith("}\n").hasLineCount(1);
    assertThat(fieldNames(stats.out()))
        .containsExactly(
            "statistics", "database", "stages", "valueFiles", "valueBytes", "referredValueBytes");
    for (Metric<?> metric : Metric.all()) {
      assertThat(stats.out()).contains("\"" + metric.name());
    }
    assertThat(stats.out())
        .startsWith("{\"statistics\":{\"userBytes\":")
        .containsPattern("\"refusedWrites\":0,\"putMicrosSamples\":0,\"putMicrosMean\":0.0,")
        .containsPattern("\"compactionsStageFull\":\\d+,.*\"compactionsResumed\":\\d+,")
        .contains("\"cleaningThresholdBytes\":20971520,")
        .contains("\"databases\":1,")
        .containsPattern("\"budgetBytes\":\\d{7,},")
        .contains("\"compactionDebt\":0.0,")
        .containsPattern("\"writeAmplification\":\\d+\\.\\d+,");
    assertThat(stats.out())
        .containsPattern(
            "\"stages\":\\[\\{\"stage\":1,\"trees\":\\[.*\"ssts\":\\d+,\"bytes\":\\d+,\"entries\":\\d+");
  }

  /** By the names that JSON has, without what is 0. */
  @Test
  void statisticsAreATableForPeople() {
    String stats = Cli.run(store, "stats").out();

    assertThat(stats)
        .containsPattern("Now:\\n(  .*\\n)*  diskBytes +[0-9.]+ [KM]iB\\n")
        .containsPattern("  writeAmplification +[0-9]\\.[0-9]{2}\\n")
        .containsPattern("  databases +1\\n")
        .containsPattern("\\nOver the life of the store:\\n  userBytes +[0-9.]+ KiB\\n")
        .containsPattern("\\nDatabase default:\\n  stage +trees +SSTs +entries +size\\n")
        .containsPattern("\\n +[1-9] +[0-9]+ +[0-9]+ +[0-9,]+ +[0-9.]+ [KM]?i?B\\n")
        .doesNotContain("refusedWrites", "unusableSsts", "getMicros");
    // What the process that loaded has counted is gone.
    assertThat(stats).doesNotContain("flushes", "putMicros");
  }

  /** Numbers end in one column, and units begin in one. */
  @Test
  void statisticsAreAligned() {
    List<String> lines =
        Cli.run(store, "stats")
            .out()
            .lines()
            .takeWhile(line -> !line.startsWith("Database "))
            .filter(line -> line.startsWith("  "))
            .toList();

    assertThat(lines)
        .hasSizeGreaterThan(10)
        .allSatisfy(
            line -> {
              assertThat(line.charAt(45)).as(line).isBetween('0', '9');
              assertThat(line.substring(46)).as(line).matches("| [^ ].*");
            });
  }

  @Test
  void whatWasCountedSinceItWasOpenedIsApart() {
    String load =
        Cli.run(
                store,
                "load",
                "--generate=random",
                "--entries=3000",
                "--write-buffer=64KiB",
                "--split-unit=32KiB")
            .out();

    assertThat(load)
        .containsPattern(
            "\\nSince it was opened:\\n  flushes +[0-9]+\\n(  .*\\n)*"
                + "  putMicros +[0-9.]+ µs at p50, [0-9.]+ at p99, [0-9.]+ at p99.9, [0-9.]+ at most\\n");
    assertThat(load.substring(load.indexOf("Over the life"), load.indexOf("Since it was opened:")))
        .contains("userBytes", "logBytes", "flushBytes")
        .doesNotContain("flushes", "putMicros");
  }

  @Test
  void aStoreWithoutFilesSaysSo(@TempDir Path small) {
    assertThat(Cli.run(small, "put", "k", "v").exitCode()).isZero();

    assertThat(Cli.run(small, "stats").out())
        .endsWith("Database default:\n  no files yet: its entries are in memory and in the log\n");
  }

  @Test
  void theForestIsDrawn() {
    assertThat(Cli.run(store, "forest").out()).startsWith("default: ").contains("├");
    assertThat(Cli.run(store, "forest", "--ascii").out()).contains("[").doesNotContain("├");
    assertThat(Cli.run(store, "forest").out()).contains("user");
    assertThat(Cli.run(store, "forest", "--hex").out()).contains("75736572");
  }

  @Test
  void theForestIsJsonDownToItsSsts() throws IOException {
    String json = Cli.run(store, "forest", "--json").out();

    assertThat(fieldNames(json)).containsExactly("database", "stages", "valueFiles");
    assertThat(json)
        .containsPattern(
            "\"ssts\":\\[\\{\"number\":\\d+,\"bytes\":\\d+,\"entries\":\\d+,\"tombstones\":0,"
                + "\"smallestKey\":\"user\\d{19}\",\"largestKey\":\"user\\d{19}\"");
  }

  /** Those of all others are as they have always been. */
  @Test
  void aStoreWithoutOtherDirectoriesSaysNothingOfThem() {
    List<Cli.Result> all =
        List.of(
            Cli.run(store, "forest"),
            Cli.run(store, "forest", "--ascii"),
            Cli.run(store, "forest", "--json"),
            Cli.run(store, "stats"));
    for (Cli.Result result : all) {
      assertThat(result.err()).isEmpty();
      assertThat(result.out()).isNotEmpty().doesNotContain("place", "directory", "fast", "cold");
    }
  }

  @Test
  void whatLiesInOtherDirectoriesIsShown() throws IOException {
    Path tiered = store.resolveSibling("tiered");
    Path fast = store.resolveSibling("fast");
    Path cold = store.resolveSibling("cold");
    String[] settings = {
      "--write-buffer=64KiB",
      "--split-unit=32KiB",
      "--kept-log=0",
      "--fast-directory=" + fast,
      "--fast=1MiB",
      "--cold-directory=" + cold
    };
    run(tiered, settings, "load", "--generate=random", "--entries=3000");
    run(tiered, settings, "compact");
    run(tiered, settings, "load", "--generate=random", "--entries=1000");
    List<Path> files = files(fast, cold);

    assertThat(Cli.run(tiered, "forest").out())
        .containsPattern("\n\\d+ SSTs?, [0-9.]+ KiB in the fast directory\n\\d+ SSTs?, ")
        .containsPattern("\nstage 1: \\d+ trees?, [0-9.]+ KiB in the fast directory\n")
        .containsPattern("\nstage \\d: 1 tree, [0-9.]+ KiB in the cold directory\n")
        .contains("╠", "┊", "╠═╣ is an SST in the fast directory");
    String json = Cli.run(tiered, "forest", "--json").out();
    assertThat(json)
        .containsPattern("\"largestKey\":\"user\\d+\",\"place\":\"fast\"\\}")
        .containsPattern("\"largestKey\":\"user\\d+\",\"place\":\"cold\"\\}")
        .containsPattern(
            "\"places\":\\[\\{\"place\":\"fast\",\"ssts\":\\d+,\"bytes\":\\d+\\},"
                + "\\{\"place\":\"cold\",\"ssts\":\\d+,\"bytes\":\\d+\\}\\],\"valueFiles\"");
    assertThat(Cli.run(tiered, "stats").out())
        .containsPattern("fastSstBytes +[0-9.]+ KiB\n")
        .containsPattern("coldSstBytes +[0-9.]+ KiB\n")
        .containsPattern("\n +1 +[0-9]+ +[0-9]+ .* in the fast directory\n");
    assertThat(Cli.run(tiered, "stats", "--json").out())
        .contains("\"fastSstBytes\":" + bytes(fast) + ",\"coldSstBytes\":" + bytes(cold) + ",");

    // Nobody who looks moves anything.
    assertThat(Cli.run(tiered, "scan", "--keys-only").err())
        .contains("has files in another directory, so it is read as it is now");
    assertThat(files(fast, cold)).isEqualTo(files);
  }

  private static void run(Path store, String[] settings, String command, String... more) {
    String[] all = Stream.of(more, settings).flatMap(Stream::of).toArray(String[]::new);
    Cli.Result result = Cli.run(store, command, all);
    assertThat(result.exitCode()).describedAs(result.toString()).isZero();
  }

  private static List<Path> files(Path... directories) throws IOException {
    List<Path> all = new ArrayList<>();
    for (Path directory : directories) {
      all.addAll(StoreFiles.largestFirst(directory, ""));
    }
    return all;
  }

  private static long bytes(Path directory) throws IOException {
    return StoreFiles.largestFirst(directory, ".sst").stream()
        .mapToLong(sst -> sst.toFile().length())
        .sum();
  }

  /** What was overwritten is not needed once a compaction has dropped what referred to it. */
  @Test
  void valueFilesAreDrawnWithWhatIsNeededOfThem() throws IOException {
    String db = store.toString();
    Cli.run("databases", "create", "pages", "--separate-values-from", "100", "--db", db);
    for (String value : List.of("a", "b")) {
      byte[] entries =
          ("k1\t" + value.repeat(3000) + (value.equals("a") ? "\nk2\t" + "c".repeat(3000) : ""))
              .getBytes(UTF_8);
      Path file = Files.write(store.resolveSibling(value + ".tsv"), entries);
      Cli.Result load = Cli.run(store, "load", file.toString(), "--database", "pages");
      assertThat(load.exitCode()).describedAs(load.toString()).isZero();
      Cli.run(store, "compact", "--database", "pages");
    }

    assertThat(Cli.run(store, "forest", "--database", "pages", "--ascii").out())
        .containsPattern("\n2 value files, [0-9.]+ KiB, [0-9.]+ KiB of it needed\n")
        .containsPattern("\n +#[0-9]+ #+\\.+ +[0-9.]+ KiB of [0-9.]+ KiB\n")
        .contains("the emptiest first");
    assertThat(Cli.run(store, "forest", "--database", "pages", "--json").out())
        .containsPattern(
            "\"valueFiles\":\\[\\{\"number\":\\d+,\"bytes\":\\d+,\"referredBytes\":\\d+}");
    assertThat(Cli.run(store, "stats", "--database", "pages").out())
        .containsPattern("\n  values: 2 value files, [0-9.]+ KiB, ");
    assertThat(Cli.run(store, "stats", "--database", "pages", "--json").out())
        .containsPattern("\"valueFiles\":2,\"valueBytes\":\\d+,\"referredValueBytes\":\\d+}");
    assertThat(Cli.run(store, "forest").out()).doesNotContain("value file");
    assertThat(Cli.run(store, "stats").out()).doesNotContain("values:");
  }

  @Test
  void compactingLeavesOneTree() {
    Cli.Result compact = Cli.run(store, "compact");
    assertThat(compact.exitCode()).isZero();
    assertThat(compact.out()).matches(".+ became 1 tree of .+\n");

    assertThat(Cli.run(store, "compact", "--json").out())
        .contains("\"treesBefore\":1", "\"treesAfter\":1", "\"bytesAfter\":");
    assertThat(Cli.run(store, "scan", "--keys-only").out()).hasLineCount(3000);
  }

  @Test
  void aRangeCanBeCompacted() {
    Cli.Result part = Cli.run(store, "compact", "--from", "user3", "--to", "user5", "--json");
    assertThat(part.exitCode()).isZero();
    assertThat(part.out()).contains("\"treesBefore\":", "\"treesAfter\":");
    assertThat(Cli.run(store, "compact", "--prefix", "7573", "--hex").exitCode()).isZero();
    assertThat(Cli.run(store, "scan", "--keys-only").out()).hasLineCount(3000);

    Cli.Result both = Cli.run(store, "compact", "--from", "a", "--prefix", "b");
    assertThat(both.exitCode()).isEqualTo(ExitCodes.USAGE);
    assertThat(both.err()).contains("--prefix cannot be given together with --from or --to");
  }
}
