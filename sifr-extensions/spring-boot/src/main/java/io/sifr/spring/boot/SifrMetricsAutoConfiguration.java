package io.sifr.spring.boot;

import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.binder.MeterBinder;
import io.sifr.Store;
import io.sifr.micrometer.SifrMetrics;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.context.annotation.Bean;

/** Statistics of all stores as meters, if there is Micrometer. */
@AutoConfiguration(after = SifrAutoConfiguration.class)
@ConditionalOnClass(MeterRegistry.class)
@ConditionalOnBean(Store.class)
public final class SifrMetricsAutoConfiguration {
  /** Made by Spring. */
  SifrMetricsAutoConfiguration() {}

  /** Actuator binds it to each registry; the meters go when their store is closed. */
  @Bean
  @ConditionalOnMissingBean(name = "sifrMetrics")
  MeterBinder sifrMetrics(ObjectProvider<Store> stores) {
    return registry -> stores.stream().forEach(store -> SifrMetrics.bind(store, registry));
  }
}
