package io.sifr.spring.boot;

import io.sifr.Store;
import io.sifr.event.Metric;
import io.sifr.event.StoreStatistics;
import org.springframework.boot.health.contributor.AbstractHealthIndicator;
import org.springframework.boot.health.contributor.Health;

/**
 * Up as long as the store is open and has not failed: it is asked to sync its log, which it refuses
 * after a failure. SSTs that cannot be read are a detail only: all other keys are served, and
 * neither a restart nor another machine would help.
 */
final class SifrHealthIndicator extends AbstractHealthIndicator {
  private final Store store;

  SifrHealthIndicator(Store store) {
    super("the store accepts no writes");
    this.store = store;
  }

  @Override
  protected void doHealthCheck(Health.Builder health) {
    health.withDetail("directory", store.directory().toString());
    if (!store.isReadOnly()) {
      store.sync();
    }
    StoreStatistics statistics = store.statistics();
    health
        .up()
        .withDetail("diskBytes", statistics.get(Metric.DISK_BYTES))
        .withDetail("unusableSsts", statistics.get(Metric.UNUSABLE_SSTS));
  }
}
