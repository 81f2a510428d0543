package io.sifr.web;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

import com.fasterxml.jackson.databind.JsonNode;
import io.sifr.Store;
import io.sifr.web.Views.View;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

@Timeout(value = 2, unit = TimeUnit.MINUTES) // instead of looking for ever
class RefreshedViewsTest {
  private static final Duration LONG = Duration.ofHours(1);
  private static final byte[] KEY = "key".getBytes(UTF_8);

  @TempDir private Path directory;

  private RefreshedViews views(Duration leastAge, Duration mostIdle) {
    return new RefreshedViews(Store.builder(directory), leastAge, mostIdle);
  }

  private static byte[] value(View view) {
    return Objects.requireNonNull(view.store().database().get(KEY));
  }

  @Test
  void itIsOpenedWhileAProgramWritesAndAProgramMayOpenItMeanwhile() throws IOException {
    try (Store writer = Store.open(directory)) {
      writer.database().put(KEY, new byte[] {1});
      try (StoreWindow window = StoreWindow.readOnlyBuilder(Store.builder(directory)).open()) {
        JsonNode told = Http.json(window.address(), "/api/store");
        assertThat(told.get("readOnly").asBoolean()).isTrue();
        assertThat(told.get("refreshed").asBoolean()).isTrue();
        assertThat(told.at("/statistics/lastSequence").asInt()).isEqualTo(1);
        writer.close();
        try (Store next = Store.open(directory)) {
          next.database().put(KEY, new byte[] {2});
          assertThat(Http.json(window.address(), "/api/store").has("since")).isTrue();
        }
      }
    }
  }

  @Test
  void aViewIsKeptForAWhileAndThenReplacedByThePresent() throws InterruptedException {
    try (Store writer = Store.open(directory)) {
      writer.database().put(KEY, new byte[] {1});
      try (RefreshedViews views = views(LONG, LONG)) {
        try (View first = views.acquire()) {
          writer.database().put(KEY, new byte[] {2});
          try (View second = views.acquire()) {
            assertThat(second.store()).isSameAs(first.store());
            assertThat(value(second)).containsExactly(1);
          }
        }
      }
      try (RefreshedViews views = views(Duration.ZERO, LONG)) {
        View first = views.acquire();
        writer.database().put(KEY, new byte[] {3});
        View second = present(views, 3);
        assertThat(second.number()).isGreaterThan(first.number());
        // Who has the old one keeps it, and it is closed with its last user.
        assertThat(value(first)).containsExactly(2);
        first.close();
        assertThatIllegalStateException().isThrownBy(() -> value(first));
        second.close();
      }
    }
  }

  /** Of the time only a part is spent on opening views, so the present may take some looks. */
  private static View present(RefreshedViews views, int value) throws InterruptedException {
    while (true) {
      View view = views.acquire();
      if (value(view)[0] == value) {
        return view;
      }
      view.close();
      Thread.sleep(1);
    }
  }

  @Test
  void itIsClosedWhenNobodyLooksAndOpenedForTheNext() throws InterruptedException {
    try (Store writer = Store.open(directory)) {
      writer.database().put(KEY, new byte[] {1});
      try (RefreshedViews views = views(LONG, Duration.ofMillis(20))) {
        View view = views.acquire();
        Thread.sleep(100);
        assertThat(views.isOpen()).isTrue(); // somebody looks
        view.close();
        while (views.isOpen()) {
          Thread.sleep(5);
        }
        assertThatIllegalStateException().isThrownBy(() -> value(view));
        writer.database().put(KEY, new byte[] {2});
        try (View next = views.acquire()) {
          assertThat(value(next)).containsExactly(2);
        }
      }
    }
  }

  @Test
  void whatIsNoStoreIsToldAtOnce() {
    StoreWindow.Builder builder = StoreWindow.readOnlyBuilder(Store.builder(directory));
    assertThatIllegalArgumentException()
        .isThrownBy(builder::open)
        .withMessageContaining(directory.toString());
  }

  /** The view that there is stays, with the reason. */
  @Test
  void whenThePresentCannotBeSeenTheLastViewIsShown() throws Exception {
    try (Store writer = Store.open(directory)) {
      writer.database().put(KEY, new byte[] {1});
    }
    try (RefreshedViews views = views(Duration.ZERO, LONG)) {
      views.acquire().close();
      Files.move(directory.resolve("CURRENT"), directory.resolve("hidden"));
      View view;
      do {
        view = views.acquire();
        view.close();
        Thread.sleep(1);
      } while (view.problem() == null);
      try (View last = views.acquire()) {
        assertThat(value(last)).containsExactly(1);
        assertThat(last.problem()).startsWith("no later moment can be seen: ");
      }
      Files.move(directory.resolve("hidden"), directory.resolve("CURRENT"));
      do {
        view = views.acquire();
        view.close();
        Thread.sleep(1);
      } while (view.problem() != null);
    }
  }

  @Test
  void aStoreThatIsDeletedWhileNobodyLooksIsSaidToBeMissing() throws InterruptedException {
    Store.open(directory).close();
    try (RefreshedViews views = views(LONG, Duration.ofMillis(1))) {
      views.acquire().close();
      while (views.isOpen()) {
        Thread.sleep(1);
      }
      Store.destroy(directory);
      Answers answers = new Answers(views, null, null);
      assertThatExceptionOfType(RefusedException.class)
          .isThrownBy(() -> answers.answer("store", null))
          .withMessageContaining(directory.toString())
          .extracting(RefusedException::status)
          .isEqualTo(503);
    }
  }

  @Test
  void afterTheCloseThereIsNone() {
    Store.open(directory).close();
    RefreshedViews views = views(LONG, LONG);
    View used = views.acquire();
    views.close();
    assertThatIllegalStateException().isThrownBy(views::acquire);
    assertThat(used.store().database().get(KEY)).isNull();
    used.close();
    assertThatIllegalStateException().isThrownBy(() -> value(used));
    views.close();
  }

  /** Many look at the same time, while the store is written to: all see it, none a closed one. */
  @Test
  void anyNumberMayLook() throws Exception {
    try (Store writer = Store.open(directory)) {
      writer.database().put(KEY, new byte[] {1});
      AtomicBoolean isEnd = new AtomicBoolean();
      ExecutorService threads = Executors.newCachedThreadPool();
      try (RefreshedViews views = views(Duration.ZERO, Duration.ofMillis(1))) {
        List<Future<?>> all = new ArrayList<>();
        for (int i = 0; i < 4; i++) {
          all.add(
              threads.submit(
                  () -> {
                    int last = 0;
                    while (!isEnd.get()) {
                      try (View view = views.acquire()) {
                        byte[] now = value(view);
                        assertThat(now[0] & 0xFF).isGreaterThanOrEqualTo(last);
                        last = now[0] & 0xFF;
                      }
                    }
                    return null;
                  }));
        }
        for (int i = 2; i < 250; i++) {
          writer.database().put(KEY, new byte[] {(byte) i});
          if (i % 50 == 0) {
            writer.flush();
          }
          Thread.sleep(2);
        }
        isEnd.set(true);
        for (Future<?> each : all) {
          each.get();
        }
      } finally {
        isEnd.set(true);
        threads.shutdownNow();
      }
    }
  }
}
