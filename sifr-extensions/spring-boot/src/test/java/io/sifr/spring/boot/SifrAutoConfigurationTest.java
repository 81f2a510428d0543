package io.sifr.spring.boot;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.sifr.Store;
import io.sifr.config.Durability;
import io.sifr.config.Setting;
import io.sifr.config.StoreOptions;
import io.sifr.error.StoreLockedException;
import io.sifr.event.StoreListener;
import java.nio.file.Path;
import java.util.Locale;
import java.util.concurrent.atomic.AtomicInteger;
import org.assertj.core.api.InstanceOfAssertFactories;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.springframework.beans.factory.DisposableBean;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.context.properties.bind.Binder;
import org.springframework.boot.context.properties.source.InvalidConfigurationPropertyValueException;
import org.springframework.boot.health.contributor.CompositeHealthContributor;
import org.springframework.boot.health.contributor.Health;
import org.springframework.boot.health.contributor.HealthContributor;
import org.springframework.boot.health.contributor.Status;
import org.springframework.boot.micrometer.metrics.autoconfigure.MetricsAutoConfiguration;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.boot.test.util.TestPropertyValues;
import org.springframework.context.ApplicationContext;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.core.env.StandardEnvironment;

class SifrAutoConfigurationTest {
  private static final byte[] KEY = "key".getBytes(UTF_8);
  private static final byte[] VALUE = "value".getBytes(UTF_8);

  @TempDir private Path directory;

  private final ApplicationContextRunner bare =
      new ApplicationContextRunner()
          .withConfiguration(
              AutoConfigurations.of(
                  SifrAutoConfiguration.class,
                  SifrHealthAutoConfiguration.class,
                  SifrMetricsAutoConfiguration.class));
  private final ApplicationContextRunner inMemory = bare.withPropertyValues("sifr.in-memory=true");

  static Iterable<Setting<?>> settings() {
    return StoreOptions.settings();
  }

  private ApplicationContextRunner onDisk() {
    return bare.withPropertyValues("sifr.directory=" + directory.resolve("store"));
  }

  private static StoreOptions options(ApplicationContext context) {
    return context.getBean(Store.class).options();
  }

  private static InvalidConfigurationPropertyValueException refusal(ApplicationContextRunner run) {
    AtomicInteger runs = new AtomicInteger();
    InvalidConfigurationPropertyValueException[] refusal = {null};
    run.run(
        context -> {
          runs.incrementAndGet();
          assertThat(context).hasFailed();
          assertThat(context.getStartupFailure())
              .hasRootCauseInstanceOf(RuntimeException.class)
              .satisfies(
                  failure -> {
                    Throwable cause = failure;
                    while (cause != null
                        && !(cause instanceof InvalidConfigurationPropertyValueException)) {
                      cause = cause.getCause();
                    }
                    refusal[0] = (InvalidConfigurationPropertyValueException) cause;
                  });
        });
    assertThat(runs).hasValue(1);
    assertThat(refusal[0]).isNotNull();
    return refusal[0];
  }

  @Test
  void whatIsWrittenIsThereInTheNextContext() {
    onDisk().run(context -> context.getBean(Store.class).database().put(KEY, VALUE));
    assertThat(Store.exists(directory.resolve("store"))).isTrue();
    onDisk()
        .run(
            context ->
                assertThat(context.getBean(Store.class).database().get(KEY)).isEqualTo(VALUE));
  }

  @Test
  void aStoreInMemoryTakesNoDirectory() {
    onDisk()
        .withPropertyValues("sifr.in-memory=true")
        .run(
            context -> {
              context.getBean(Store.class).database().put(KEY, VALUE);
              assertThat(context.getBean(Store.class).directory().toString()).contains("in-memory");
            });
    assertThat(directory).isEmptyDirectory();
  }

  @Test
  void withoutDirectoryTheErrorSaysWhatToSet() {
    InvalidConfigurationPropertyValueException refusal = refusal(bare);
    assertThat(refusal.getName()).isEqualTo("sifr.directory");
    assertThat(refusal.getReason()).contains("sifr.in-memory=true");
    assertThat(refusal(bare.withPropertyValues("sifr.directory=a\u0000b")).getName())
        .isEqualTo("sifr.directory");
  }

  /** Spring reads a Path as a resource of the class path, if there is one of that name. */
  @Test
  void aRelativeDirectoryIsNoneOfTheClassPath() {
    assertThat(getClass().getResource("/META-INF/spring")).isNotNull();
    bare.withPropertyValues(
            "sifr.directory=META-INF/spring", "sifr.settings.create-if-missing=false")
        .run(
            context ->
                assertThat(context.getStartupFailure())
                    .rootCause()
                    .hasMessageContaining("META-INF/spring")
                    .hasMessageNotContaining("target"));
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
    // Not all of them suit a store that is made, so they are only read.
    for (String name : new String[] {property, "sifr.settings." + setting.name()}) {
      bare.withPropertyValues(name + "=" + value)
          .withBean(Store.class, () -> Store.inMemory().open())
          .run(context -> assertThat(read(context)).isEqualTo(expected));
    }
    for (String name :
        new String[] {
          property.replace(".", "_").replace("-", ""), property.replaceAll("[-.]", "_")
        }) {
      bare.withInitializer(
              context -> variable(context, name.toUpperCase(Locale.ROOT) + "=" + value))
          .withBean(Store.class, () -> Store.inMemory().open())
          .run(context -> assertThat(read(context)).as(name).isEqualTo(expected));
    }
  }

  private static void variable(ConfigurableApplicationContext context, String definition) {
    // Its name is that of the environment: names in capitals are read in no other.
    TestPropertyValues.of(definition)
        .applyTo(
            context.getEnvironment(),
            TestPropertyValues.Type.SYSTEM_ENVIRONMENT,
            "test-" + StandardEnvironment.SYSTEM_ENVIRONMENT_PROPERTY_SOURCE_NAME);
  }

  private static StoreOptions read(ApplicationContext context) {
    return SettingProperties.read(Binder.get(context.getEnvironment()));
  }

  @Test
  void theEnvironmentOverridesFiles() {
    inMemory
        .withPropertyValues("sifr.settings.writeBufferBytes=1MiB", "sifr.settings.durability=sync")
        .withInitializer(context -> variable(context, "SIFR_SETTINGS_WRITEBUFFERBYTES=2MiB"))
        .run(
            context -> {
              assertThat(options(context).writeBufferBytes()).isEqualTo(2 << 20);
              assertThat(options(context).durability()).isEqualTo(Durability.SYNC);
            });
  }

  @Test
  void wrongSettingsAreNamed() {
    InvalidConfigurationPropertyValueException unknown =
        refusal(inMemory.withPropertyValues("sifr.settings.write-bufer-bytes=1MiB"));
    assertThat(unknown.getName()).isEqualTo("sifr.settings.write-bufer-bytes");
    assertThat(unknown.getReason()).contains("did you mean writeBufferBytes");

    InvalidConfigurationPropertyValueException small =
        refusal(inMemory.withPropertyValues("sifr.settings.write-buffer-bytes=1"));
    assertThat(small.getName()).isEqualTo("sifr.settings.write-buffer-bytes");
    assertThat(small.getReason()).contains("allowed: 4KiB to 1GiB");
  }

  @Test
  void aStoreOfTheProgramTakesItsPlace() {
    bare.withBean("own", Store.class, () -> Store.inMemory().open())
        .run(
            context -> {
              assertThat(context).hasSingleBean(Store.class).hasBean("own");
              assertThat(context).hasSingleBean(HealthContributor.class);
            });
  }

  @Test
  void customizersChangeTheBuilder() {
    AtomicInteger flushes = new AtomicInteger();
    StoreListener listener =
        new StoreListener() {
          @Override
          public void flushed(FlushEvent event) {
            flushes.incrementAndGet();
          }
        };
    inMemory
        .withBean(StoreCustomizer.class, () -> builder -> builder.listener(listener))
        .run(
            context -> {
              context.getBean(Store.class).database().put(KEY, VALUE);
              context.getBean(Store.class).flush();
              assertThat(flushes).hasValue(1);
            });
  }

  /** Says good-bye in the store. */
  record Writer(Store store) implements DisposableBean {
    @Override
    public void destroy() {
      store.database().put(KEY, VALUE);
    }
  }

  @Configuration(proxyBeanMethods = false)
  static class WithWriter {
    @Bean
    Writer writer(Store store) {
      return new Writer(store);
    }
  }

  @Test
  void itIsClosedAfterTheBeansThatUseIt() {
    onDisk()
        .withUserConfiguration(WithWriter.class)
        .run(context -> assertThat(context).hasNotFailed());
    try (Store store = Store.open(directory.resolve("store"))) {
      assertThat(store.database().get(KEY)).isEqualTo(VALUE);
    }
  }

  @Test
  void aDirectoryThatIsInUseIsAnError() {
    try (Store open = Store.open(directory.resolve("store"))) {
      assertThat(open.database().contains(KEY)).isFalse();
      onDisk()
          .run(
              context ->
                  assertThat(context)
                      .getFailure()
                      .hasRootCauseInstanceOf(StoreLockedException.class));
    }
  }

  @Test
  void healthIsUpUntilTheStoreIsClosed() {
    onDisk()
        .run(
            context -> {
              SifrHealthIndicator indicator = context.getBean(SifrHealthIndicator.class);
              Health health = indicator.health();
              assertThat(health.getStatus()).isEqualTo(Status.UP);
              assertThat(health.getDetails())
                  .containsEntry("unusableSsts", 0L)
                  .containsEntry("directory", context.getBean(Store.class).directory().toString());
              assertThat(health.getDetails().get("diskBytes"))
                  .asInstanceOf(InstanceOfAssertFactories.LONG)
                  .isPositive();
              context.getBean(Store.class).close();
              assertThat(indicator.health().getStatus()).isEqualTo(Status.DOWN);
            });
    // Read only, it has no log to sync.
    bare.withBean(Store.class, () -> Store.builder(directory.resolve("store")).openReadOnly())
        .run(
            context ->
                assertThat(context.getBean(SifrHealthIndicator.class).health().getStatus())
                    .isEqualTo(Status.UP));
  }

  @Test
  void severalStoresHaveTheirHealthByName() {
    bare.withBean("left", Store.class, () -> Store.inMemory().open())
        .withBean("right", Store.class, () -> Store.inMemory().open())
        .withBean(SimpleMeterRegistry.class)
        .withConfiguration(AutoConfigurations.of(MetricsAutoConfiguration.class))
        .run(
            context -> {
              CompositeHealthContributor all = context.getBean(CompositeHealthContributor.class);
              assertThat(all.stream().map(entry -> entry.name()))
                  .containsExactlyInAnyOrder("left", "right");
              assertThat(context.getBean(MeterRegistry.class).get("sifr.store.ssts").gauges())
                  .hasSize(2);
            });
  }

  @Test
  void healthCanBeTurnedOff() {
    inMemory
        .withPropertyValues("management.health.sifr.enabled=false")
        .run(context -> assertThat(context).doesNotHaveBean(HealthContributor.class));
  }

  @Test
  void metersGoWithTheirStore() {
    inMemory
        .withBean(SimpleMeterRegistry.class)
        .withConfiguration(AutoConfigurations.of(MetricsAutoConfiguration.class))
        .run(
            context -> {
              MeterRegistry registry = context.getBean(MeterRegistry.class);
              assertThat(registry.get("sifr.store.ssts").gauge().getId().getTag("store"))
                  .isEqualTo(context.getBean(Store.class).directory().toString());
              context.getBean(Store.class).close();
              assertThat(registry.getMeters())
                  .noneMatch(meter -> meter.getId().getName().startsWith("sifr."));
            });
  }

  @Test
  void contextsShareNothingInMemory() {
    inMemory.run(context -> context.getBean(Store.class).database().put(KEY, VALUE));
    inMemory.run(
        context -> assertThat(context.getBean(Store.class).database().contains(KEY)).isFalse());
  }
}
