package io.sifr.bench.store;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sifr.config.Durability;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class LabelsTest {
  /** Scripts and reports know them by these names. */
  @Test
  void storesAreCalledAsEverybodyCallsThem() {
    assertThat(StoreKind.values())
        .extracting(StoreKind::label)
        .containsExactly(
            "sifr",
            "sifr-leveled",
            "sifr-tiered",
            "sifr-lazy",
            "sifr-guarded",
            "rocksdb",
            "rocksdb-universal",
            "leveldb",
            "mvstore",
            "lmdb",
            "xodus");
  }

  @ParameterizedTest
  @EnumSource
  void eachConstantIsFoundByItsLabel(StoreKind kind) {
    assertThat(StoreKind.of(kind.label())).isEqualTo(kind);
  }

  @Test
  void aWrongLabelIsRefusedWithTheRightOnes() {
    assertThatThrownBy(() -> Labels.find(Durability.class, "NONE", "that is NONE"))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage("that is NONE; allowed: none, buffered, sync");
  }
}
