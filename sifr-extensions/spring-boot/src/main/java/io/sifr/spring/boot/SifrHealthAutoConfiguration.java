package io.sifr.spring.boot;

import io.sifr.Store;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.health.autoconfigure.contributor.CompositeHealthContributorConfiguration;
import org.springframework.boot.health.autoconfigure.contributor.ConditionalOnEnabledHealthIndicator;
import org.springframework.boot.health.contributor.HealthContributor;
import org.springframework.context.annotation.Bean;

/** The health of all stores, if there is Actuator and {@code management.health.sifr.enabled}. */
@AutoConfiguration(after = SifrAutoConfiguration.class)
@ConditionalOnClass({HealthContributor.class, ConditionalOnEnabledHealthIndicator.class})
@ConditionalOnBean(Store.class)
@ConditionalOnEnabledHealthIndicator("sifr")
public final class SifrHealthAutoConfiguration
    extends CompositeHealthContributorConfiguration<SifrHealthIndicator, Store> {
  /** Made by Spring. */
  SifrHealthAutoConfiguration() {
    super(SifrHealthIndicator::new);
  }

  /** Of one store its indicator, of several all of them by the names of the beans. */
  @Bean
  @ConditionalOnMissingBean(name = {"sifrHealthIndicator", "sifrHealthContributor"})
  HealthContributor sifrHealthContributor(ConfigurableListableBeanFactory beans) {
    return createContributor(beans, Store.class);
  }
}
