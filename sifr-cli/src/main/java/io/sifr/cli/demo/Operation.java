package io.sifr.cli.demo;

/** An operation that is repeated many times; only {@link #call} is measured. */
abstract class Operation {
  /** Prepares the arguments of the n-th call. */
  abstract void prepare(long n);

  /** Calls the store. */
  abstract void call();

  /** Checks the answer; does nothing by default. */
  void verify() {}
}
