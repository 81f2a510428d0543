package io.sifr.spring.boot;

import static java.util.stream.Collectors.joining;
import static org.assertj.core.api.Assertions.assertThat;

import io.micrometer.core.instrument.MeterRegistry;
import io.sifr.Store;
import io.sifr.map.Codecs;
import io.sifr.map.SifrMap;
import java.io.File;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.function.Predicate;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.springframework.boot.SpringApplication;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.health.actuate.endpoint.HealthEndpoint;
import org.springframework.boot.health.contributor.Status;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Configuration;

/** A whole program of Spring Boot, as it is started and started again. */
@Tag("host")
class ProgramTest {
  @TempDir private Path directory;

  /** Prints which beans of Sifr it has. */
  @Configuration(proxyBeanMethods = false)
  @EnableAutoConfiguration
  static class Program {
    public static void main(String[] args) {
      try (ConfigurableApplicationContext context = SpringApplication.run(Program.class, args)) {
        System.out.println("beans: " + beans(context));
      }
    }
  }

  private static List<String> beans(ConfigurableApplicationContext context) {
    return Arrays.stream(context.getBeanDefinitionNames())
        .filter(name -> name.startsWith("sifr") && !name.contains("."))
        .sorted()
        .toList();
  }

  private ConfigurableApplicationContext start() {
    SpringApplication program = new SpringApplication(Program.class);
    program.setRegisterShutdownHook(false);
    return program.run("--sifr.directory=" + directory.resolve("store"));
  }

  /** What the program prints in a JVM of its own, with some of the class path. */
  private String printed(Predicate<String> isThere, String argument) throws Exception {
    String classPath =
        Arrays.stream(System.getProperty("java.class.path").split(File.pathSeparator, -1))
            .filter(isThere)
            .map(entry -> Path.of(entry).toAbsolutePath().toString())
            .collect(joining(File.pathSeparator));
    Path out = directory.resolve("out");
    new ProcessBuilder(
            Path.of(System.getProperty("java.home"), "bin", "java").toString(),
            "-XX:TieredStopAtLevel=1", // it is over before more would be worth its time
            "-XX:+UseSerialGC",
            "-cp",
            classPath,
            Program.class.getName(),
            argument)
        .directory(directory.toFile())
        .redirectErrorStream(true)
        .redirectOutput(out.toFile())
        .start()
        .waitFor();
    return Files.readString(out);
  }

  @Test
  void theStoreIsThereAfterARestart() {
    for (long starts = 1; starts <= 3; starts++) {
      try (ConfigurableApplicationContext context = start()) {
        assertThat(beans(context))
            .containsExactly("sifrHealthContributor", "sifrMetrics", "sifrStore");
        Store store = context.getBean(Store.class);
        SifrMap<String, Long> counts =
            SifrMap.over(store.database(), Codecs.strings(), Codecs.longs());
        assertThat(counts.merge("starts", 1L, Long::sum)).isEqualTo(starts);

        assertThat(context.getBean(HealthEndpoint.class).healthForPath("sifr"))
            .isNotNull()
            .satisfies(health -> assertThat(health.getStatus()).isEqualTo(Status.UP));
        assertThat(context.getBean(MeterRegistry.class).get("sifr.store.ssts").gauges()).hasSize(1);
      }
    }
  }

  @Test
  void aWrongSettingIsReportedWithItsPlace() throws Exception {
    assertThat(printed(entry -> true, "--sifr.settings.durability=always"))
        .contains("APPLICATION FAILED TO START")
        .contains("sifr.settings.durability")
        .contains("commandLineArgs")
        .contains("allowed: NONE, BUFFERED, SYNC");
  }

  @Test
  void neitherActuatorNorMicrometerIsNeeded() throws Exception {
    Predicate<String> ofActuator =
        Pattern.compile("/(spring-boot-(\\w+-)*(actuator|health|micrometer)|micrometer-core)-")
            .asPredicate();
    assertThat(printed(ofActuator.negate(), "--sifr.in-memory=true"))
        .contains("beans: [sifrStore]");
  }
}
