package io.sifr.cli.demo;

/** Something done many times, of which only {@link #call} is measured. */
abstract class Operation {
  /** Makes the arguments of the n-th call. */
  abstract void prepare(long n);

  /** Calls the store. */
  abstract void call();

  /** Checks what it answered; by default there is nothing to check. */
  void verify() {}
}
