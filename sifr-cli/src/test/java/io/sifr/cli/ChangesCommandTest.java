package io.sifr.cli;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.sifr.Database;
import io.sifr.KeyRange;
import io.sifr.SstFileWriter;
import io.sifr.Store;
import io.sifr.WriteBatch;
import io.sifr.config.IngestOptions;
import io.sifr.config.StoreOptions;
import java.nio.file.Path;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ChangesCommandTest {
  @TempDir private Path parent;
  private Path directory = Path.of("");

  @BeforeEach
  void fill() {
    directory = parent.resolve("store");
    StoreOptions options = StoreOptions.builder().retainedLogBytes(1 << 20).build();
    try (Store store = Store.open(directory, options)) {
      Database fruit = store.openOrCreateDatabase("fruit");
      fruit.put(bytes("apple"), bytes("red"));
      store.write(
          new WriteBatch()
              .delete(fruit, bytes("fig"))
              .deleteRange(fruit, KeyRange.between(bytes("kiwi"), bytes("lime"))));
      try (SstFileWriter writer = SstFileWriter.create(parent.resolve("file"), options)) {
        writer.put(bytes("pear"), bytes("green"));
        fruit.ingest(writer.finish().files(), IngestOptions.DEFAULT);
      }
      store.dropDatabase("fruit");
    }
  }

  private static byte[] bytes(String text) {
    return text.getBytes(UTF_8);
  }

  @Test
  void allChangesAreShown() {
    Cli.Result result = Cli.run(directory, "changes");
    assertThat(result.exitCode()).describedAs(result.toString()).isZero();
    assertThat(result.out().lines().map(String::strip))
        .containsExactly(
            "1  database created  fruit",
            "2  put  fruit  apple  red",
            "4  delete  fruit  fig",
            "4  delete range  fruit  kiwi  lime",
            "5  ingested  fruit  pear  pear",
            "6  database dropped  fruit");
    // The tool, which says nothing of retention, takes nothing away.
    assertThat(Cli.run(directory, "put", "a", "b").exitCode()).isZero();
    assertThat(Cli.run(directory, "changes", "--from", "6", "--limit", "2").out().lines())
        .hasSize(2);
    assertThat(Cli.run(directory, "stats").out().lines())
        .anyMatch(line -> line.matches(" +oldestSequence +1"))
        .anyMatch(line -> line.matches(" +lastSequence +7"));
  }

  @Test
  void asJsonEachIsAnObject() {
    assertThat(Cli.run(directory, "changes", "--json", "--from", "2", "--limit", "3").out())
        .isEqualTo(
            """
            {"firstSequence":2,"lastSequence":2,"kind":"write","operations":[\
            {"kind":"put","database":"fruit","key":"apple","value":"red"}]}
            {"firstSequence":3,"lastSequence":4,"kind":"write","operations":[\
            {"kind":"delete","database":"fruit","key":"fig"},\
            {"kind":"delete range","database":"fruit","key":"kiwi","to":"lime"}]}
            {"firstSequence":5,"lastSequence":5,"kind":"ingested","ranges":[\
            {"database":"fruit","first":"pear","last":"pear"}]}
            """);
  }

  @Test
  void whatIsNotThereIsAnError() {
    Cli.Result beyond = Cli.run(directory, "changes", "--from", "9");
    assertThat(beyond.exitCode()).isEqualTo(ExitCodes.USAGE);
    assertThat(beyond.err()).contains("allowed: 1 to 7");
    assertThat(Cli.run(directory, "put", "a", "b", "--retained-log", "0").exitCode()).isZero();
    Cli.Result gone = Cli.run(directory, "changes", "--from", "1");
    assertThat(gone.exitCode()).isEqualTo(ExitCodes.UNUSABLE);
    assertThat(gone.err()).contains("sequence number 1 ");
  }
}
