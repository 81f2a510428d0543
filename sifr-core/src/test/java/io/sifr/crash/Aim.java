package io.sifr.crash;

import io.sifr.internal.io.CrashPoint;
import io.sifr.testing.CrashDisk.Call;
import io.sifr.testing.CrashDisk.Moment;

/**
 * At which moments of its calls to the disk the machine is to die. One for each life of a store.
 */
@FunctionalInterface
interface Aim {
  /** At any moment. */
  Aim ANYWHERE = (call, moment) -> true;

  /**
   * Whether this is such a moment. Asked about all moments of all calls that change something, in
   * the order in which they happen, on the thread that makes the call.
   */
  boolean isAt(Call call, Moment moment);

  /** Where the program passes a point. */
  static Aim at(CrashPoint point) {
    return (call, moment) -> passes(call, point);
  }

  /** Whether the call says that the program passes a point. */
  static boolean passes(Call call, CrashPoint point) {
    return call.operation().equals("reach") && call.path().toString().equals(point.name());
  }
}
