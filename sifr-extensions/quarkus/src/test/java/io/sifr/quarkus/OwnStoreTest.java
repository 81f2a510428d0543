package io.sifr.quarkus;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.quarkus.arc.properties.IfBuildProperty;
import io.quarkus.test.junit.QuarkusTest;
import io.quarkus.test.junit.QuarkusTestProfile;
import io.quarkus.test.junit.TestProfile;
import io.sifr.Store;
import jakarta.enterprise.inject.Disposes;
import jakarta.enterprise.inject.Produces;
import jakarta.inject.Inject;
import jakarta.inject.Singleton;
import java.util.Map;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** A store that the program produces itself takes the place of the library's. */
@QuarkusTest
@TestProfile(OwnStoreTest.WithOwn.class)
@Tag("host")
class OwnStoreTest {
  private static final byte[] KEY = "is own".getBytes(UTF_8);

  @Inject Store store;

  /** Programs of other tests have no such bean. */
  public static final class WithOwn implements QuarkusTestProfile {
    @Override
    public Map<String, String> getConfigOverrides() {
      return Map.of("test.own-store", "true");
    }
  }

  @Singleton
  @IfBuildProperty(name = "test.own-store", stringValue = "true")
  static class Own {
    @Produces
    @Singleton
    Store open() {
      Store opened = Store.inMemory().open();
      opened.database().put(KEY, KEY);
      return opened;
    }

    void close(@Disposes Store opened) {
      opened.close();
    }
  }

  @Test
  void itIsInjected() {
    assertThat(store.database().get(KEY)).isEqualTo(KEY);
    assertThat(store.directory().toString()).contains("in-memory");
  }
}
