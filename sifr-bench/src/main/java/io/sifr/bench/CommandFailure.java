package io.sifr.bench;

/** A command could not do what it was to do, for a reason its user can understand. */
final class CommandFailure extends RuntimeException {
  private static final long serialVersionUID = 1L;

  CommandFailure(String message) {
    super(message);
  }
}
