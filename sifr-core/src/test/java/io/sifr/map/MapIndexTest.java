package io.sifr.map;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.sifr.Database;
import io.sifr.Store;
import io.sifr.config.DatabaseOptions;
import io.sifr.error.DuplicateIndexKeyException;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** Entries of a map are found by objects. */
class MapIndexTest {
  private static final MapIndex<Integer, Long, String> BY_LENGTH =
      MapIndex.of(
          "byLength",
          Codecs.integers(),
          Codecs.longs(),
          Codecs.strings(),
          (key, text) -> text.isEmpty() ? List.of() : List.of(text.length()));

  private static Store open() {
    return Store.inMemory().indexExtractor(BY_LENGTH.extractor()).open();
  }

  @Test
  void entriesAreFoundInTheOrderOfTheObjects() {
    try (Store store = open()) {
      DatabaseOptions options =
          DatabaseOptions.builder().index(BY_LENGTH.name(), BY_LENGTH.extractor()).build();
      Database database = store.createDatabase("texts", options);
      SifrMap<Long, String> map = SifrMap.over(database, Codecs.longs(), Codecs.strings());
      map.put(-1L, "four");
      map.put(2L, "three");
      map.put(3L, "");
      map.put(4L, "also");
      map.put(5L, "x".repeat(300));
      assertThat(BY_LENGTH.get(database, 4))
          .isEqualTo(List.of(Map.entry(-1L, "four"), Map.entry(4L, "also")));
      assertThat(BY_LENGTH.get(database, 0)).isEmpty();
      map.replace(4L, "no");
      assertThat(BY_LENGTH.between(database, null, null))
          .extracting(Map.Entry::getKey)
          .containsExactly(4L, -1L, 2L, 5L);
      assertThat(BY_LENGTH.between(database, 4, 300))
          .extracting(Map.Entry::getKey)
          .containsExactly(-1L, 2L);
      assertThat(BY_LENGTH.between(database, 5, null))
          .extracting(Map.Entry::getKey)
          .containsExactly(2L, 5L);
      assertThat(BY_LENGTH.between(database, 9, 1)).isEmpty();
      map.clear();
      assertThat(BY_LENGTH.between(database, null, null)).isEmpty();
      assertThat(BY_LENGTH).hasToString("MapIndex[byLength]");
    }
  }

  @Test
  void itMayBeUnique() {
    try (Store store = open()) {
      DatabaseOptions options =
          DatabaseOptions.builder().uniqueIndex(BY_LENGTH.name(), BY_LENGTH.extractor()).build();
      Database database = store.createDatabase("texts", options);
      SifrMap<Long, String> map = SifrMap.over(database, Codecs.longs(), Codecs.strings());
      map.put(1L, "four");
      assertThatExceptionOfType(DuplicateIndexKeyException.class)
          .isThrownBy(() -> map.put(2L, "also"));
      assertThat(map).hasSize(1);
    }
  }
}
