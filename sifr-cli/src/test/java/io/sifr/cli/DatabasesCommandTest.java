package io.sifr.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.sifr.Store;
import io.sifr.config.DatabaseOptions;
import io.sifr.spi.IndexExtractor;
import java.nio.file.Path;
import java.util.Collection;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class DatabasesCommandTest {
  @TempDir private Path temporary;
  private String store = "";

  @BeforeEach
  void create() {
    store = temporary.resolve("store").toString();
    assertThat(Cli.run("databases", "create", "fruit", "--db", store).exitCode()).isZero();
  }

  @Test
  void databasesAreListedWithTheirSizes() {
    Cli.Result list = Cli.run("databases", "--db", store);

    assertThat(list.exitCode()).isZero();
    assertThat(list.out().lines()).hasSize(2);
    assertThat(list.out()).contains("default  ", "fruit  ", "0 B");
    assertThat(Cli.run("databases", "--json", "--db", store).out())
        .contains(
            "{\"name\":\"fruit\",\"bytes\":0,\"trees\":0,\"ssts\":0,\"separateValuesFrom\":16384}");
  }

  @Test
  void databasesAreSeparate() {
    assertThat(Cli.run("put", "--db", store, "--database", "fruit", "k", "apple").exitCode())
        .isZero();

    assertThat(Cli.run("get", "--db", store, "--database", "fruit", "k").out())
        .isEqualTo("apple\n");
    assertThat(Cli.run("get", "--db", store, "k").exitCode()).isEqualTo(ExitCodes.NOT_FOUND);
  }

  @Test
  void valuesAreMergedByTheOperatorOfTheDatabase() {
    Cli.Result created =
        Cli.run("databases", "create", "sums", "--merge-operator", "add-long", "--db", store);
    assertThat(created.exitCode()).isZero();
    assertThat(Cli.run("databases", "--db", store).out()).contains("merge operator add-long");
    assertThat(Cli.run("databases", "--json", "--db", store).out())
        .contains("\"ssts\":0,\"mergeOperator\":\"add-long\",");
    for (int i = 0; i < 2; i++) {
      assertThat(merge("sums", "00000000000000ff").exitCode()).isZero();
    }
    assertThat(Cli.run("get", "--db", store, "--database", "sums", "--hex", "aa").out())
        .isEqualTo("00000000000001fe\n");
    assertThat(merge("sums", "ff").exitCode()).isEqualTo(ExitCodes.USAGE);
    Cli.Result without = merge("fruit", "ff");
    assertThat(without.exitCode()).isEqualTo(ExitCodes.UNUSABLE);
    assertThat(without.err()).contains("the database fruit has no merge operator").hasLineCount(1);
  }

  /** An index of a program, whose extractor the tool does not know. */
  private void createIndex() {
    IndexExtractor whole =
        new IndexExtractor() {
          @Override
          public String name() {
            return "whole";
          }

          @Override
          public Collection<byte[]> indexKeys(byte[] key, byte[] value) {
            return List.of(value);
          }
        };
    try (Store opened = Store.builder(Path.of(store)).indexExtractor(whole).open()) {
      opened.alterDatabase(
          "fruit", DatabaseOptions.builder().uniqueIndex("byValue", whole).build());
      opened.database("fruit").put(new byte[1], new byte[1]);
    }
  }

  @Test
  void indexesAreListedAndDropped() {
    createIndex();
    Cli.Result list = Cli.run("databases", "--db", store);
    assertThat(list.out().lines()).hasSize(2);
    assertThat(list.out()).contains(", unique index byValue by whole");
    assertThat(Cli.run("databases", "--json", "--db", store).out())
        .contains("\"indexes\":[{\"name\":\"byValue\",\"extractor\":\"whole\",\"unique\":true}]");
    Cli.Result put = Cli.run("put", "--db", store, "--database", "fruit", "k", "apple");
    assertThat(put.exitCode()).isNotZero();
    assertThat(put.err()).contains("\"whole\"").contains("is not registered");
    Cli.Result drop = Cli.run("databases", "drop-index", "fruit", "byValue", "--db", store);
    assertThat(drop.exitCode()).as(drop.toString()).isZero();
    assertThat(Cli.run("databases", "--db", store).out()).doesNotContain("byValue");
    assertThat(Cli.run("put", "--db", store, "--database", "fruit", "k", "apple").exitCode())
        .isZero();
    Cli.Result again = Cli.run("databases", "drop-index", "fruit", "byValue", "--db", store);
    assertThat(again.exitCode()).isEqualTo(ExitCodes.UNUSABLE);
    assertThat(again.err()).contains("there is no index");
  }

  @Test
  void aFilterOfAProgramIsNamed() {
    Cli.Result created =
        Cli.run(
            "databases", "create", "rows", "--compaction-filter", "of a program", "--db", store);
    assertThat(created.exitCode()).as(created.toString()).isZero();
    assertThat(Cli.run("databases", "--db", store).out())
        .contains(", compaction filter of a program");
    assertThat(Cli.run("databases", "--json", "--db", store).out())
        .contains("\"ssts\":0,\"compactionFilter\":\"of a program\",");
    Cli.Result both =
        Cli.run(
            "databases",
            "create",
            "sums",
            "--merge-operator",
            "append",
            "--compaction-filter",
            "of a program",
            "--db",
            store);
    assertThat(both.exitCode()).isEqualTo(ExitCodes.USAGE);
    assertThat(both.err()).contains("a database has one of both");
  }

  @Test
  void prefixesAreThoseOfTheDatabase() {
    Cli.Result created =
        Cli.run("databases", "create", "rows", "--filter-prefix", "separator:2f", "--db", store);
    assertThat(created.exitCode()).as(created.toString()).isZero();
    assertThat(Cli.run("databases", "--db", store).out()).contains(", filter prefix separator:2f");
    assertThat(Cli.run("databases", "--json", "--db", store).out())
        .contains("\"ssts\":0,\"filterPrefix\":\"separator:2f\",");
    Cli.Result wrong =
        Cli.run("databases", "create", "others", "--filter-prefix", "/", "--db", store);
    assertThat(wrong.exitCode()).isEqualTo(ExitCodes.USAGE);
    assertThat(wrong.err()).contains("allowed: length:N");
  }

  @Test
  void compressionAndExpiryAreThoseOfTheDatabase() {
    Cli.Result created =
        Cli.run(
            "databases",
            "create",
            "texts",
            "--compression",
            "lz4",
            "--expire-after",
            "P1D",
            "--db",
            store);
    assertThat(created.exitCode()).as(created.toString()).isZero();
    assertThat(Cli.run("databases", "--db", store).out())
        .contains(", expires after PT24H, compression LZ4");
    assertThat(Cli.run("databases", "--json", "--db", store).out())
        .contains("\"expireAfter\":\"PT24H\",\"compression\":\"LZ4\",");
    Cli.Result negative =
        Cli.run("databases", "create", "others", "--expire-after", "-PT1S", "--db", store);
    assertThat(negative.exitCode()).isEqualTo(ExitCodes.USAGE);
    assertThat(negative.err()).contains("allowed: 1 millisecond to 365000 days");
  }

  @Test
  void largeValuesAreApartIfTheDatabaseSaysSo() {
    String[] create = {
      "databases", "create", "pages", "--separate-values-from", "4096", "--db", store
    };
    Cli.Result created = Cli.run(create);
    assertThat(created.exitCode()).as(created.toString()).isZero();
    assertThat(Cli.run("databases", "--db", store).out()).contains(", values apart from 4.0 KiB");
    assertThat(Cli.run("databases", "--json", "--db", store).out())
        .contains("\"separateValuesFrom\":4096}");
    assertThat(Cli.run("databases", "--db", store).out()).containsOnlyOnce("apart");
    Cli.run("databases", "create", "events", "--separate-values-from", "0", "--db", store);
    assertThat(Cli.run("databases", "--db", store).out()).contains(", no values apart");
    create[4] = "-1";
    Cli.Result negative = Cli.run(create);
    assertThat(negative.exitCode()).isEqualTo(ExitCodes.USAGE);
    assertThat(negative.err()).contains("allowed: 0 to 536870912 bytes");
  }

  private Cli.Result merge(String database, String operand) {
    return Cli.run("merge", "--db", store, "--database", database, "--hex", "aa", operand);
  }

  @Test
  void operandsOfAnUnknownOperatorAreKeptAndNamed() {
    Cli.Result created =
        Cli.run("databases", "create", "own", "--merge-operator", "of a program", "--db", store);
    assertThat(created.exitCode()).isZero();
    Cli.Result merged = merge("own", "ff");
    assertThat(merged.exitCode()).isEqualTo(ExitCodes.UNUSABLE);
    assertThat(merged.err()).contains("merge operator \"of a program\" is not registered");
    assertThat(Cli.run("put", "--db", store, "--database", "own", "k", "v").exitCode()).isZero();
    assertThat(Cli.run("stats", "--db", store, "--database", "own").exitCode()).isZero();
    assertThat(Cli.run("export", "--db", store, "--database", "own", "-").out()).contains("v");
    assertThat(Cli.run("check", "--db", store).exitCode()).isZero();
  }

  @Test
  void aDroppedDatabaseIsGone() {
    assertThat(Cli.run("databases", "drop", "fruit", "--db", store).exitCode()).isZero();

    Cli.Result get = Cli.run("get", "--db", store, "--database", "fruit", "k");
    assertThat(get.exitCode()).isEqualTo(ExitCodes.UNUSABLE);
    assertThat(get.err()).contains("fruit", "default").hasLineCount(1);
    assertThat(Cli.run("databases", "drop", "fruit", "--db", store).exitCode())
        .isEqualTo(ExitCodes.UNUSABLE);
  }

  @Test
  void impossibleNamesAreUsageErrors() {
    assertThat(Cli.run("databases", "create", "fruit", "--db", store).exitCode())
        .isEqualTo(ExitCodes.USAGE);
    assertThat(Cli.run("databases", "create", "", "--db", store).exitCode())
        .isEqualTo(ExitCodes.USAGE);
    assertThat(Cli.run("databases", "drop", "default", "--db", store).exitCode())
        .isEqualTo(ExitCodes.USAGE);
    assertThat(Cli.run("databases", "create", "--db", store).exitCode()).isEqualTo(ExitCodes.USAGE);
  }
}
