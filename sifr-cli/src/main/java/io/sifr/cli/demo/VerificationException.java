package io.sifr.cli.demo;

/** The store answered something that is not true. */
public final class VerificationException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  VerificationException(String message) {
    super("verification failed: " + message);
  }
}
