package io.sifr.config;

/**
 * The isolation of transactions that run at the same time. With each of these a transaction sees
 * one state of the store, that at which it began, and its own writes; others see what it writes
 * wholly or not at all; and of two that write to the same key one fails.
 */
public enum Isolation {
  /**
   * Nobody else has written since the transaction began to what it writes. What it only reads may
   * have been changed: two transactions that each read what the other one writes can both succeed,
   * although none of them would have written that after the other one (<em>write skew</em>). Costs
   * little more than the writes.
   */
  SNAPSHOT,
  /**
   * Nobody else has written to what it has read either, single keys and ranges of keys with those
   * that had no value. So the result is that of some order of the transactions, one after the
   * other. Costs memory for what is read, and a check of it when the transaction is committed. One
   * that writes nothing has no conflicts and checks nothing.
   */
  SERIALIZABLE
}
