package io.sifr.internal.view;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.lang.Thread.State;
import java.util.Arrays;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CopyOnWriteArrayList;
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
