package io.sifr.internal.search;

import static io.sifr.internal.search.FakeCandidate.Says.FAILS;
import static io.sifr.internal.search.FakeCandidate.Says.FOUND;
import static io.sifr.internal.search.FakeCandidate.Says.NO;
import static org.assertj.core.api.Assertions.assertThat;

import io.sifr.config.SearchScheme;
import io.sifr.event.Metric;
import io.sifr.internal.entry.Lookup;
import io.sifr.internal.resources.SearchThreads;
import io.sifr.internal.search.FakeCandidate.Says;
import io.sifr.internal.view.ReadEpochs;
import io.sifr.testing.Waiting;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * I8: whatever is searched at once, and whoever answers first, a query has the answer of a serial
 * one. Candidates answer when the test lets them; nothing depends on how long anything takes.
 */
@Timeout(value = 120, unit = TimeUnit.SECONDS)
class QueryTest {
  private final ReadEpochs epochs = new ReadEpochs();
  private final SearchThreads threads = new SearchThreads(8);
  private final Searchers searchers = new Searchers(threads, epochs);

  @AfterEach
  void end() {
    threads.close();
  }

  /** What a serial search of the same candidates says. */
  private static String serial(List<FakeCandidate> candidates) {
    for (int i = 0; i < candidates.size(); i++) {
      switch (candidates.get(i).says()) {
        case FOUND -> {
          return FakeCandidate.answer(i);
        }
        case FAILS -> {
          return "candidate " + i + " fails";
        }
        case NO -> {}
      }
    }
    return "nothing";
  }

  /** A query in a thread of its own. */
  private final class Asking {
    private final AtomicReference<String> answer = new AtomicReference<>();
    private final AtomicBoolean wasInterrupted = new AtomicBoolean();
    private final Lookup lookup = new Lookup();
    private final Thread thread;

    Asking(SearchScheme scheme, double share, List<FakeCandidate> candidates, int[] stages) {
      CandidateList gathered = new CandidateList();
      for (int i = 0; i < candidates.size(); i++) {
        gathered.add(candidates.get(i), stages[i], 1 << Math.min(stages[i], 20));
      }
      thread =
          new Thread(
              () -> {
                int ticket = epochs.enter();
                try {
                  boolean found = gathered.find(scheme, share, searchers, ticket, lookup);
                  answer.set(FakeCandidate.winner(found, lookup));
                } catch (Throwable e) {
                  answer.set(e.getMessage());
                } finally {
                  epochs.exit(ticket);
                  wasInterrupted.set(Thread.currentThread().isInterrupted());
                }
              });
      thread.start();
    }

    /** Until it has ended, or waits for somebody else. */
    void awaitRest() {
      Waiting.until(
          "the caller waits",
          () -> {
            Thread.State state = thread.getState();
            return state == Thread.State.WAITING || state == Thread.State.TERMINATED;
          });
    }

    @Nullable String answer() {
      Waiting.until("the query ends", () -> thread.getState() == Thread.State.TERMINATED);
      return answer.get();
    }
  }

  private Asking ask(SearchScheme scheme, FakeCandidate... candidates) {
    int[] stages = new int[candidates.length];
    Arrays.fill(stages, 1);
    return new Asking(scheme, 1, List.of(candidates), stages);
  }

  private void awaitNoThreadInside() {
    epochs.drain();
    Waiting.until("all searchers are idle", () -> searchers.idle() == searchers.count());
  }

  /**
   * The caller has searched the first candidate and found the key in the third, while a searcher is
   * still at the second: the answer has to wait for it, whatever it will be.
   */
  @ParameterizedTest
  @EnumSource
  void whatIsFoundBelowWaitsForAllAbove(Says says) {
    FakeCandidate first = FakeCandidate.waiting(0, NO);
    FakeCandidate second = FakeCandidate.waiting(1, says);
    FakeCandidate third = FakeCandidate.onDisk(2, FOUND);
    FakeCandidate fourth = FakeCandidate.onDisk(3, FAILS);
    Asking asking = ask(SearchScheme.FIXED_COUNT, first, second, third, fourth);
    first.awaitBegun();
    second.awaitBegun();
    first.release();
    third.awaitSpoken();
    asking.awaitRest();
    second.release();
    assertThat(asking.answer()).isEqualTo(serial(List.of(first, second, third, fourth)));
    awaitNoThreadInside();
    assertThat(third.isHeld()).isFalse();
  }

  @Test
  void aFailureBelowTheWinnerIsIgnored() {
    FakeCandidate first = FakeCandidate.waiting(0, FOUND);
    FakeCandidate second = FakeCandidate.onDisk(1, FAILS);
    Asking asking = ask(SearchScheme.FIXED_COUNT, first, second);
    second.awaitSpoken();
    first.release();
    assertThat(asking.answer()).isEqualTo("candidate 0");
  }

  @Test
  void ofTwoFailuresTheUpperIsThrown() {
    FakeCandidate first = FakeCandidate.waiting(0, FAILS);
    FakeCandidate second = FakeCandidate.onDisk(1, FAILS);
    Asking asking = ask(SearchScheme.FIXED_COUNT, first, second);
    second.awaitSpoken();
    first.release();
    assertThat(asking.answer()).isEqualTo("candidate 0 fails");
  }

  /**
   * The caller has his answer while a searcher is still reading below it. What that searcher reads
   * must stay until he is done, and what he finds is given back.
   */
  @Test
  void aSearcherThatIsLateIsInsideTheEpochAndGivesBackWhatItFinds() {
    FakeCandidate first = FakeCandidate.waiting(0, FOUND);
    FakeCandidate second = FakeCandidate.waiting(1, FOUND);
    Asking asking = ask(SearchScheme.FIXED_COUNT, first, second);
    second.awaitBegun();
    AtomicBoolean disposed = new AtomicBoolean();
    epochs.retire(() -> disposed.set(true)); // the generation turns, and the caller is waited for
    first.release();
    assertThat(asking.answer()).isEqualTo("candidate 0");
    assertThat(epochs.tryDrain()).isFalse();
    assertThat(disposed).isFalse();
    assertThat(searchers.idle()).isEqualTo(searchers.count() - 1);
    second.release();
    awaitNoThreadInside();
    assertThat(disposed).isTrue();
    assertThat(second.isHeld()).isFalse();
    assertThat(searchers.counters().get(Metric.USELESS_READS)).isEqualTo(1);
    asking.lookup.release();
    assertThat(first.isHeld()).isFalse();
  }

  @Test
  void anInterruptOfTheCallerEndsNothingAndIsKept() {
    FakeCandidate first = FakeCandidate.waiting(0, NO);
    FakeCandidate second = FakeCandidate.waiting(1, FOUND);
    Asking asking = ask(SearchScheme.FIXED_COUNT, first, second);
    second.awaitBegun();
    first.release();
    first.awaitSpoken();
    asking.awaitRest();
    asking.thread.interrupt();
    Waiting.until("the caller takes note", () -> !asking.thread.isInterrupted());
    asking.awaitRest();
    second.release();
    assertThat(asking.answer()).isEqualTo("candidate 1");
    assertThat(asking.wasInterrupted).isTrue();
  }

  @Test
  void oneCandidateIsSearchedByTheCaller() {
    FakeCandidate only = FakeCandidate.onDisk(0, FOUND);
    assertThat(ask(SearchScheme.FIXED_COUNT, only).answer()).isEqualTo("candidate 0");
    assertThat(searchers.counters().get(Metric.HAND_OFFS)).isZero();
    assertThat(searchers.counters().get(Metric.SEARCHED_SSTS)).isEqualTo(1);
  }

  /** Nobody else is ever called, so what is below the winner is not even begun. */
  @Test
  void serialMeetsNothingBelowTheWinner() {
    FakeCandidate third = FakeCandidate.onDisk(2, FAILS);
    Asking asking =
        ask(
            SearchScheme.SERIAL,
            FakeCandidate.onDisk(0, NO),
            FakeCandidate.onDisk(1, FOUND),
            third);
    assertThat(asking.answer()).isEqualTo("candidate 1");
    assertThat(third.searches()).isZero();
    assertThat(searchers.counters().get(Metric.HAND_OFFS)).isZero();
    assertThat(searchers.counters().get(Metric.USELESS_READS)).isZero();
  }

  /** While a searcher is at a candidate that is needed, nothing below a hit is begun any more. */
  @Test
  void nothingBelowAHitIsBegun() {
    FakeCandidate first = FakeCandidate.waiting(0, NO);
    FakeCandidate second = FakeCandidate.waiting(1, FOUND);
    FakeCandidate third = FakeCandidate.onDisk(2, FOUND);
    try (SearchThreads thread = new SearchThreads(1)) {
      Searchers one = new Searchers(thread, epochs);
      Query query = new Query(List.of(first, second, third), SearchPlan.ALL, one, epochs.enter());
      Thread helper =
          new Thread(
              () -> {
                first.awaitBegun();
                second.release();
                second.awaitSpoken();
                Waiting.until("the searcher has left", () -> one.idle() == 1);
                first.release();
              });
      helper.start();
      Lookup lookup = new Lookup();
      assertThat(FakeCandidate.winner(query.find(lookup), lookup)).isEqualTo("candidate 1");
      assertThat(third.searches()).isZero();
    }
  }

  /** The caller does it all when nobody can be called, and no ticket is left behind. */
  @Test
  void threadsThatCannotBeHadAreNotNeeded() {
    AtomicInteger refused = new AtomicInteger();
    Searchers none =
        new Searchers(
            new SearchThreads(
                4,
                count ->
                    task -> {
                      if (refused.incrementAndGet() % 2 == 0) {
                        throw new OutOfMemoryError("unable to create native thread");
                      }
                      throw new RejectedExecutionException();
                    }),
            epochs);
    List<FakeCandidate> candidates =
        List.of(
            FakeCandidate.onDisk(0, NO),
            FakeCandidate.onDisk(1, NO),
            FakeCandidate.onDisk(2, FOUND));
    int ticket = epochs.enter();
    Lookup lookup = new Lookup();
    boolean found = new Query(candidates, SearchPlan.ALL, none, ticket).find(lookup);
    epochs.exit(ticket);
    assertThat(FakeCandidate.winner(found, lookup)).isEqualTo("candidate 2");
    assertThat(refused.get()).isGreaterThan(1);
    assertThat(none.idle()).isEqualTo(4);
    AtomicBoolean disposed = new AtomicBoolean();
    epochs.retire(() -> disposed.set(true));
    assertThat(disposed).isTrue();
  }

  /** A thread that comes when all is over finds nothing to do. */
  @Test
  void searchersThatComeTooLateDoNothing() {
    List<Runnable> queued = Collections.synchronizedList(new ArrayList<>());
    Searchers late = new Searchers(new SearchThreads(4, count -> queued::add), epochs);
    List<FakeCandidate> candidates =
        List.of(FakeCandidate.onDisk(0, NO), FakeCandidate.onDisk(1, FOUND));
    int ticket = epochs.enter();
    assertThat(new Query(candidates, SearchPlan.ALL, late, ticket).find(new Lookup())).isTrue();
    epochs.exit(ticket);
    assertThat(queued).isNotEmpty();
    assertThat(late.idle()).isLessThan(4);
    queued.forEach(Runnable::run);
    queued.forEach(Runnable::run);
    assertThat(late.idle()).isEqualTo(4);
    assertThat(candidates).allSatisfy(one -> assertThat(one.searches()).isEqualTo(1));
    epochs.drain();
  }

  @ParameterizedTest
  @EnumSource
  void moreCandidatesThanASetHoldsAreSearchedInSeveral(SearchScheme scheme) {
    for (int hit : new int[] {0, 63, 64, 127, 128, 149, -1}) {
      List<FakeCandidate> candidates = new ArrayList<>();
      int[] stages = new int[150];
      for (int i = 0; i < stages.length; i++) {
        stages[i] = 1 + i / 40;
        candidates.add(FakeCandidate.onDisk(i, i == hit ? FOUND : i == hit + 1 ? FAILS : NO));
      }
      if (hit < 0) {
        candidates.set(0, FakeCandidate.onDisk(0, NO));
      }
      assertThat(new Asking(scheme, 0.5, candidates, stages).answer())
          .describedAs("hit at %d", hit)
          .isEqualTo(serial(candidates));
    }
  }

  /** Candidates of every kind, which are let go in random order, alone and several at once. */
  @ParameterizedTest
  @EnumSource
  void randomInterleavingsHaveTheSerialAnswer(SearchScheme scheme) {
    for (int seed = 0; seed < 400; seed++) {
      Random random = new Random(seed);
      int count = 1 + random.nextInt(12);
      List<FakeCandidate> candidates = new ArrayList<>();
      int[] stages = new int[count];
      int stage = 1;
      for (int i = 0; i < count; i++) {
        stage += random.nextInt(3) == 0 ? 1 : 0;
        stages[i] = stage;
        Says says = random.nextInt(3) > 0 ? NO : random.nextInt(4) > 0 ? FOUND : FAILS;
        candidates.add(
            switch (random.nextInt(4)) {
              case 0 -> FakeCandidate.inMemory(i, says);
              case 1 -> FakeCandidate.onDisk(i, says);
              default -> FakeCandidate.waiting(i, says);
            });
      }
      long before = searchers.counters().get(Metric.USELESS_READS);
      Asking asking = new Asking(scheme, random.nextInt(5) / 4.0, candidates, stages);
      List<FakeCandidate> order = new ArrayList<>(candidates);
      Collections.shuffle(order, random);
      for (FakeCandidate candidate : order) {
        if (random.nextInt(3) == 0) {
          asking.awaitRest();
        }
        if (random.nextInt(20) == 0) {
          asking.thread.interrupt();
        }
        candidate.release();
      }
      String expected = serial(candidates);
      assertThat(asking.answer()).describedAs("seed %d", seed).isEqualTo(expected);
      awaitNoThreadInside();
      asking.lookup.release();
      int needed = 0;
      while (needed < count && candidates.get(needed).says() == NO) {
        needed++;
      }
      long inVain = 0;
      for (int i = 0; i < count; i++) {
        FakeCandidate candidate = candidates.get(i);
        assertThat(candidate.isHeld()).describedAs("seed %d, %d", seed, i).isFalse();
        assertThat(candidate.searches())
            .describedAs("seed %d, %d", seed, i)
            .isBetween(i <= needed ? 1 : 0, 1);
        inVain += i > needed && !candidate.isInMemory() ? candidate.searches() : 0;
      }
      assertThat(searchers.counters().get(Metric.USELESS_READS) - before)
          .describedAs("seed %d", seed)
          .isEqualTo(inVain);
    }
  }
}
