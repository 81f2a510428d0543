package io.sifr.cli.terminal;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class CleanupTest {
  private final Cleanup cleanup = new Cleanup();
  private final List<String> done = new ArrayList<>();

  @Test
  void theNewestIsClosedFirst() {
    cleanup.add(() -> done.add("directory"));
    cleanup.add(() -> done.add("store"));

    cleanup.stop(e -> done.add("failed"));

    assertThat(done).containsExactly("store", "directory");
    assertThat(cleanup.isStopping()).isTrue();
  }

  @Test
  void whatItsOwnerClosedIsNotClosedAgain() {
    Runnable store = () -> done.add("store");
    cleanup.add(store);
    cleanup.remove(store);

    cleanup.stop(e -> done.add("failed"));

    assertThat(done).isEmpty();
  }

  @Test
  void oneFailureDoesNotKeepTheOthersOpen() {
    cleanup.add(() -> done.add("directory"));
    cleanup.add(
        () -> {
          throw new IllegalStateException("full");
        });

    cleanup.stop(e -> done.add(e.getMessage()));

    assertThat(done).containsExactly("full", "directory");
  }

  @Test
  void whatIsOpenedTooLateIsClosedAtOnce() {
    cleanup.stop(e -> done.add("failed"));

    cleanup.add(() -> done.add("late"));

    assertThat(done).containsExactly("late");
  }
}
