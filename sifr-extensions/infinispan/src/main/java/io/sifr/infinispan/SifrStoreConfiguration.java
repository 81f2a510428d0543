package io.sifr.infinispan;

import io.sifr.config.StoreOptions;
import java.util.Properties;
import java.util.TreeSet;
import org.infinispan.commons.CacheConfigurationException;
import org.infinispan.commons.configuration.BuiltBy;
import org.infinispan.commons.configuration.ConfigurationFor;
import org.infinispan.commons.configuration.attributes.AttributeDefinition;
import org.infinispan.commons.configuration.attributes.AttributeSet;
import org.infinispan.commons.configuration.io.NamingStrategy;
import org.infinispan.configuration.cache.AbstractStoreConfiguration;
import org.infinispan.configuration.cache.AsyncStoreConfiguration;
import org.infinispan.configuration.serializing.SerializedWith;
import org.jspecify.annotations.Nullable;

/**
 * The configuration of a {@link SifrStore}. Its properties are settings of the Sifr store, by the
 * names that {@link StoreOptions#settings} lists. Immutable; safe for any thread.
 */
@BuiltBy(SifrStoreConfigurationBuilder.class)
@ConfigurationFor(SifrStore.class)
@SerializedWith(SifrStoreConfigurationSerializer.class)
public final class SifrStoreConfiguration
    extends AbstractStoreConfiguration<SifrStoreConfiguration> {
  static final AttributeDefinition<String> LOCATION =
      AttributeDefinition.builder("path", null, String.class).immutable().build();

  /** The name of the configuration's XML element. */
  enum Element {
    SIFR_STORE;

    @Override
    public String toString() {
      return NamingStrategy.KEBAB_CASE.convert(name());
    }
  }

  SifrStoreConfiguration(AttributeSet attributes, AsyncStoreConfiguration async) {
    super(Element.SIFR_STORE, attributes, async);
  }

  static AttributeSet attributeSet() {
    return new AttributeSet(
        SifrStoreConfiguration.class,
        AbstractStoreConfiguration.attributeDefinitionSet(),
        LOCATION);
  }

  /**
   * The directory below which the store of each cache has a directory of its own, within the global
   * persistent location if the cache manager has one; {@code null} for that location itself.
   */
  public @Nullable String location() {
    return attributes.attribute(LOCATION).get();
  }

  /**
   * The settings of the Sifr store.
   *
   * @throws CacheConfigurationException when a property is no setting, or its value is not allowed
   */
  public StoreOptions options() {
    return options(properties());
  }

  static StoreOptions options(Properties properties) {
    StoreOptions.Builder builder = StoreOptions.builder();
    for (String name : new TreeSet<>(properties.stringPropertyNames())) {
      try {
        builder.set(name, properties.getProperty(name).strip());
      } catch (IllegalArgumentException e) {
        throw new CacheConfigurationException(
            "The property " + name + " of a sifr-store: " + e.getMessage(), e);
      }
    }
    return builder.build();
  }
}
