package io.sifr.internal.background;

import static org.assertj.core.api.Assertions.assertThat;

import io.sifr.config.StoreOptions;
import io.sifr.internal.resources.SharedThreads;
import io.sifr.internal.sst.Sst;
import io.sifr.internal.util.ReadEpochs;
import io.sifr.testing.Waiting;
import io.sifr.testing.WrittenSsts;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.Delayed;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** What was checked is checked again. */
@Timeout(value = 60, unit = TimeUnit.SECONDS)
class BackgroundCheckTest {
  private static final long FAST = 1L << 40;

  @TempDir Path directory;
  private final SharedThreads shared = new SharedThreads(StoreOptions.DEFAULT);
  private final BackgroundThreads threads = new BackgroundThreads(shared);
  private final AtomicInteger rounds = new AtomicInteger();
  private final List<Sst> all = new CopyOnWriteArrayList<>();
  private final Queue<Long> told = new ConcurrentLinkedQueue<>();
  private WrittenSsts ssts;

  @BeforeEach
  void begin() {
    ssts = new WrittenSsts(directory);
    ssts.access().faults().tell((number, why) -> told.add(number));
  }

  @AfterEach
  void end() {
    threads.close();
    shared.close();
    ssts.close();
  }

  private BackgroundCheck check(long roundMillis) {
    return new BackgroundCheck(
        FAST,
        roundMillis,
        threads,
        new ObsoleteFiles(ssts.fileSystem(), directory, new ReadEpochs(), threads),
        () -> {
          rounds.incrementAndGet();
          return List.copyOf(all);
        });
  }

  @Test
  void roundsFollowOneAnotherAndSeeWhatIsNew() throws Exception {
    BackgroundCheck check = check(1);
    check.begin(List.of());
    Waiting.until("some rounds", () -> rounds.get() > 3);
    Sst written = ssts.write("a1 b2");
    all.add(written);
    int before = rounds.get();
    Waiting.until("further rounds", () -> rounds.get() > before + 1);
    assertThat(told).isEmpty();
    Path file = directory.resolve(String.format("%012d.sst", written.number()));
    byte[] content = Files.readAllBytes(file);
    content[100] ^= 1;
    Files.write(file, content, StandardOpenOption.WRITE);
    Waiting.until("damage to be told", () -> !told.isEmpty());
    int then = rounds.get();
    Waiting.until("further rounds", () -> rounds.get() > then + 2);
    assertThat(told).containsExactly(written.number());
    check.stop();
  }

  private boolean isResting() {
    return shared.timer().getQueue().peek() instanceof Delayed next
        && next.getDelay(TimeUnit.HOURS) > 20;
  }

  @Test
  void aRoundIsFollowedByARest() {
    all.add(ssts.write("a1 b2"));
    BackgroundCheck check = check(BackgroundCheck.ROUND_MILLIS);
    check.begin(all);
    Waiting.until("the rest", this::isResting);
    assertThat(rounds).hasValue(1);
    check.pause();
    check.resume();
    assertThat(isResting()).isTrue();
    check.stop();
  }
}
