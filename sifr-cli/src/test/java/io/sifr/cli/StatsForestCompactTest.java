package io.sifr.cli;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonToken;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
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
            "writes",
            "compactions",
            "reads",
            "filters",
            "memory",
            "space",
            "contents",
            "backlog",
            "retainedLog",
            "writeAmplification",
            "writeAmplificationWithLog",
            "database",
            "stages");
    assertThat(stats.out())
        .containsPattern(
            "\\{\"writes\":\\{\"userBytes\":\\d+,\"logBytes\":\\d+,\"flushBytes\":\\d+,"
                + "\"flushes\":\\d+,\"stalls\":\\d+,\"stallMillis\":\\d+,\"refused\":0,"
                + "\"latencies\":\\{\"samples\":0,\"meanMicros\":0.0,.*\\}\\},"
                + "\"compactions\":\\{\"writtenBytes\":\\d+,\"movedBytes\":\\d+,"
                + "\"ended\":\\{\"STAGE_FULL\":\\d+,.*\"RESUMED\":\\d+\\},\"running\":\\d+,\"stepBackMillis\":\\d+,\"rateLimitMillis\":0,"
                + "\"cleaningThresholdBytes\":20971520,\"currentCleaningThresholdBytes\":20971520\\},"
                + "\"reads\":\\{\"candidates\":0,.*\\},"
                + "\"filters\":\\{\"rejects\":0,\"falsePositives\":0\\},"
                + "\"memory\":\\{\"writeBufferBytes\":\\d+,\"blockCacheBytes\":\\d+,"
                + "\"indexBytes\":\\d+,\"filterBytes\":\\d+,\"rangeTombstoneBytes\":0,\"readAheadBytes\":0,"
                + "\"budgetBytes\":\\d{7,},\"budgetUsedBytes\":\\d+,\"idleBytes\":\\d+\\},"
                + "\"space\":\\{\"diskBytes\":\\d+,\"liveBytes\":\\d+,\"rawBytes\":\\d+,\"estimatedDataBytes\":\\d+\\},"
                + "\"contents\":\\{\"databases\":1,\"stages\":\\d+,\"trees\":\\d+,\"ssts\":\\d+,\"rangeTombstones\":0,"
                + "\"unusableSsts\":0,\"uncheckedSsts\":\\d+\\},"
                + "\"backlog\":\\{\"fullWriteBuffers\":0,\"mergeDebt\":0.0\\},"
                + "\"retainedLog\":\\{\"bytes\":0,\"segments\":0,\"oldestSequence\":0,\"lastSequence\":\\d+\\},"
                + "\"writeAmplification\":");
    assertThat(stats.out())
        .containsPattern(
            "\"stages\":\\[\\{\"stage\":1,\"trees\":\\[.*\"ssts\":\\d+,\"bytes\":\\d+,\"entries\":\\d+");
  }

  @Test
  void statisticsAreATableForPeople() {
    assertThat(Cli.run(store, "stats").out())
        .contains(
            "compactions ended",
            "write amplification",
            "bytes on disk",
            "of it data, estimated",
            "default, stage 1")
        .contains("read ahead            0 B\n")
        .containsPattern(
            "memory budget         [0-9.]+ [MG]iB, [0-9.]+ [KM]?i?B of it used, .*B idle\n");
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

    assertThat(fieldNames(json)).containsExactly("database", "stages");
    assertThat(json)
        .containsPattern(
            "\"ssts\":\\[\\{\"number\":\\d+,\"bytes\":\\d+,\"entries\":\\d+,\"tombstones\":0,"
                + "\"smallestKey\":\"user\\d{19}\",\"largestKey\":\"user\\d{19}\"");
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
