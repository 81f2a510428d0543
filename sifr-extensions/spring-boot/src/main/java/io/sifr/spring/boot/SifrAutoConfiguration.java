package io.sifr.spring.boot;

import io.sifr.Store;
import io.sifr.config.StoreOptions;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.boot.context.properties.bind.Binder;
import org.springframework.boot.context.properties.source.InvalidConfigurationPropertyValueException;
import org.springframework.context.annotation.Bean;
import org.springframework.core.env.Environment;

/** The store as a bean, unless the program has one of its own. */
@AutoConfiguration
@EnableConfigurationProperties(SifrProperties.class)
public final class SifrAutoConfiguration {
  private static final String DIRECTORY = "sifr.directory";

  /** Made by Spring. */
  SifrAutoConfiguration() {}

  /** Spring closes it after the beans that it was injected into. */
  @Bean
  @ConditionalOnMissingBean
  Store sifrStore(
      SifrProperties properties,
      Environment environment,
      ObjectProvider<StoreCustomizer> customizers) {
    StoreOptions options = SettingProperties.read(Binder.get(environment));
    Store.Builder builder =
        properties.inMemory() ? Store.inMemory() : Store.builder(path(properties.directory()));
    builder.options(options);
    customizers.orderedStream().forEach(customizer -> customizer.customize(builder));
    return builder.open();
  }

  private static Path path(@Nullable String directory) {
    if (directory == null || directory.isBlank()) {
      throw new InvalidConfigurationPropertyValueException(
          DIRECTORY,
          directory,
          "it names the directory of the store; for one in memory, as in tests, set"
              + " sifr.in-memory=true");
    }
    try {
      return Path.of(directory);
    } catch (InvalidPathException e) {
      throw new InvalidConfigurationPropertyValueException(
          DIRECTORY, directory, String.valueOf(e.getMessage()), e);
    }
  }
}
