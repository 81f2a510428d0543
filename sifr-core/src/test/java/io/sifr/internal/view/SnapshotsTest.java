package io.sifr.internal.view;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sifr.testing.Waiting;
import java.util.List;
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
    Snapshots.Registration cursor = new Cursor();
    cursor.acquireAt(7);
    snapshot.close();
    assertThat(cursor.sequence()).isEqualTo(7);
    assertThat(snapshots.sequences()).containsExactly(7);
    cursor.close();
    assertThatThrownBy(() -> new Cursor().acquireAt(7))
        .isInstanceOf(IllegalStateException.class)
        .hasMessage("the snapshot is closed");
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
   * sequence number and has not registered it: what it has read since may have replaced all that
   * the snapshot would see at this number.
   */
  @Test
  void aNumberIsTakenOnlyIfItIsTheNewestWhenItIsRegistered() {
    AtomicInteger reads = new AtomicInteger();
    whenRead =
        () -> {
          if (reads.getAndIncrement() == 1) {
            visible.set(8); // between the first time it is read and the second one
          }
        };
    try (Snapshots.Handle snapshot = snapshots.acquire()) {
      assertThat(snapshot.sequence()).isEqualTo(8);
      assertThat(snapshots.sequences()).containsExactly(8);
    }
  }

  /** Who has seen the number meanwhile may wait until it is released. */
  @Test
  void aNumberThatIsNotTakenIsReleased() {
    AtomicInteger told = new AtomicInteger();
    snapshots.whenReleased(told::incrementAndGet);
    AtomicInteger reads = new AtomicInteger();
    whenRead =
        () -> {
          if (reads.getAndIncrement() == 1) {
            assertThat(snapshots.awaitRelease(8, snapshots.sequences())).isTrue();
            visible.set(8);
          }
        };
    try (Snapshots.Handle snapshot = snapshots.acquire()) {
      assertThat(snapshot.sequence()).isEqualTo(8);
      assertThat(told).hasValue(1);
    }
  }

  @Test
  void aNumberIsReplacedByTheNewest() {
    AtomicInteger told = new AtomicInteger();
    snapshots.whenReleased(told::incrementAndGet);
    Snapshots.Registration cursor = new Cursor();
    cursor.acquire();
    assertThat(snapshots.awaitRelease(8, snapshots.sequences())).isTrue();
    cursor.renew();
    assertThat(told).as("nothing newer is there").hasValue(0);
    visible.set(9);
    // Who asks for the numbers meanwhile must not find none of the two.
    whenRead = () -> assertThat(Thread.holdsLock(snapshots)).isTrue();
    cursor.renew();
    assertThat(cursor.sequence()).isEqualTo(9);
    assertThat(snapshots.sequences()).containsExactly(9);
    assertThat(told).hasValue(1);
    cursor.close();
    assertThat(snapshots.sequences()).isEmpty();
  }

  /** More than there are places without a lock, by several threads. */
  @Test
  @Timeout(60)
  void anyNumberCanBeOpenAtOnce() throws InterruptedException {
    List<Snapshots.Handle> handles = new CopyOnWriteArrayList<>();
    Thread[] threads = new Thread[4];
    for (int i = 0; i < threads.length; i++) {
      threads[i] =
          new Thread(
              () -> {
                for (int j = 0; j < 200; j++) {
                  handles.add(snapshots.acquire());
                  snapshots.acquire().close();
                }
              });
      threads[i].start();
    }
    for (Thread thread : threads) {
      thread.join();
    }
    assertThat(handles).hasSize(800);
    assertThat(snapshots.sequences()).containsExactly(7);
    Snapshots.Handle last = handles.remove(handles.size() / 2);
    handles.forEach(Snapshots.Handle::close);
    assertThat(snapshots.sequences()).containsExactly(7);
    last.close();
    assertThat(snapshots.sequences()).isEmpty();
  }

  @Test
  @Timeout(60)
  void aSnapshotThatIsDroppedIsClosedByTheGarbageCollector() {
    for (int i = 0; i < 50; i++) {
      assertThat(snapshots.acquire().sequence()).isEqualTo(7);
    }
    Waiting.until(
        "they are closed",
        () -> {
          System.gc();
          return snapshots.sequences().length == 0;
        });
  }

  /** Registered for this test itself. */
  private final class Cursor extends Snapshots.Registration {
    private Cursor() {
      super(snapshots, SnapshotsTest.this);
    }

    @Override
    protected void release(boolean isLost) {}
  }
}
