package io.sifr.bench.workload;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;

/** Which answers are right while writes are under way, and which are not. */
class JudgeTest {
  private static final int ENTRY = 5;

  private final Dataset dataset = new Dataset(new Shape("x", 16, 20, 20), 10, true, 1);
  private final Ledger ledger = dataset.ledger();
  private final Judge judge = new Judge(dataset);

  private byte[] value(int write) {
    return dataset.values().value(ENTRY, write);
  }

  private void put() {
    ledger.put(ENTRY, state -> {});
  }

  private void remove() {
    ledger.remove(ENTRY, state -> {});
  }

  @Test
  void whatWasNeverWrittenIsNotThere() {
    judge.checkGet(ENTRY, ledger.returned(ENTRY), null);
    assertThatThrownBy(() -> judge.checkGet(ENTRY, ledger.returned(ENTRY), value(1)))
        .isInstanceOf(WrongAnswerException.class)
        .hasMessageContaining("though it is not there");
  }

  @Test
  void theNewestValueOnlyIsRight() {
    put();
    put();
    byte now = ledger.returned(ENTRY);
    judge.checkGet(ENTRY, now, value(2));
    assertThatThrownBy(() -> judge.checkGet(ENTRY, now, value(1)))
        .isInstanceOf(WrongAnswerException.class)
        .hasMessageContaining("none of its writes 2 to 2");
    assertThatThrownBy(() -> judge.checkGet(ENTRY, now, null))
        .isInstanceOf(WrongAnswerException.class)
        .hasMessageContaining("has no value");
  }

  @Test
  void whatWasRemovedDoesNotComeBack() {
    put();
    remove();
    byte now = ledger.returned(ENTRY);
    judge.checkGet(ENTRY, now, null);
    assertThatThrownBy(() -> judge.checkGet(ENTRY, now, value(1)))
        .isInstanceOf(WrongAnswerException.class);
  }

  @Test
  void whileAWriteRunsBothValuesAreRight() {
    put();
    byte before = ledger.returned(ENTRY);
    ledger.put(
        ENTRY,
        state -> {
          judge.checkGet(ENTRY, before, value(1));
          judge.checkGet(ENTRY, before, value(2));
          assertThatThrownBy(() -> judge.checkGet(ENTRY, before, null))
              .isInstanceOf(WrongAnswerException.class);
          assertThatThrownBy(() -> judge.checkGet(ENTRY, before, value(3)))
              .isInstanceOf(WrongAnswerException.class);
        });
  }

  @Test
  void whileARemovalRunsTheValueAndItsAbsenceAreRight() {
    put();
    byte before = ledger.returned(ENTRY);
    ledger.remove(
        ENTRY,
        state -> {
          judge.checkGet(ENTRY, before, value(1));
          judge.checkGet(ENTRY, before, null);
          assertThatThrownBy(() -> judge.checkGet(ENTRY, before, value(2)))
              .isInstanceOf(WrongAnswerException.class);
        });
  }

  @Test
  void allWritesThatRanDuringAReadMayBeSeen() {
    put();
    byte before = ledger.returned(ENTRY);
    put();
    remove();
    put();
    judge.checkGet(ENTRY, before, value(1));
    judge.checkGet(ENTRY, before, value(2));
    judge.checkGet(ENTRY, before, null);
    judge.checkGet(ENTRY, before, value(4));
    assertThatThrownBy(() -> judge.checkGet(ENTRY, before, value(5)))
        .isInstanceOf(WrongAnswerException.class);
  }

  @Test
  void countingBeginsAnewAfterManyWrites() {
    for (int i = 0; i < 1000; i++) {
      byte before = ledger.returned(ENTRY);
      put();
      byte after = ledger.returned(ENTRY);
      assertThat(Ledger.isPresent(after)).isTrue();
      assertThat(Ledger.distance(before, after)).isEqualTo(1);
      assertThat(Ledger.writesAfter(before, 1)).isEqualTo(Ledger.writes(after));
      if (i > 0) {
        assertThat(Ledger.writesBefore(after)).isEqualTo(Ledger.writes(before));
      }
      judge.checkGet(ENTRY, after, value(Ledger.writes(after)));
    }
  }
}
