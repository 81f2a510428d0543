package io.sifr.races;

import static org.assertj.core.api.Assertions.assertThat;

import io.sifr.internal.compaction.run.MergeProgressRace;
import io.sifr.internal.engine.BatchRace;
import io.sifr.internal.engine.FollowRace;
import io.sifr.internal.sst.read.SstPinRace;
import io.sifr.internal.view.RetireRace;
import io.sifr.internal.view.SnapshotRace;
import io.sifr.internal.view.ViewSwitchRace;
import io.sifr.testing.ChildJvm;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.openjdk.jcstress.Main;

/**
 * The classes that readers and background work share without a lock: tag and file, frontier and
 * reader, switch of the view; and what is read by others while it is written under one: snapshots,
 * batches.
 *
 * <p>Quickly in each build, and with jcstress itself, which lets the compilers reorder what they
 * may, where {@code -Dsifr.races.mode=quick} (or {@code default}, {@code tough}) is given.
 */
@Tag("process")
@Tag("jvm")
class RacesTest {
  private static final int ROUNDS = Integer.getInteger("sifr.races.rounds", 8);
  private static final int LINES_KEPT = 200;

  @ParameterizedTest
  @ValueSource(
      classes = {
        RetireRace.class,
        SstPinRace.class,
        ViewSwitchRace.WithReader.class,
        ViewSwitchRace.WithMerge.class,
        MergeProgressRace.WithPointRead.class,
        MergeProgressRace.WithCursor.class,
        SnapshotRace.class,
        BatchRace.class,
        FollowRace.class,
      })
  void nothingForbiddenHappens(Class<?> race) throws Exception {
    assertThat(new Race(race).forbidden(ROUNDS)).isEmpty();
  }

  @Test
  @EnabledIfSystemProperty(named = "sifr.races.mode", matches = ".+")
  void nothingForbiddenHappensUnderJcstress() {
    String mode = System.getProperty("sifr.races.mode");
    Deque<String> lastLines = new ArrayDeque<>();
    // It gives the JVMs that it starts its own options, and tries all compilers.
    try (ChildJvm child =
        ChildJvm.start(
            List.of(), Main.class, "-m", mode, "-t", "io.sifr", "-r", "target/jcstress")) {
      for (String line = child.nextLine(); line != null; line = child.nextLine()) {
        System.out.println(line);
        lastLines.add(line);
        if (lastLines.size() > LINES_KEPT) {
          lastLines.removeFirst();
        }
      }
    }
    // Said only when all has run.
    assertThat(lastLines).anyMatch(line -> line.contains("HTML report generated"));
    assertThat(String.join("\n", lastLines)).doesNotContain("[FAILED]").doesNotContain("[ERROR]");
  }
}
