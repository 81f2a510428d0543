package io.sifr.stress;

import static org.assertj.core.api.Assertions.assertThat;

import io.sifr.config.ReadMode;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Writers, readers, cursors, snapshots and administration at one store that never rests: no wrong
 * answer, nothing leaks.
 *
 * <p>A longer run: {@code -Dsifr.stress.seconds=1800}. It tells of each minute, writes each second
 * to {@code target/stress.csv}, and fails when there was a second without writes or without gets,
 * or when the heap grew. Another seed: {@code -Dsifr.stress.seed=…}; threads do not repeat it. With
 * other ways to read: {@code -Dsifr.stress.reads=DIRECT}, {@code -Dsifr.stress.filters=0}.
 */
@Tag("process")
@Tag("disk")
@Tag("jvm")
class StressTest {
  private static final int SECONDS = Integer.getInteger("sifr.stress.seconds", 4);
  private static final ReadMode READS =
      ReadMode.valueOf(System.getProperty("sifr.stress.reads", "POSITIONAL"));
  private static final int FILTER_BITS = Integer.getInteger("sifr.stress.filters", 10);
  private static final int SECONDS_A_WAY = 1;
  private static final long SEED = Long.getLong("sifr.stress.seed", 1);

  /** From so many seconds on a run says something about speed and memory. */
  private static final int LONG_RUN = 600;

  @TempDir Path temporary;

  @Test
  @Timeout(value = 6, unit = TimeUnit.HOURS)
  void everyAnswerIsRightAndNothingLeaks() throws IOException, InterruptedException {
    Timetable timetable =
        new StressRun(temporary.resolve("store"), SEED, READS, FILTER_BITS).run(SECONDS);

    if (SECONDS >= LONG_RUN) {
      timetable.writeTo(Path.of("target", "stress.csv"));
      System.out.print(timetable.minutes());
      for (String name : List.of("writes", "gets")) {
        System.out.printf("least %s in a second: %d%n", name, timetable.least(name));
        assertThat(timetable.secondsWithout(name)).describedAs(name).isZero();
      }
      assertHeapDoesNotGrow(timetable.heap());
    }
  }

  /** All ways to search are mixed in each. */
  @ParameterizedTest
  @MethodSource
  void withEachWayToReadWithAndWithoutFilters(ReadMode reads, int filterBits)
      throws InterruptedException {
    // It throws what any of them has found to be wrong.
    var unused =
        new StressRun(temporary.resolve("store"), SEED, reads, filterBits).run(SECONDS_A_WAY);
  }

  static Stream<Arguments> withEachWayToReadWithAndWithoutFilters() {
    return Arrays.stream(ReadMode.values())
        .flatMap(reads -> Stream.of(10, 0).map(filterBits -> Arguments.of(reads, filterBits)));
  }

  /** The second half needs no more than the first one did, some noise aside. */
  private static void assertHeapDoesNotGrow(List<Long> heap) {
    int half = heap.size() / 2;
    long first = heap.subList(0, half).stream().mapToLong(kib -> kib).max().orElse(0);
    long second = heap.subList(half, heap.size()).stream().mapToLong(kib -> kib).max().orElse(0);
    assertThat(second).describedAs("heap in use, KiB: %s", heap).isLessThan(first * 5 / 4);
  }
}
