package io.sifr.stress;

import io.sifr.Cursor;
import java.util.Random;

/** Moves a cursor over a range, and checks what it shows and what it leaves out. */
final class Iteration {
  private final StressModel model;
  private final String who;
  private final StressModel.Window window;

  /**
   * @param window about all keys of the cursor's range
   */
  Iteration(StressModel model, String who, StressModel.Window window) {
    this.model = model;
    this.who = who;
    this.window = window;
  }

  /** Returns the number of entries. */
  int forward(Cursor cursor) {
    return forward(cursor, () -> {});
  }

  /**
   * @param pause is run after each entry
   */
  int forward(Cursor cursor, Runnable pause) {
    int entries = 0;
    int next = window.firstKey();
    for (boolean more = cursor.first(); more; more = cursor.next(), entries++) {
      int key = model.number(cursor.key());
      requireAbsent(next, key);
      model.check(who, window, key, cursor.value());
      next = key + 1;
      pause.run();
    }
    requireAbsent(next, window.endKey());
    return entries;
  }

  /** Returns the number of entries. */
  int backward(Cursor cursor) {
    int entries = 0;
    int before = window.endKey();
    for (boolean more = cursor.last(); more; more = cursor.previous(), entries++) {
      int key = model.number(cursor.key());
      requireAbsent(key + 1, before);
      model.check(who, window, key, cursor.value());
      before = key;
    }
    requireAbsent(window.firstKey(), before);
    return entries;
  }

  /** Seeks, and goes some entries in both directions. Returns the number of entries. */
  int toAndFro(Cursor cursor, Random random) {
    int sought = window.firstKey() + random.nextInt(window.endKey() - window.firstKey());
    if (!cursor.seek(model.key(sought))) {
      requireAbsent(sought, window.endKey());
      return 0;
    }
    int at = model.number(cursor.key());
    requireAbsent(sought, at);
    int entries = 0;
    for (; entries < 50; entries++) {
      model.check(who, window, at, cursor.value());
      boolean forward = random.nextInt(3) > 0;
      boolean more = forward ? cursor.next() : cursor.previous();
      if (!more) {
        requireAbsent(forward ? at + 1 : window.firstKey(), forward ? window.endKey() : at);
        break;
      }
      int now = model.number(cursor.key());
      requireAbsent(Math.min(at, now) + 1, Math.max(at, now));
      if (forward != now > at) {
        throw new AssertionError(who + ": from key " + at + " to " + now + ", forward: " + forward);
      }
      at = now;
    }
    return entries;
  }

  private void requireAbsent(int from, int to) {
    if (from > to) {
      throw new AssertionError(who + ": key " + to + " after " + from);
    }
    for (int key = from; key < to; key++) {
      model.check(who, window, key, null);
    }
  }
}
