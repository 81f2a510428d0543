package io.sifr.bench.workload;

import java.util.HexFormat;
import org.jspecify.annotations.Nullable;

/** Decides whether an answer is allowed. Thread-safe. */
final class Judge {
  private static final int SHOWN_BYTES = 32;

  private final Dataset dataset;
  private final Ledger ledger;

  Judge(Dataset dataset) {
    this.dataset = dataset;
    this.ledger = dataset.ledger();
  }

  /**
   * Checks the answer to a get.
   *
   * @param before state after the writes that had returned before the get began
   */
  void checkGet(int entry, byte before, byte @Nullable [] answer) {
    byte after = ledger.begun(entry);
    if (answer == null) {
      if (!mayBeAbsent(before, after)) {
        throw wrong(entry, "has no value, though it was written and not removed");
      }
    } else if (!mayBe(entry, before, after, answer)) {
      throw wrong(entry, describe(entry, before, after, answer));
    }
  }

  /** Checks the answer to a get of the missing key after an entry. */
  void checkMissing(int entry, byte @Nullable [] answer) {
    if (answer != null) {
      throw new WrongAnswerException(
          "the key %s was never written, but has the value %s"
              .formatted(show(dataset.keys().missingKey(entry)), show(answer)));
    }
  }

  /** Whether an entry may have had no value between two states of its ledger. */
  static boolean mayBeAbsent(byte before, byte after) {
    return !Ledger.isPresent(before) || !Ledger.isPresent(after) || Ledger.skips(before, after);
  }

  /** Whether an entry may have had that value between two states of its ledger. */
  boolean mayBe(int entry, byte before, byte after, byte[] value) {
    int distance = Ledger.distance(before, after);
    for (int further = 0; further <= distance; further++) {
      boolean knownAbsent =
          (further == 0 && !Ledger.isPresent(before))
              || (further == distance && !Ledger.isPresent(after));
      if (!knownAbsent
          && dataset.values().matches(value, entry, Ledger.writesAfter(before, further))) {
        return true;
      }
    }
    return false;
  }

  String describe(int entry, byte before, byte after, byte[] value) {
    return Ledger.isPresent(before) || Ledger.isPresent(after)
        ? "has the value %s, which is none of its writes %d to %d"
            .formatted(show(value), Ledger.writes(before), Ledger.writes(after))
        : "has the value %s, though it is not there".formatted(show(value));
  }

  WrongAnswerException wrong(int entry, String what) {
    return new WrongAnswerException(
        "entry %d (key %s) %s".formatted(entry, show(dataset.keys().key(entry)), what));
  }

  /** Bytes as hexadecimal digits, long ones shortened. */
  static String show(byte[] bytes) {
    String shown = HexFormat.of().formatHex(bytes, 0, Math.min(bytes.length, SHOWN_BYTES));
    return bytes.length > SHOWN_BYTES ? shown + "… (" + bytes.length + " bytes)" : shown;
  }
}
