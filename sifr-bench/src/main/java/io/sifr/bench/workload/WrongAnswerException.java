package io.sifr.bench.workload;

/** A store gave a wrong answer. */
public final class WrongAnswerException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  WrongAnswerException(String message) {
    super(message);
  }
}
