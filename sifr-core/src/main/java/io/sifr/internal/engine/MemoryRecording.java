package io.sifr.internal.engine;

import jdk.jfr.FlightRecorder;

/**
 * The recording of {@link MemoryJfrEvent}. It is apart from the event: to initialize a class of
 * events takes a fifth of the time of opening a store, whether they are recorded or not.
 */
final class MemoryRecording {
  private MemoryRecording() {}

  /**
   * Has the events of a store recorded until the returned task is run. Only if the flight recorder
   * is in use already: starting it takes longer than opening a store.
   */
  static Runnable start(Figures figures, String store) {
    if (!FlightRecorder.isInitialized()) {
      return () -> {};
    }
    Runnable hook = () -> MemoryJfrEvent.commit(figures.memory(), store);
    FlightRecorder.addPeriodicEvent(MemoryJfrEvent.class, hook);
    return () -> FlightRecorder.removePeriodicEvent(hook);
  }
}
