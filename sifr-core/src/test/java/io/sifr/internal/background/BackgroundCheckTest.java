package io.sifr.internal.background;

import static org.assertj.core.api.Assertions.assertThat;

import io.sifr.config.StoreOptions;
import io.sifr.internal.resources.SharedThreads;
import io.sifr.internal.sst.inspect.SstScrub;
import io.sifr.internal.sst.read.Sst;
import io.sifr.internal.view.ReadEpochs;
import io.sifr.testing.Waiting;
import io.sifr.testing.WrittenSsts;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CopyOnWriteArrayList;
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
          return all.stream().map(sst -> new SstScrub(sst, true)).toList();
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
    damage(written);
    Waiting.until("damage to be told", () -> !told.isEmpty());
    int then = rounds.get();
    Waiting.until("further rounds", () -> rounds.get() > then + 2);
    assertThat(told).containsExactly(written.number());
    check.stop();
  }

  @Test
  void anSstThatCannotBeReadDoesNotKeepOthersFromBeingChecked() throws Exception {
    Sst missing = ssts.write("a1 b2");
    Sst damaged = ssts.write("c3 d4");
    all.addAll(List.of(missing, damaged));
    Files.delete(file(missing));
    damage(damaged);
    BackgroundCheck check = check(1);
    check.begin(all);
    Waiting.until("both to be told", () -> told.contains(damaged.number()));
    int then = rounds.get();
    Waiting.until("further rounds", () -> rounds.get() > then + 2);
    assertThat(told).contains(missing.number());
    check.stop();
  }

  private Path file(Sst sst) {
    return directory.resolve(String.format("%012d.sst", sst.number()));
  }

  private void damage(Sst sst) throws IOException {
    byte[] content = Files.readAllBytes(file(sst));
    content[100] ^= 1;
    Files.write(file(sst), content, StandardOpenOption.WRITE);
  }

  private static boolean isResting(BackgroundCheck check) {
    return check.untilRound() > TimeUnit.HOURS.toMillis(20);
  }

  @Test
  void aRoundIsFollowedByARest() {
    all.add(ssts.write("a1 b2"));
    BackgroundCheck check = check(BackgroundCheck.ROUND_MILLIS);
    check.begin(all);
    Waiting.until("the rest", () -> isResting(check));
    assertThat(rounds).hasValue(1);
    check.pause();
    check.resume();
    assertThat(isResting(check)).isTrue();
    check.stop();
  }
}
