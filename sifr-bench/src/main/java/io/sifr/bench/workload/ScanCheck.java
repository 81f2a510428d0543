package io.sifr.bench.workload;

import io.sifr.bench.store.BenchStore;
import java.util.Arrays;

/**
 * Checks the entries of a scan as they arrive: that each is known, in order, with an allowed value,
 * and that none is missing. Reused for each scan; not thread-safe.
 */
final class ScanCheck implements BenchStore.EntryVisitor {
  private final KeySpace keys;
  private final Values values;
  private final Ledger ledger;
  private final Judge judge;

  /**
   * States of the entries {@code from} to {@code end - 1} after the writes that had returned before
   * the scan began.
   */
  private byte[] states = new byte[0];

  private int from;

  /**
   * The end of the range that contains as many present entries as the scan may return, or of all
   * entries.
   */
  private int end;

  private int limit;
  private int visited;
  private int previous;

  ScanCheck(Dataset dataset, Judge judge) {
    this.keys = dataset.keys();
    this.values = dataset.values();
    this.ledger = dataset.ledger();
    this.judge = judge;
  }

  /** A scan of up to {@code newLimit} entries from one on is about to begin. */
  void begin(int newFrom, int newLimit) {
    from = newFrom;
    limit = newLimit;
    visited = 0;
    previous = from - 1;
    end = from;
    for (int present = 0; end < keys.entries() && present < limit; end++) {
      byte state = ledger.returned(end);
      if (end - from == states.length) {
        states = Arrays.copyOf(states, Math.max(2 * states.length, limit));
      }
      states[end - from] = state;
      if (Ledger.isPresent(state)) {
        present++;
      }
    }
  }

  @Override
  public void visit(byte[] key, byte[] value) {
    int entry = keys.entryOf(key);
    if (entry == KeySpace.FOREIGN) {
      throw new WrongAnswerException(
          "a scan found the key %s, which was never written".formatted(Judge.show(key)));
    }
    if (entry <= previous) {
      throw judge.wrong(
          entry, "came in a scan from entry %d on after entry %d".formatted(from, previous));
    }
    checkLeftOut(entry);
    byte after = ledger.begun(entry);
    byte before = entry < end ? states[entry - from] : after;
    if (!(entry < end
        ? judge.mayBe(entry, before, after, value)
        : isOneOfTheLast(entry, after, value))) {
      throw judge.wrong(entry, "came in a scan and " + judge.describe(entry, before, after, value));
    }
    previous = entry;
    visited++;
  }

  /**
   * Whether it is the value of one of the last two writes. No more is known about an entry that the
   * scan reaches only because others were removed while it ran.
   */
  private boolean isOneOfTheLast(int entry, byte after, byte[] value) {
    return after != Ledger.NEVER_WRITTEN
        && (values.matches(value, entry, Ledger.writes(after))
            || values.matches(value, entry, Ledger.writesBefore(after)));
  }

  /** The scan has ended and returned how many entries it visited. */
  void end(int count) {
    if (count != visited) {
      throw new WrongAnswerException(
          "a scan says it visited %d entries, but visited %d".formatted(count, visited));
    }
    if (visited > limit) {
      throw new WrongAnswerException(
          "a scan visited %d entries; the limit was %d".formatted(visited, limit));
    }
    if (visited < limit) {
      checkLeftOut(keys.entries());
    }
  }

  /** Checks that all entries between the previous one and this one may be missing. */
  private void checkLeftOut(int entry) {
    for (int left = previous + 1; left < Math.min(entry, end); left++) {
      if (!Judge.mayBeAbsent(states[left - from], ledger.begun(left))) {
        throw judge.wrong(left, "was left out of a scan, though it was written and not removed");
      }
    }
  }
}
