package io.sifr.behaviour;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sifr.Store;
import io.sifr.event.Metric;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ClosingIsToldTest {
  @TempDir Path directory;

  private final List<String> told = new ArrayList<>();

  @Test
  void onceInOrderAndWhileTheStoreCanBeRead() {
    Store store = SmallStores.open(directory);
    store.database().put(new byte[1], new byte[3]);
    store.whenClosing(() -> told.add("first"));
    store.whenClosing(() -> told.add("read " + store.database().contains(new byte[1])));
    store.whenClosing(() -> told.add(store.statistics().get(Metric.DATABASES) + " database"));
    store.whenClosing(
        () ->
            assertThatThrownBy(() -> store.database().delete(new byte[1]))
                .isInstanceOf(IllegalStateException.class));
    assertThat(told).isEmpty();
    store.close();
    store.close();
    assertThat(told).containsExactly("first", "read true", "1 database");
  }

  @Test
  void whatOneThrowsKeepsNothingFromBeingClosed() {
    Store store = SmallStores.open(directory);
    store.database().put(new byte[1], new byte[3]);
    store.whenClosing(
        () -> {
          throw new ArithmeticException("of the action");
        });
    store.whenClosing(() -> told.add("next"));
    assertThatThrownBy(store::close).isInstanceOf(ArithmeticException.class);
    assertThat(told).containsExactly("next");
    try (Store again = SmallStores.open(directory)) {
      assertThat(again.database().get(new byte[1])).hasSize(3);
    }
  }

  @Test
  void notToThoseWhoComeTooLate() {
    Store store = SmallStores.open(directory);
    store.close();
    assertThatThrownBy(() -> store.whenClosing(() -> {})).isInstanceOf(IllegalStateException.class);
  }
}
