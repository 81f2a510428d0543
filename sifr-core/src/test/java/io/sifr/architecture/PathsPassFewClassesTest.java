package io.sifr.architecture;

import static java.nio.charset.StandardCharsets.UTF_8;
import static java.util.stream.Collectors.toCollection;
import static org.assertj.core.api.Assertions.assertThat;

import io.sifr.Cursor;
import io.sifr.Database;
import io.sifr.Store;
import io.sifr.config.CompactionPolicy;
import io.sifr.config.StoreOptions;
import java.nio.file.Path;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.BiFunction;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * How many classes a reader of the code opens to follow an operation from its call to its end
 * ({@link PathTrace}). A path gets longer only when a concept is added to it.
 */
class PathsPassFewClassesTest {
  @TempDir Path directory;

  @ParameterizedTest
  @CsvSource({
    "PUT, main, 41",
    "GET, main, 48",
    "STEP, main, 16",
    "FLUSH, sifr-flush, 135",
    "COMPACTION, sifr-compaction, 134"
  })
  void fewClasses(String operation, String thread, int most) throws Exception {
    Class<?> traced =
        Class.forName(
            Operations.class.getName(),
            true,
            new PathTrace.Loader(Set.of(PathsPassFewClassesTest.class.getName())));
    @SuppressWarnings("unchecked")
    BiFunction<String, Path, Void> operations =
        (BiFunction<String, Path, Void>) traced.getDeclaredConstructor().newInstance();
    var unused = operations.apply(operation, directory);
    Set<String> classes =
        PathTrace.passedBy(thread.equals("main") ? Thread.currentThread().getName() : thread)
            .stream()
            .map(PathTrace::outermost)
            .filter(name -> !name.contains("PathsPassFewClassesTest"))
            .collect(toCollection(TreeSet::new));
    System.out.printf("%s passes %d classes%n", operation, classes.size());
    assertThat(classes).hasSizeBetween(most / 2, most);
  }

  /** Loaded with notes, so that the store it opens has them. */
  public static final class Operations implements BiFunction<String, Path, Void> {
    private static byte[] key(int i) {
      return ("key" + (1000 + i)).getBytes(UTF_8);
    }

    private static void fill(Database database) {
      for (int i = 0; i < 200; i++) {
        database.put(key(i), key(i));
      }
    }

    @Override
    public Void apply(String operation, Path directory) {
      StoreOptions options =
          StoreOptions.builder().compaction(CompactionPolicy.splitForest(2)).build();
      try (Store store = Store.open(directory, options)) {
        Database database = store.database();
        fill(database);
        switch (operation) {
          case "PUT" -> {
            PathTrace.begin();
            database.put(key(3), key(4));
          }
          case "GET" -> {
            store.flush();
            for (int i = 0; i < 3; i++) {
              PathTrace.begin(); // the last one counts: what it needs is in memory then
              assertThat(database.get(key(7))).isEqualTo(key(7));
            }
          }
          case "STEP" -> {
            store.flush();
            try (Cursor cursor = database.cursor()) {
              for (int i = 0; i < 20; i++) {
                PathTrace.begin();
                assertThat(cursor.next()).isTrue();
              }
              PathTrace.stop();
            }
          }
          case "FLUSH" -> {
            PathTrace.begin();
            store.flush();
          }
          default -> {
            store.flush();
            fill(database);
            PathTrace.begin();
            store.flush();
            store.awaitIdle();
          }
        }
        PathTrace.stop();
      }
      return null;
    }
  }
}
