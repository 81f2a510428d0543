package io.sifr.testing;

/**
 * What a {@link CrashDisk} throws when power is gone, and from then on. An error, so that nothing
 * takes it for a disk that failed and lives on: no handler of exceptions may catch it and go on.
 */
public final class SimulatedCrash extends Error {
  private static final long serialVersionUID = 1L;

  SimulatedCrash(String message) {
    super(message);
  }
}
