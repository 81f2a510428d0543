package io.sifr.inspect.salvage;

import io.sifr.internal.util.Key;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;

/** The pieces that could not be rescued, in the order in which they are found. */
final class Losses {
  private final List<Loss> all = new ArrayList<>();

  void add(Loss loss) {
    all.add(loss);
  }

  List<LostPiece> toPieces() {
    return all.stream().map(Loss::toPiece).toList();
  }

  /**
   * Whether the key lies in a lost piece. Then copies of its versions in otherwise obsolete files
   * or records are better than nothing; all of them, since an older one alone would bring back what
   * a newer one overwrote.
   */
  boolean cover(String database, byte[] array, int offset, int length) {
    Key key = Key.copyOf(array, offset, length);
    return all.stream().anyMatch(loss -> database.equals(loss.database()) && loss.mayHold(key));
  }

  /** Determines, key by key in ascending order, which entries of a database may be out of date. */
  Sweep sweep(String database) {
    List<Loss> ofDatabase = new ArrayList<>();
    for (Loss loss : all) {
      if (database.equals(loss.database())) {
        ofDatabase.add(loss);
      }
    }
    ofDatabase.sort(
        Comparator.comparing(Loss::firstKey, Comparator.nullsFirst(Arrays::compareUnsigned)));
    return new Sweep(ofDatabase);
  }

  /** Iterates over the lost ranges of a database in step with its keys. */
  static final class Sweep {
    private final List<Loss> byBeginning;
    private final List<Loss> around = new ArrayList<>();
    private int next;

    private Sweep(List<Loss> byBeginning) {
      this.byBeginning = byBeginning;
    }

    /** Notes a rescued entry; called in ascending key order. */
    void rescued(byte[] array, int offset, int length, long sequence) {
      while (next < byBeginning.size()
          && beginsBefore(byBeginning.get(next), array, offset, length)) {
        around.add(byBeginning.get(next++));
      }
      if (!around.isEmpty()) {
        Key key = Key.copyOf(array, offset, length);
        around.removeIf(loss -> !loss.mayHold(key));
        around.forEach(loss -> loss.rescued(key, sequence));
      }
    }

    private static boolean beginsBefore(Loss loss, byte[] array, int offset, int length) {
      byte[] from = loss.firstKey();
      return from == null
          || Arrays.compareUnsigned(from, 0, from.length, array, offset, offset + length) <= 0;
    }
  }
}
