package io.sifr.map;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.common.collect.testing.ConcurrentNavigableMapTestSuiteBuilder;
import com.google.common.collect.testing.TestStringSortedMapGenerator;
import com.google.common.collect.testing.features.CollectionFeature;
import com.google.common.collect.testing.features.CollectionSize;
import com.google.common.collect.testing.features.MapFeature;
import io.sifr.Database;
import io.sifr.Store;
import io.sifr.TestStores;
import io.sifr.config.StoreOptions;
import io.sifr.internal.io.DiskFileSystem;
import io.sifr.testing.NoSyncFileSystem;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.Collections;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.stream.Stream;
import junit.framework.Test;
import junit.framework.TestResult;
import junit.framework.TestSuite;
import org.assertj.core.api.SoftAssertions;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.DynamicContainer;
import org.junit.jupiter.api.DynamicNode;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.TestFactory;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.io.TempDir;

/** The suite for concurrent sorted maps of Guava's library for tests, each case a test. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
@Tag("model")
class SifrMapIsAConcurrentNavigableMapTest {
  /** No case uses more maps at once. */
  private static final int MOST_DATABASES = 16;

  private Store store;
  private final Deque<String> databases = new ArrayDeque<>();
  private int made;

  @BeforeAll
  void open(@TempDir Path directory) {
    store =
        TestStores.open(
            directory, StoreOptions.DEFAULT, new NoSyncFileSystem(new DiskFileSystem()));
  }

  @AfterAll
  void close() {
    store.close();
  }

  private Database emptyDatabase() {
    if (databases.size() == MOST_DATABASES) {
      store.dropDatabase(databases.removeFirst());
    }
    String name = "map" + made++;
    databases.add(name);
    return store.openOrCreateDatabase(name);
  }

  /** Empty maps for each case, with what it wants in them. */
  private final class Maps extends TestStringSortedMapGenerator {
    @Override
    protected SortedMap<String, String> create(Map.Entry<String, String>[] entries) {
      SifrMap<String, String> map =
          SifrMap.over(emptyDatabase(), Codecs.strings(), Codecs.strings());
      for (Map.Entry<String, String> entry : entries) {
        map.put(entry.getKey(), entry.getValue());
      }
      return map;
    }
  }

  @TestFactory
  Stream<DynamicNode> casesOfTheSuite() {
    return nodes(
        ConcurrentNavigableMapTestSuiteBuilder.using(new Maps())
            .named("SifrMap")
            .withFeatures(
                MapFeature.GENERAL_PURPOSE,
                CollectionFeature.SUPPORTS_ITERATOR_REMOVE,
                CollectionFeature.KNOWN_ORDER,
                CollectionSize.ANY)
            .createTestSuite());
  }

  /**
   * One for each class of cases with each size and feature: to tell of each case takes longer than
   * to run it.
   */
  private static Stream<DynamicNode> nodes(TestSuite suite) {
    List<Test> tests = Collections.list(suite.tests());
    Stream<DynamicNode> suites =
        tests.stream()
            .filter(TestSuite.class::isInstance)
            .map(TestSuite.class::cast)
            .map(inner -> DynamicContainer.dynamicContainer(inner.getName(), nodes(inner)));
    List<Test> cases = tests.stream().filter(test -> !(test instanceof TestSuite)).toList();
    return cases.isEmpty()
        ? suites
        : Stream.concat(
            suites, Stream.of(DynamicTest.dynamicTest(cases.size() + " cases", () -> run(cases))));
  }

  private static void run(List<Test> cases) {
    TestResult result = new TestResult();
    cases.forEach(test -> test.run(result));
    assertThat(result.runCount()).isEqualTo(cases.size());
    SoftAssertions.assertSoftly(
        softly ->
            Stream.of(result.failures(), result.errors())
                .flatMap(failures -> Collections.list(failures).stream())
                .forEach(
                    failure ->
                        softly.fail(failure.failedTest().toString(), failure.thrownException())));
  }
}
