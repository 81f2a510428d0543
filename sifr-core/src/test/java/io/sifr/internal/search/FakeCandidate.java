package io.sifr.internal.search;

import io.sifr.internal.entry.EntryKind;
import io.sifr.internal.entry.Lookup;
import io.sifr.internal.entry.Trailer;
import io.sifr.testing.Waiting;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/** A candidate that says what a test wants, when it wants. */
final class FakeCandidate implements Candidate {
  /** What it says. */
  enum Says {
    NO,
    FOUND,
    FAILS
  }

  private final int number;
  private final Says says;
  private final boolean isInMemory;
  private final CountDownLatch gate;
  private final AtomicInteger searches = new AtomicInteger();
  private volatile @Nullable Lookup given;
  private volatile boolean hasSpoken;

  private FakeCandidate(int number, Says says, boolean isInMemory, boolean waits) {
    this.number = number;
    this.says = says;
    this.isInMemory = isInMemory;
    this.gate = new CountDownLatch(waits ? 1 : 0);
  }

  /** On the disk, and answers at once. */
  static FakeCandidate onDisk(int number, Says says) {
    return new FakeCandidate(number, says, false, false);
  }

  static FakeCandidate inMemory(int number, Says says) {
    return new FakeCandidate(number, says, true, false);
  }

  /** On the disk, and answers when it is released. */
  static FakeCandidate waiting(int number, Says says) {
    return new FakeCandidate(number, says, false, true);
  }

  void release() {
    gate.countDown();
  }

  Says says() {
    return says;
  }

  int searches() {
    return searches.get();
  }

  void awaitBegun() {
    Waiting.until("candidate " + number + " is searched", () -> searches.get() > 0);
  }

  void awaitSpoken() {
    Waiting.until("candidate " + number + " has answered", () -> hasSpoken);
  }

  /** Whether the lookup it put its answer into has not been given back. */
  boolean isHeld() {
    Lookup lookup = given;
    if (lookup == null) {
      return false;
    }
    try {
      return lookup.view().isReadOnly();
    } catch (IllegalStateException e) {
      return false;
    }
  }

  /** What a query answers whose winner it is. */
  static String answer(int number) {
    return "candidate " + number;
  }

  @Override
  public boolean isInMemory() {
    return isInMemory;
  }

  @Override
  public boolean search(Lookup into) {
    searches.incrementAndGet();
    boolean interrupted = false;
    while (gate.getCount() > 0) {
      try {
        gate.await();
      } catch (InterruptedException e) {
        interrupted = true; // as a read from the disk does, it goes on
      }
    }
    if (interrupted) {
      Thread.currentThread().interrupt();
    }
    hasSpoken = true;
    switch (says) {
      case FOUND -> {
        given = into;
        into.set(new byte[0], 0, 0, Trailer.of(number + 1, EntryKind.PUT));
      }
      case FAILS -> throw new IllegalArgumentException("candidate " + number + " fails");
      case NO -> {}
    }
    return says == Says.FOUND;
  }

  /** Which candidate a lookup's answer is from. */
  static String winner(boolean found, Lookup lookup) {
    return found ? answer((int) Trailer.sequence(lookup.trailer()) - 1) : "nothing";
  }
}
