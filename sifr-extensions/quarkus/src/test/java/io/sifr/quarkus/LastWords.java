package io.sifr.quarkus;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.quarkus.runtime.ShutdownEvent;
import io.quarkus.runtime.StartupEvent;
import io.sifr.Store;
import jakarta.annotation.PreDestroy;
import jakarta.enterprise.context.ApplicationScoped;
import jakarta.enterprise.event.Observes;
import jakarta.inject.Singleton;

/** Beans that write to the store in the end, as the README says they may. */
final class LastWords {
  private LastWords() {}

  @ApplicationScoped
  static class Scoped {
    private final Store store;

    Scoped(Store store) {
      this.store = store;
    }

    void begin(@Observes StartupEvent event) {
      store.database().delete("scoped".getBytes(UTF_8));
    }

    @PreDestroy
    void end() {
      store.database().put("scoped".getBytes(UTF_8), new byte[0]);
    }
  }

  @Singleton
  static class Single {
    private final Store store;

    Single(Store store) {
      this.store = store;
    }

    void end(@Observes ShutdownEvent event) {
      store.database().put("single".getBytes(UTF_8), new byte[0]);
    }
  }
}
