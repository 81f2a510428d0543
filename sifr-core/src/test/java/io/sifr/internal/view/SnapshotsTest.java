package io.sifr.internal.view;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.lang.Thread.State;
import java.util.Arrays;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

class SnapshotsTest {
  private final AtomicLong visible = new AtomicLong(7);
  private Runnable whenRead = () -> {};
  private final Snapshots snapshots =
      new Snapshots(
          () -> {
            whenRead.run();
            return visible.get();
          });

  @Test
  void sequencesAreThoseOfTheOpenHandlesAscendingAndOnce() {
    assertThat(snapshots.sequences()).isEmpty();
    Snapshots.Handle first = snapshots.acquire();
    Snapshots.Handle second = snapshots.acquire();
    visible.set(9);
    Snapshots.Handle third = snapshots.acquire();
    assertThat(first.sequence()).isEqualTo(7);
    assertThat(snapshots.sequences()).containsExactly(7, 9);
    first.close();
    first.close();
    assertThat(snapshots.sequences()).containsExactly(7, 9);
    second.close();
    assertThat(snapshots.sequences()).containsExactly(9);
    third.close();
    assertThat(snapshots.sequences()).isEmpty();
    assertThatThrownBy(third::sequence)
        .isInstanceOf(IllegalStateException.class)
        .hasMessage("the snapshot is closed");
  }

  @Test
  void anOldSequenceCanBeTakenAgainAsLongAsItIsRegistered() {
    Snapshots.Handle snapshot = snapshots.acquire();
    visible.set(20);
    Snapshots.Handle cursor = snapshots.acquireAt(7);
    snapshot.close();
    assertThat(cursor.sequence()).isEqualTo(7);
    assertThat(snapshots.sequences()).containsExactly(7);
    cursor.close();
    assertThatThrownBy(() -> snapshots.acquireAt(7)).isInstanceOf(IllegalStateException.class);
    assertThat(snapshots.sequences()).isEmpty();
  }

  /** Those that do not matter are many: every cursor is one. */
  @Test
  void theReleaseThatIsAwaitedIsToldOnce() {
    AtomicInteger told = new AtomicInteger();
    snapshots.whenReleased(told::incrementAndGet);
    Snapshots.Handle old = snapshots.acquire();
    Snapshots.Handle alike = snapshots.acquire();
    visible.set(9);
    Snapshots.Handle newer = snapshots.acquire();
    assertThat(snapshots.awaitRelease(9, snapshots.sequences())).isTrue();
    newer.close();
    old.close();
    assertThat(told).as("one of two at 7 is closed").hasValue(0);
    alike.close();
    assertThat(told).hasValue(1);
    visible.set(3);
    snapshots.acquire().close();
    assertThat(told).as("nobody waits any more").hasValue(1);
  }

  /** A smaller number that another awaits does not end the wait for a larger one. */
  @Test
  void severalAwaitTheReleaseOfTheLargestNumber() {
    AtomicInteger told = new AtomicInteger();
    snapshots.whenReleased(told::incrementAndGet);
    Snapshots.Handle snapshot = snapshots.acquire();
    assertThat(snapshots.awaitRelease(8, snapshots.sequences())).isTrue();
    assertThat(snapshots.awaitRelease(0, snapshots.sequences())).isTrue();
    snapshot.close();
    assertThat(told).hasValue(1);
  }

  @Test
  void whatWasReleasedMeanwhileIsNotAwaited() {
    Snapshots.Handle snapshot = snapshots.acquire();
    long[] seen = snapshots.sequences();
    snapshot.close();
    assertThat(snapshots.awaitRelease(8, seen)).isFalse();
    assertThat(snapshots.awaitRelease(7, seen)).as("it does not matter").isTrue();
  }

  /**
   * A merge begins, and asks which versions it must keep, just when a snapshot has read its
   * sequence number: it waits until that is registered, or it would drop what the snapshot sees.
   */
  @Test
  @Timeout(60)
  void noCompactionBeginsBetweenReadingTheSequenceAndRegisteringIt() throws InterruptedException {
    Set<State> waitsOrIsDone = EnumSet.of(State.BLOCKED, State.WAITING, State.TERMINATED);
    List<Long> kept = new CopyOnWriteArrayList<>();
    Thread merge =
        new Thread(
            () -> Arrays.stream(snapshots.sequences()).forEach(sequence -> kept.add(sequence)));
    whenRead =
        () -> {
          merge.start();
          while (!waitsOrIsDone.contains(merge.getState())) {
            Thread.onSpinWait();
          }
        };
    try (Snapshots.Handle snapshot = snapshots.acquire()) {
      merge.join();
      assertThat(kept).containsExactly(snapshot.sequence());
    }
  }
}
