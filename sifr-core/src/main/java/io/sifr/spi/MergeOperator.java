package io.sifr.spi;

import org.jspecify.annotations.Nullable;

/**
 * Applies the operands of {@link io.sifr.Database#merge} to the value of a key. A database has one
 * operator or none ({@link io.sifr.config.DatabaseOptions#mergeOperator}), which its options name;
 * an operator of a program's own is registered by {@link io.sifr.Store.Builder#mergeOperator}
 * whenever the store is opened. {@link MergeOperators} has those that are always there.
 *
 * <p>A merge is written without reading the key: the operand is stored, and applied when the key is
 * read, flushed or compacted. So the same operands are applied again and again, until a compaction
 * has replaced them by their result. Therefore:
 *
 * <ul>
 *   <li>An operator is a pure function: the same arguments always yield the same result, today and
 *       in the next version of the program. What has the same name must have the same meaning.
 *   <li>It is called by reading threads and background threads, many at a time, so it is
 *       thread-safe, quick, and calls nothing of the store.
 *   <li>Its arguments are shared and must not be changed or kept; it may return one of them.
 * </ul>
 *
 * <p>An operator that throws, returns null or more than 536870912 bytes fails the read with a
 * {@link io.sifr.error.MergeOperatorException}. In flushes and compactions the same only means that
 * the operands are kept as they are: nothing is lost, and later reads call it again.
 */
public interface MergeOperator {
  /**
   * Its name: stored with each database that uses it.
   *
   * @return 1 to 255 characters, none of them a control character; always the same
   */
  String name();

  /**
   * Applies an operand.
   *
   * @param key the key
   * @param existing the value that all older writes come to; null when there is none
   * @param operand what was given to {@link io.sifr.Database#merge}, or the result of {@link
   *     #combine}
   * @return the new value
   */
  byte[] merge(byte[] key, byte @Nullable [] existing, byte[] operand);

  /**
   * Joins two operands to one that has the effect of both: {@code merge(merge(x, older), newer)} is
   * {@code merge(x, combine(older, newer))} for every x. Then flushes and compactions need not keep
   * each operand of a key that is merged often, and reads have less to do. Pairs are joined in any
   * grouping, but always neighbours and in their order.
   *
   * @return null, as here, if this operator joins none
   */
  default byte @Nullable [] combine(byte[] key, byte[] older, byte[] newer) {
    return null;
  }

  /**
   * Checks an operand before it is written. Accepts all, unless it is overridden.
   *
   * @throws IllegalArgumentException when it is none, saying what is allowed; {@link
   *     io.sifr.Database#merge} throws it on
   */
  default void validate(byte[] operand) {}
}
