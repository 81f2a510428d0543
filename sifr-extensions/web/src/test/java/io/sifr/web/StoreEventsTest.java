package io.sifr.web;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.sifr.Store;
import io.sifr.error.CorruptionException;
import io.sifr.event.StoreListener;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Instant;
import org.junit.jupiter.api.Test;

class StoreEventsTest {
  private static JsonNode json(StoreEvents events, int after) throws IOException {
    return new ObjectMapper().readTree(events.json(after));
  }

  @Test
  void flushesAndCompactionsOfAStoreAreShown() throws IOException {
    StoreEvents events = new StoreEvents();
    try (Store store = Store.inMemory().listener(events).open();
        StoreWindow window = StoreWindow.builder(store).events(events).open()) {
      for (int i = 0; i < 2; i++) {
        store.database().put(new byte[] {1}, new byte[] {2});
        store.flush();
      }
      store.database().compact();
      JsonNode told = Http.json(window.address(), "/api/events");
      assertThat(told.get("events").findValuesAsText("kind"))
          .containsSubsequence("flush", "flush", "compaction");
      assertThat(told.at("/events/0/entries").asInt()).isEqualTo(1);
      assertThat(told.at("/events/0/database").asText()).isEqualTo("default");
      int last = told.get("count").asInt();
      assertThat(Http.json(window.address(), "/api/events?after=" + last).get("events")).isEmpty();
      assertThat(Http.json(window.address(), "/api/events?after=" + (last - 1)).get("events"))
          .hasSize(1);
    }
  }

  @Test
  void theLastEventsAreKept() throws IOException {
    StoreEvents events = new StoreEvents();
    for (int i = 1; i <= 1000; i++) {
      events.flushed(
          new StoreListener.FlushEvent("default", i, new StoreListener.Ssts(1, 10), 1_000));
    }
    JsonNode kept = json(events, 0).get("events");
    assertThat(kept).hasSize(200);
    assertThat(kept.get(0).get("number").asInt()).isEqualTo(801);
    assertThat(kept.get(199).get("entries").asInt()).isEqualTo(1000);
  }

  @Test
  void shortStallsAreLeftOut() throws IOException {
    StoreEvents events = new StoreEvents();
    events.stalled(new StoreListener.StallEvent("default", 9_999_999));
    events.stalled(new StoreListener.StallEvent("default", 10_000_000));
    assertThat(json(events, 0).get("events")).hasSize(1);
  }

  @Test
  void aFailureThatComesAgainIsCounted() throws IOException {
    Instant[] now = {Instant.ofEpochMilli(5)};
    StoreEvents events = new StoreEvents(() -> now[0]);
    CorruptionException damage =
        new CorruptionException(Path.of("store", "000000000007.sst"), 4096, "<b>");
    events.failed(new StoreListener.FailureEvent("open", damage));
    now[0] = Instant.ofEpochMilli(9);
    events.failed(new StoreListener.FailureEvent("open", damage));
    events.failed(new StoreListener.FailureEvent("flush", new IllegalStateException()));
    assertThat(events.failures()).isEqualTo(2);
    JsonNode failures = json(events, 0).get("failures");
    assertThat(failures.get(0).get("times").asInt()).isEqualTo(2);
    assertThat(failures.get(0).get("first").asLong()).isEqualTo(5);
    assertThat(failures.get(0).get("last").asLong()).isEqualTo(9);
    assertThat(failures.get(0).get("file").asText()).endsWith("000000000007.sst");
    assertThat(failures.get(1).get("message").asText()).contains("IllegalStateException");
    for (int i = 0; i < 1000; i++) {
      events.failed(new StoreListener.FailureEvent("open", new IOException("number " + i)));
    }
    assertThat(events.failures()).isEqualTo(100);
  }
}
