package io.sifr.quarkus;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import io.sifr.Store;
import io.sifr.config.Setting;
import io.sifr.config.StoreOptions;
import io.smallrye.config.EnvConfigSource;
import io.smallrye.config.PropertiesConfigSource;
import io.smallrye.config.SmallRyeConfigBuilder;
import java.nio.file.Path;
import java.util.Locale;
import java.util.Map;
import org.eclipse.microprofile.config.Config;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** With the configuration of Quarkus, and without the rest of it. */
class StoreProducerTest {
  @TempDir private Path directory;

  private final StoreProducer producer = new StoreProducer();

  private static Config config(Map<String, String> properties, Map<String, String> variables) {
    return new SmallRyeConfigBuilder()
        .withSources(new PropertiesConfigSource(properties, "properties", 100))
        .withSources(new EnvConfigSource(variables, 300))
        .build();
  }

  private static Config config(Map<String, String> properties) {
    return config(properties, Map.of());
  }

  static Iterable<Setting<?>> settings() {
    return StoreOptions.settings();
  }

  @ParameterizedTest
  @MethodSource("settings")
  void eachSettingIsAProperty(Setting<?> setting) {
    String value =
        setting.type().equals("directory")
            ? directory.resolve("side").toString()
            : setting.allowed().split("[, ]", 2)[0];
    StoreOptions expected = StoreOptions.builder().set(setting.name(), value).build();
    String property = SettingProperties.property(setting);
    String variable = property.replaceAll("[-.]", "_").toUpperCase(Locale.ROOT);

    assertThat(SettingProperties.read(config(Map.of(property, value)))).isEqualTo(expected);
    assertThat(SettingProperties.read(config(Map.of(), Map.of(variable, value))))
        .isEqualTo(expected);
  }

  @Test
  void theEnvironmentOverridesProperties() {
    Config config =
        config(
            Map.of("sifr.settings.write-buffer-bytes", "1MiB"),
            Map.of("SIFR_SETTINGS_WRITE_BUFFER_BYTES", "2MiB"));
    assertThat(SettingProperties.read(config).writeBufferBytes()).isEqualTo(2 << 20);
  }

  private static void assertRefused(String property, String value, String message) {
    assertThatIllegalArgumentException()
        .isThrownBy(() -> SettingProperties.read(config(Map.of(property, value))))
        .withMessageContaining(property)
        .withMessageContaining(message);
  }

  @Test
  void wrongSettingsAreNamed() {
    assertRefused("sifr.settings.write-bufer-bytes", "1MiB", "did you mean writeBufferBytes");
    assertRefused("sifr.settings.write-buffer-bytes", "1", "allowed: 4KiB to 1GiB");
    assertRefused(
        "sifr.settings.writeBufferBytes", "1MiB", "written sifr.settings.write-buffer-bytes");
  }

  @Test
  void aStoreIsInItsDirectoryOrInMemory() {
    Path place = directory.resolve("store");
    Map<String, String> inDirectory = Map.of("sifr.directory", place.toString());
    Store onDisk = producer.open(config(inDirectory));
    producer.close(onDisk);
    assertThat(Store.exists(place)).isTrue();

    Store inMemory =
        producer.open(config(Map.of("sifr.in-memory", "true", "sifr.settings.durability", "sync")));
    assertThat(inMemory.directory().toString()).contains("in-memory");
    assertThat(inMemory.options().durability()).hasToString("SYNC");
    producer.close(inMemory);
  }

  @Test
  void withoutDirectoryTheErrorSaysWhatToSet() {
    assertThatIllegalArgumentException()
        .isThrownBy(() -> producer.open(config(Map.of())))
        .withMessageContaining("sifr.directory is not set")
        .withMessageContaining("sifr.in-memory=true");
    assertThatIllegalArgumentException()
        .isThrownBy(() -> producer.open(config(Map.of("sifr.directory", "a\u0000b"))))
        .withMessageContaining("sifr.directory is no path");
  }
}
