package io.sifr.infinispan;

import io.sifr.config.StoreOptions;
import org.infinispan.commons.CacheConfigurationException;
import org.infinispan.commons.util.TypedProperties;
import org.infinispan.configuration.cache.AbstractStoreConfiguration;
import org.infinispan.configuration.cache.AbstractStoreConfigurationBuilder;
import org.infinispan.configuration.cache.PersistenceConfigurationBuilder;
import org.infinispan.configuration.global.GlobalConfiguration;
import org.infinispan.persistence.PersistenceUtil;

/**
 * Adds a {@link SifrStore} to the configuration of a cache:
 *
 * <pre>{@code
 * ConfigurationBuilder cache = new ConfigurationBuilder();
 * cache.persistence()
 *     .addStore(SifrStoreConfigurationBuilder.class)
 *     .location("data")
 *     .setting("durability", "sync");
 * }</pre>
 *
 * <p>Not thread-safe.
 */
public final class SifrStoreConfigurationBuilder
    extends AbstractStoreConfigurationBuilder<
        SifrStoreConfiguration, SifrStoreConfigurationBuilder> {

  /** A builder with the default of each attribute; {@code addStore} calls it. */
  public SifrStoreConfigurationBuilder(PersistenceConfigurationBuilder builder) {
    super(builder, SifrStoreConfiguration.attributeSet());
  }

  /**
   * Sets the directory below which the store of each cache has a directory of its own. Required
   * unless the cache manager has a global persistent location; then it lies there, and a relative
   * path is one from there.
   */
  public SifrStoreConfigurationBuilder location(String directory) {
    attributes.attribute(SifrStoreConfiguration.LOCATION).set(directory);
    return self();
  }

  /**
   * Sets a setting of the Sifr store: a property with the name of one of {@link
   * StoreOptions#settings}. Settings of memory and threads count for all stores of the process with
   * the same ones together.
   */
  public SifrStoreConfigurationBuilder setting(String name, String value) {
    return addProperty(name, value);
  }

  /**
   * Checks the attributes.
   *
   * @throws CacheConfigurationException when a property is no setting of a Sifr store, its value is
   *     not allowed, or the store shall be shared by several nodes, which it cannot
   */
  @Override
  public void validate() {
    super.validate();
    TypedProperties properties = attributes.attribute(AbstractStoreConfiguration.PROPERTIES).get();
    SifrStoreConfiguration.options(properties);
    if (attributes.attribute(AbstractStoreConfiguration.SHARED).get()) {
      throw new CacheConfigurationException(
          "A sifr-store cannot be shared: each node has one of its own, in a directory of its own");
    }
  }

  @Override
  public void validate(GlobalConfiguration global) {
    PersistenceUtil.validateGlobalStateStoreLocation(
        global,
        SifrStoreConfiguration.class.getSimpleName(),
        attributes.attribute(SifrStoreConfiguration.LOCATION));
    super.validate(global);
  }

  @Override
  public SifrStoreConfiguration create() {
    return new SifrStoreConfiguration(attributes.protect(), async.create());
  }

  @Override
  public SifrStoreConfigurationBuilder self() {
    return this;
  }
}
