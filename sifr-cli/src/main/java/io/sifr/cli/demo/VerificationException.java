package io.sifr.cli.demo;

/** The store gave a wrong answer. */
public final class VerificationException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  VerificationException(String message) {
    super("verification failed: " + message);
  }
}
