package io.sifr.bench.micro;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.common.collect.Iterables;
import com.google.common.collect.Lists;
import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Collection;
import java.util.List;
import java.util.Set;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.results.RunResult;
import org.openjdk.jmh.runner.Runner;
import org.openjdk.jmh.runner.options.Options;
import org.openjdk.jmh.runner.options.OptionsBuilder;
import org.openjdk.jmh.runner.options.TimeValue;
import org.openjdk.jmh.runner.options.VerboseMode;

@Tag("process")
@Tag("jvm")
class MicroBenchmarksTest {
  private static final String PACKAGE = MicroBenchmarks.class.getPackageName();

  @TempDir private Path scratch;

  private final String usualScratch = System.getProperty("java.io.tmpdir");

  @BeforeEach
  void useOwnScratch() {
    System.setProperty("java.io.tmpdir", scratch.toString());
  }

  @AfterEach
  void useUsualScratch() {
    System.setProperty("java.io.tmpdir", usualScratch);
  }

  @Test
  void everyBenchmarkRunsAndDeletesItsFiles() throws Exception {
    Options options =
        new OptionsBuilder()
            .include(Pattern.quote(PACKAGE))
            .forks(0)
            .warmupIterations(0)
            .measurementIterations(1)
            .measurementTime(TimeValue.milliseconds(10))
            .param("entries", "2000")
            .param("gigabytes", "1")
            .param("trees", "3")
            .shouldFailOnError(true)
            .verbosity(VerboseMode.SILENT)
            .build();

    Collection<RunResult> results = new Runner(options).run();

    Set<String> run =
        results.stream()
            .map(result -> result.getParams().getBenchmark())
            .collect(Collectors.toSet());
    assertThat(run).isEqualTo(benchmarks());
    try (Stream<Path> left = Files.list(scratch)) {
      assertThat(left.map(path -> path.getFileName().toString()))
          .noneMatch(name -> name.startsWith(ScratchDirectory.PREFIX));
    }
  }

  /** The names of all methods that are benchmarks, found without the list JMH goes by. */
  private static Set<String> benchmarks() {
    Set<String> found =
        new ClassFileImporter()
            .importPackages(PACKAGE).stream()
                .filter(javaClass -> javaClass.getPackageName().equals(PACKAGE))
                .map(JavaClass::getMethods)
                .flatMap(Set::stream)
                .filter(method -> method.isAnnotatedWith(Benchmark.class))
                .map(method -> method.getOwner().getName() + "." + method.getName())
                .collect(Collectors.toSet());
    assertThat(found).isNotEmpty();
    return found;
  }

  @Test
  void allocationIsMeasuredAndFailuresEndTheRunUnlessToldOtherwise() {
    assertThat(MicroBenchmarks.withDefaults(List.of("Sst", "-f", "2")))
        .containsExactly("Sst", "-f", "2", "-prof", "gc", "-foe", "true");
    assertThat(MicroBenchmarks.withDefaults(List.of("-foe", "false", "-prof", "stack")))
        .containsExactly("-foe", "false", "-prof", "stack");
  }

  @Test
  void exitCodeTellsHowItWent() {
    assertThat(run("-l", "FenceBenchmark")).isZero();
    assertThat(run("-noSuchOption")).isEqualTo(2);
    assertThat(run("NoSuchBenchmark")).isEqualTo(2);
    assertThat(run("FenceBenchmark")).isZero();
    System.setProperty("java.io.tmpdir", scratch.resolve("missing").toString());
    assertThat(run("SstIterationBenchmark")).isEqualTo(1);
  }

  private static int run(String... arguments) {
    return MicroBenchmarks.run(
        Lists.newArrayList(
            Iterables.concat(
                List.of(arguments),
                List.of("-f", "0", "-wi", "0", "-i", "1", "-r", "10ms", "-p", "gigabytes=1"))));
  }
}
