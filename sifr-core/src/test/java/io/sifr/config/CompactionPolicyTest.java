package io.sifr.config;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;

class CompactionPolicyTest {
  static Stream<CompactionPolicy> some() {
    return Stream.of(
        CompactionPolicy.splitForest(),
        CompactionPolicy.splitForest(9),
        CompactionPolicy.splitForest(9, true),
        CompactionPolicy.sizeTiered(5, true),
        CompactionPolicy.lazilyLeveled(6),
        CompactionPolicy.leveled(),
        CompactionPolicy.leveled(1 << 20, 8),
        CompactionPolicy.leveled(2, 4097, 8),
        CompactionPolicy.guarded(7, 1),
        CompactionPolicy.fifo(1L << 40),
        CompactionPolicy.fifo(1 << 20, Duration.ofDays(3)),
        CompactionPolicy.fifo(1 << 20, Duration.ofSeconds(3 * 86_400 + 1)));
  }

  @ParameterizedTest
  @MethodSource("some")
  void aTextIsReadBack(CompactionPolicy policy) {
    assertThat(CompactionPolicy.parse(policy.toString()))
        .isEqualTo(policy)
        .hasSameHashCodeAs(policy);
    StoreOptions options = StoreOptions.builder().compaction(policy).build();
    assertThat(StoreOptions.builder().set("compaction", policy.toString()).build())
        .isEqualTo(options);
    assertThat(some().filter(policy::equals)).hasSize(1);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = ';',
      value = {
        "splitForest:growthFactor=4,lazy=false; splitForest",
        "LEVELED; leveled",
        "leveled:firstLevel=10MB,factor=8; leveled:firstLevel=10MiB,factor=8",
        "' leveled : factor = 8 '; leveled:factor=8",
        "lazilyleveled:growthFactor=2; lazilyLeveled:growthFactor=2",
        "guarded:guardTrees=3; guarded:guardTrees=3",
        "sizeTiered:lazy=TRUE; sizeTiered:lazy=true",
        "fifo:age=0; fifo",
        "fifo:age=90s,size=2GiB; fifo:size=2GiB,age=90s",
        "fifo:age=168H; fifo:age=7d",
        "fifo:age=3600s; fifo:age=1h",
        "fifo:age=3650d; fifo:age=3650d",
      })
  void whatHasItsDefaultIsLeftOut(String text, String policy) {
    assertThat(CompactionPolicy.parse(text)).hasToString(policy);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "leveld | there is no compaction policy leveld; did you mean leveled?",
        "best | there is no compaction policy best; known: splitForest, sizeTiered, lazilyLeveled,",
        "'' | there is no compaction policy ; known: splitForest",
        "leveled: | leveled has no parameter ''; write name=value, names are trees, firstLevel,",
        "leveled:8 | leveled has no parameter '8'; write name=value, names are trees,",
        "leveled:factor=8, | leveled has no parameter ''; write name=value",
        "leveled:facto=8 | leveled has no parameter facto; did you mean factor?",
        "leveled:growthFactor=8 | leveled has no parameter growthFactor; known: trees, fir",
        "leveled:factor=65 | factor is 65; allowed: 2 to 64",
        "leveled:factor=8=9 | factor is 8=9; allowed: 2 to 64",
        "leveled:firstLevel=1KiB | firstLevel is 1KiB; allowed: 4KiB to 1TiB",
        "fifo:age=3651d | age is 3651d; allowed: 1s to 3650d, 0",
        "fifo:age=90 | age is 90; allowed: 1s to 3650d, 0",
        "fifo:age=-1s | age is -1s; allowed: 1s to 3650d, 0",
        "fifo:age=0s1 | age is 0s1; allowed: 1s to 3650d, 0",
        "fifo:age=9999999999d | age is 9999999999d; allowed: 1s to 3650d, 0",
        "splitForest:lazy=1 | lazy is 1; allowed: true, false",
      })
  void whatIsWrongIsNamedAndWhatIsAllowed(String text, String message) {
    assertThatThrownBy(() -> CompactionPolicy.parse(text))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageStartingWith(message);
  }

  @Test
  void aSettingNamesItselfToo() {
    assertThatThrownBy(() -> StoreOptions.builder().set("compaction", "fifo:size=1"))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage("compaction is fifo:size=1; size is 1; allowed: 4KiB to 1TiB");
    assertThatThrownBy(() -> StoreOptions.builder().set("compaction", "fofi"))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage(
            "compaction is fofi; allowed: splitForest, sizeTiered, lazilyLeveled, leveled, guarded,"
                + " fifo");
    assertThatThrownBy(() -> CompactionPolicy.leveled(1, 1 << 20, 10))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage("trees is 1; allowed: 2 to 64");
    for (Duration wrong :
        List.of(
            Duration.ZERO, Duration.ofMillis(999), Duration.ofDays(3651), Duration.ofDays(-1))) {
      assertThatThrownBy(() -> CompactionPolicy.fifo(1 << 20, wrong))
          .isInstanceOf(IllegalArgumentException.class)
          .hasMessageStartingWith("age is ")
          .hasMessageContaining("; allowed: 1s to 3650d");
    }
  }

  @ParameterizedTest
  @EnumSource
  void eachParameterHasARangeADefaultAndAMeaning(CompactionPolicy.Kind kind) {
    assertThat(kind.meaning()).matches("[A-Z][^.|]*\\.");
    CompactionPolicy policy = CompactionPolicy.of(kind);
    assertThat(kind.parameters()).isNotEmpty();
    for (Setting<?> parameter : kind.parameters()) {
      assertThat(parameter.meaning()).matches("[A-Z][^.|]*\\.");
      assertThat(parameter.allowed()).isNotEmpty();
      assertThat(policy.with(parameter.name(), parameter.defaultValue())).isEqualTo(policy);
    }
  }

  @Test
  void aValueHasTheTypeOfItsParameter() {
    CompactionPolicy policy = CompactionPolicy.splitForest(8, true);
    assertThat(policy.number("growthFactor")).isEqualTo(8);
    assertThat(policy.flag("lazy")).isTrue();
    for (String wrong : List.of("lazy", "size")) {
      assertThatThrownBy(() -> policy.number(wrong)).isInstanceOf(IllegalArgumentException.class);
    }
    assertThatThrownBy(() -> policy.flag("growthFactor"))
        .isInstanceOf(IllegalArgumentException.class);
  }
}
