package io.sifr.bench.workload;

/** A store answered what it must not. */
public final class WrongAnswerException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  WrongAnswerException(String message) {
    super(message);
  }
}
