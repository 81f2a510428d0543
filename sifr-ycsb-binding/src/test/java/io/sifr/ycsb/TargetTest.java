package io.sifr.ycsb;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.Properties;
import org.junit.jupiter.api.Test;

class TargetTest {
  private static Target target(String... namesAndValues) {
    Properties properties = new Properties();
    for (int i = 0; i < namesAndValues.length; i += 2) {
      properties.setProperty(namesAndValues[i], namesAndValues[i + 1]);
    }
    return Target.of(properties);
  }

  @Test
  void aDirectoryMeansAStore() {
    assertThat(target("sifr.dir", "data", "recordcount", "1"))
        .isInstanceOfSatisfying(
            StoreProperties.class,
            store -> assertThat(store.directory().endsWith("data")).isTrue());
  }

  @Test
  void nodesMeanAClusterAlsoWithTheDirectoryThatIsAlwaysThere() {
    assertThat(target("sifr.dir", "data", "sifr.cluster", " a:1;b:2 ", "recordcount", "1"))
        .isEqualTo(new Target.Cluster("a:1;b:2"))
        .hasToString("sifr.cluster=a:1;b:2");
    assertThatThrownBy(() -> target("sifr.dir", "data", "sifr.cluster", " "))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("sifr.cluster=HOST:PORT");
  }

  @Test
  void settingsOfAStoreAreNotThoseOfACluster() {
    assertThatThrownBy(() -> target("sifr.cluster", "a:1", "sifr.compactionThreads", "2"))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("sifr.compactionThreads")
        .hasMessageContaining("sifr.cluster");
  }
}
