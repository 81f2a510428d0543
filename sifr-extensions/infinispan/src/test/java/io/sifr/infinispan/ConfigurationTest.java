package io.sifr.infinispan;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sifr.Store;
import io.sifr.config.Compression;
import io.sifr.config.Durability;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Objects;
import org.infinispan.Cache;
import org.infinispan.commons.CacheConfigurationException;
import org.infinispan.commons.dataconversion.MediaType;
import org.infinispan.configuration.cache.CacheMode;
import org.infinispan.configuration.cache.Configuration;
import org.infinispan.configuration.cache.ConfigurationBuilder;
import org.infinispan.configuration.parsing.ConfigurationBuilderHolder;
import org.infinispan.configuration.parsing.ParserRegistry;
import org.infinispan.manager.DefaultCacheManager;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What is configured counts, however it was said, and what is wrong is refused. */
class ConfigurationTest {
  private static final String XML =
      """
      <infinispan>
        <cache-container>
          <local-cache name="orders">
            <persistence>
              <sifr-store xmlns="urn:infinispan:config:store:sifr:16.0" path="DATA" preload="true">
                <property name="durability">sync</property>
                <property name="compression">LZ4</property>
              </sifr-store>
            </persistence>
          </local-cache>
        </cache-container>
      </infinispan>
      """;

  @TempDir Path directory;

  private SifrStoreConfiguration parsed(String text, MediaType type) {
    ConfigurationBuilderHolder holder = new ParserRegistry().parse(text, type);
    return only(
        Objects.requireNonNull(holder.getNamedConfigurationBuilders().get("orders")).build());
  }

  private static SifrStoreConfiguration only(Configuration cache) {
    assertThat(cache.persistence().stores()).hasSize(1);
    return (SifrStoreConfiguration) cache.persistence().stores().get(0);
  }

  private SifrStoreConfigurationBuilder builder() {
    return new ConfigurationBuilder()
        .persistence()
        .addStore(SifrStoreConfigurationBuilder.class)
        .location(directory.toString());
  }

  private static void check(SifrStoreConfiguration configuration) {
    assertThat(configuration.location()).isEqualTo("DATA");
    assertThat(configuration.preload()).isTrue();
    assertThat(configuration.segmented()).isTrue();
    assertThat(configuration.options().durability()).isEqualTo(Durability.SYNC);
    assertThat(configuration.options().compression()).isEqualTo(Compression.LZ4);
  }

  @Test
  void aStoreIsConfiguredInXml() {
    check(parsed(XML, MediaType.APPLICATION_XML));
  }

  @Test
  void whatIsWrittenIsReadAgain() {
    Configuration cache =
        new ConfigurationBuilder()
            .persistence()
            .addStore(SifrStoreConfigurationBuilder.class)
            .location("DATA")
            .preload(true)
            .setting("durability", "sync")
            .setting("compression", "LZ4")
            .build();
    check(only(cache));
    for (MediaType type :
        new MediaType[] {
          MediaType.APPLICATION_XML, MediaType.APPLICATION_JSON, MediaType.APPLICATION_YAML
        }) {
      String text = cache.toStringConfiguration("orders", type, true);
      check(parsed(text, type));
    }
  }

  @Test
  void wrongSettingsAreRefused() {
    assertThatThrownBy(() -> builder().setting("compresion", "LZ4").build())
        .isInstanceOf(CacheConfigurationException.class)
        .hasMessageContaining("compresion");
    assertThatThrownBy(() -> builder().setting("compactionThreads", "many").build())
        .isInstanceOf(CacheConfigurationException.class)
        .hasMessageContaining("compactionThreads")
        .hasMessageContaining("many");
    String wrong = XML.replace("durability", "durable");
    assertThatThrownBy(() -> parsed(wrong, MediaType.APPLICATION_XML))
        .isInstanceOf(CacheConfigurationException.class)
        .hasMessageContaining("durable");
    assertThatThrownBy(() -> parsed(XML.replace("preload", "preloaded"), MediaType.APPLICATION_XML))
        .isInstanceOf(CacheConfigurationException.class)
        .hasMessageContaining("preloaded");
  }

  @Test
  void aStoreIsNotSharedByNodes() {
    ConfigurationBuilder cache = new ConfigurationBuilder();
    cache.clustering().cacheMode(CacheMode.DIST_SYNC);
    cache
        .persistence()
        .addStore(SifrStoreConfigurationBuilder.class)
        .location(directory.toString())
        .shared(true);
    assertThatThrownBy(cache::build)
        .isInstanceOf(CacheConfigurationException.class)
        .hasMessageContaining("of its own");
  }

  @Test
  void withoutADirectoryThereIsNoStore() throws IOException {
    Configuration cache =
        new ConfigurationBuilder()
            .persistence()
            .addStore(SifrStoreConfigurationBuilder.class)
            .build();
    try (DefaultCacheManager manager = new DefaultCacheManager()) {
      assertThatThrownBy(() -> manager.createCache("orders", cache))
          .isInstanceOf(CacheConfigurationException.class)
          .hasMessageContaining("path");
    }
  }

  @Test
  void entriesOutliveTheirCacheManager() throws Exception {
    try (DefaultCacheManager manager = new DefaultCacheManager()) {
      Cache<String, byte[]> cache = manager.createCache("orders", builder().build());
      cache.put("key", "value".getBytes(StandardCharsets.UTF_8));
    }
    Path own = directory.resolve("orders").resolve("sifr");
    assertThat(Store.exists(own)).isTrue();
    try (DefaultCacheManager manager = new DefaultCacheManager()) {
      Cache<String, byte[]> cache = manager.createCache("orders", builder().build());
      assertThat(cache.get("key")).asString(StandardCharsets.UTF_8).isEqualTo("value");
      assertThat(cache.size()).isEqualTo(1);
    }
    assertThat(Store.exists(own)).isTrue();
  }
}
