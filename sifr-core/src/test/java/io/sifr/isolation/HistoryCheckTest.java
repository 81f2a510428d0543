package io.sifr.isolation;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** The checker of histories finds each anomaly, and none where there is none. */
class HistoryCheckTest {
  private static final Attempt FIRST =
      new Attempt("first").read("x", List.of()).append("x", 1).commit(5);

  private static void assertAnomaly(
      String expected, Map<String, List<Integer>> finals, Attempt... attempts) {
    assertThat(new HistoryCheck(List.of(attempts), finals).againstSnapshotIsolation())
        .anyMatch(anomaly -> anomaly.contains(expected));
    assertThat(new HistoryCheck(List.of(attempts), finals).againstSerializability()).isNotEmpty();
  }

  @Test
  void oneAfterTheOtherIsInOrder() {
    List<Attempt> attempts =
        List.of(
            FIRST,
            new Attempt("second").begin(6).read("x", List.of(1)).append("x", 2).commit(7),
            new Attempt("failed").begin(6).read("x", List.of(1)).append("x", 3),
            new Attempt("reader").begin(6).read("x", List.of(1)).commit(9));
    Map<String, List<Integer>> finals = Map.of("x", List.of(1, 2));
    assertThat(new HistoryCheck(attempts, finals).againstSerializability()).isEmpty();
    assertThat(new HistoryCheck(attempts, finals).againstSnapshotIsolation()).isEmpty();
  }

  @Test
  void lostUpdate() {
    Attempt second = new Attempt("second").read("x", List.of()).append("x", 2).commit(9);
    assertAnomaly("lost update: first", Map.of("x", List.of(2)), FIRST, second);
  }

  @Test
  void updateOfWhatIsOutdated() {
    Attempt second = new Attempt("second").read("x", List.of()).append("x", 2).commit(9);
    assertAnomaly("overwrote what second read", Map.of("x", List.of(1, 2)), FIRST, second);
  }

  @Test
  void readOfWhatWasRolledBack() {
    Attempt failed = new Attempt("failed").read("x", List.of()).append("x", 7);
    Attempt reader = new Attempt("reader").read("x", List.of(7)).commit(9);
    assertAnomaly("what it never was", Map.of("x", List.of(1)), FIRST, failed, reader);
    assertAnomaly("was not committed", Map.of("x", List.of(7)), failed);
  }

  @Test
  void readOfAPart() {
    Attempt writer =
        new Attempt("writer").read("x", List.of()).append("x", 1).append("x", 2).commit(9);
    Attempt reader = new Attempt("reader").read("x", List.of(1)).commit(9);
    assertAnomaly("a part of what writer", Map.of("x", List.of(1, 2)), writer, reader);
  }

  @Test
  void aTransactionThatIsSeenInOnePlaceAlone() {
    Attempt writer =
        new Attempt("writer")
            .read("x", List.of())
            .read("y", List.of())
            .append("x", 1)
            .append("y", 2)
            .commit(9);
    Attempt reader = new Attempt("reader").read("x", List.of(1)).read("y", List.of()).commit(9);
    assertAnomaly(
        "writer overwrote what reader read",
        Map.of("x", List.of(1), "y", List.of(2)),
        writer,
        reader);
  }

  @Test
  void readOfWhatIsOutdated() {
    Attempt reader = new Attempt("reader").begin(6).read("x", List.of()).commit(9);
    assertAnomaly("did not see what first", Map.of("x", List.of(1)), FIRST, reader);
  }

  @Test
  void twoThatReadEachOther() {
    Attempt one = new Attempt("one").read("y", List.of(2)).read("x", List.of()).append("x", 1);
    Attempt two = new Attempt("two").read("x", List.of(1)).read("y", List.of()).append("y", 2);
    assertAnomaly(
        "cycle of writes and reads",
        Map.of("x", List.of(1), "y", List.of(2)),
        one.commit(9),
        two.commit(9));
  }

  /** The one anomaly that snapshot isolation allows. */
  @Test
  void writeSkew() {
    List<Attempt> attempts =
        List.of(
            new Attempt("one").read("x", List.of()).read("y", List.of()).append("x", 1).commit(9),
            new Attempt("two").read("x", List.of()).read("y", List.of()).append("y", 2).commit(9));
    Map<String, List<Integer>> finals = Map.of("x", List.of(1), "y", List.of(2));
    assertThat(new HistoryCheck(attempts, finals).againstSnapshotIsolation()).isEmpty();
    assertThat(new HistoryCheck(attempts, finals).againstSerializability())
        .singleElement()
        .asString()
        .contains("cycle of dependencies");
  }

  @Test
  void aReadThatIsNotRepeated() {
    Attempt attempt = new Attempt("one").read("x", List.of(1)).append("x", 2);
    attempt.read("x", List.of(1, 2));
    assertThatThrownBy(() -> attempt.read("x", List.of(1, 3, 2)))
        .isInstanceOf(AssertionError.class)
        .hasMessageContaining("one knows x");
  }
}
