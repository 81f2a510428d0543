package io.sifr.internal.search;

import static io.sifr.internal.search.FakeCandidate.Says.FAILS;
import static io.sifr.internal.search.FakeCandidate.Says.FOUND;
import static io.sifr.internal.search.FakeCandidate.Says.NO;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sifr.config.SearchScheme;
import io.sifr.event.Metric;
import io.sifr.internal.entry.Lookup;
import io.sifr.internal.resources.SearchThreads;
import io.sifr.internal.view.ReadEpochs;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** I8: whatever is announced, a query has the answer of a serial one, and its order. */
class AnnouncedSearchTest {
  private final SearchThreads threads = new SearchThreads(4);
  private final ReadEpochs epochs = new ReadEpochs();
  private final Searchers searchers = new Searchers(threads, epochs, () -> true);
  private final List<String> steps = new ArrayList<>();

  @AfterEach
  void end() {
    threads.close();
  }

  private Candidate candidate(int number, FakeCandidate.Says says, boolean isKnown) {
    FakeCandidate fake = FakeCandidate.onDisk(number, says);
    return new Candidate() {
      @Override
      public boolean isInMemory() {
        return false;
      }

      @Override
      public boolean announce() {
        steps.add("announce " + number);
        return isKnown;
      }

      @Override
      public boolean search(Lookup into) {
        steps.add("search " + number);
        return fake.search(into);
      }
    };
  }

  private String find(double share, List<Candidate> candidates) {
    CandidateList list = new CandidateList();
    candidates.forEach(candidate -> list.add(candidate, 1, 1));
    Lookup lookup = new Lookup();
    int ticket = epochs.enter();
    try {
      boolean found = list.find(SearchScheme.ADAPTIVE, share, searchers, ticket, lookup);
      return FakeCandidate.winner(found, lookup);
    } finally {
      epochs.exit(ticket);
    }
  }

  private List<Candidate> candidates(FakeCandidate.Says... says) {
    List<Candidate> candidates = new ArrayList<>();
    for (int i = 0; i < says.length; i++) {
      candidates.add(candidate(i, says[i], true));
    }
    return candidates;
  }

  @Test
  void allAreAnnouncedBeforeTheFirstIsAwaited() {
    assertThat(find(1, candidates(NO, NO, NO, FOUND))).isEqualTo("candidate 3");
    assertThat(steps)
        .containsExactly(
            "announce 0",
            "announce 1",
            "announce 2",
            "announce 3",
            "search 0",
            "search 1",
            "search 2",
            "search 3");
    assertThat(searchers.counters().get(Metric.SEARCHED_SSTS)).isEqualTo(4);
    assertThat(searchers.counters().get(Metric.USELESS_READS)).isZero();
    assertThat(searchers.counters().get(Metric.HAND_OFFS)).isZero();
  }

  @Test
  void allThatAQueryMayNeedIsAnnouncedAtFirstWhileFewRead() {
    int processors = Load.onAllProcessors(searchers);
    assertThat(searchers.shareAhead()).isEqualTo(1);
    searchers.callerBegins();
    assertThat(searchers.shareAhead()).isEqualTo(AdaptivePolicy.IDLE_SHARE);
    for (int i = 0; i <= processors; i++) {
      searchers.callerEnds();
    }
    assertThat(searchers.shareAhead()).isEqualTo(1);
  }

  @Test
  void noMoreThanAShareIsAnnouncedAhead() {
    assertThat(find(0.5, candidates(NO, FOUND, NO, NO))).isEqualTo("candidate 1");
    assertThat(steps)
        .containsExactly("announce 0", "announce 1", "search 0", "announce 2", "search 1");
    assertThat(searchers.counters().get(Metric.USELESS_READS)).isEqualTo(1);
  }

  @Test
  void aFailureAboveTheAnswerIsThrownAndOneBelowIsNot() {
    assertThatThrownBy(() -> find(1, candidates(NO, FAILS, FOUND))).hasMessage("candidate 1 fails");
    assertThat(find(1, candidates(NO, FOUND, FAILS))).isEqualTo("candidate 1");
  }

  @Test
  void whereItIsNotKnownWhatToReadThreadsSearch() {
    List<Candidate> candidates = candidates(NO, NO);
    candidates.add(candidate(2, FOUND, false));
    assertThat(find(1, candidates)).isEqualTo("candidate 2");
    assertThat(searchers.counters().get(Metric.HAND_OFFS)).isPositive();
  }

  @Test
  void quickReadsAreNotAnnounced() {
    Load.readsTake(searchers, AdaptivePolicy.HAND_OFF_NANOS / 2);
    assertThat(searchers.announces()).isFalse();
    Load.readsTake(searchers, 2 * AdaptivePolicy.HAND_OFF_NANOS);
    assertThat(searchers.announces()).isTrue();
  }

  /** However many candidates there are, more than a query can have among them. */
  @Test
  void randomCandidatesHaveTheSerialAnswer() {
    long seed = new Random().nextLong();
    Random random = new Random(seed);
    for (int round = 0; round < 300; round++) {
      int count = 1 + random.nextInt(random.nextInt(10) == 0 ? 150 : 12);
      List<Candidate> candidates = new ArrayList<>();
      String serial = "nothing";
      for (int i = 0; i < count; i++) {
        FakeCandidate.Says says = random.nextInt(count) == 0 ? FOUND : NO;
        candidates.add(candidate(i, says, true));
        serial = serial.equals("nothing") && says == FOUND ? FakeCandidate.answer(i) : serial;
      }
      steps.clear();
      assertThat(find(random.nextDouble(), candidates)).as("seed %d", seed).isEqualTo(serial);
      assertThat(steps.stream().filter(step -> step.startsWith("announce")).distinct().count())
          .as("each is announced once at most, seed %d", seed)
          .isEqualTo(steps.stream().filter(step -> step.startsWith("announce")).count());
    }
  }
}
