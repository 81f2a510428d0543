package io.sifr.spi;

import org.jspecify.annotations.Nullable;

/**
 * Decides what compactions keep of a database: they ask it about each entry that they are about to
 * write, and write the entry, another value in its place, or nothing. So data that a program does
 * not need any more, by a rule that only it knows, goes away without being looked for, and costs no
 * writes. A database has one filter or none ({@link
 * io.sifr.config.DatabaseOptions#compactionFilter}), which its options name; the filter itself is
 * registered by {@link io.sifr.Store.Builder#compactionFilter} whenever the store is opened.
 *
 * <ul>
 *   <li>When an entry is asked about is not certain: perhaps never, since entries that no
 *       compaction rewrites stay as they are; perhaps again and again. {@link
 *       io.sifr.Database#compact()} asks about all that is in SSTs. Until then reads find the
 *       entry, so a program that must not see it checks that itself.
 *   <li>What is dropped is as if it had been deleted, and what is replaced as if it had been
 *       written so, except that no {@linkplain io.sifr.Store#changes change} is told and no
 *       condition or transaction fails.
 *   <li>It is not asked about an entry that a snapshot, a cursor or a transaction may need that was
 *       there when the compaction began. One that is begun while the compaction runs may see an
 *       entry, and not see it a moment later.
 *   <li>It is asked about values, also those that are in value files, which are read only if it
 *       asks for them, and those that expire, until they have; not about deletes. A database with a
 *       merge operator cannot have a filter, as operands may come above an entry that it has
 *       decided about.
 *   <li>It may be asked about an entry that has been overwritten or deleted, if the newer write is
 *       not part of the compaction. What it says then has no effect on what is read.
 *   <li>It is called by background threads, several at a time, so it is thread-safe, quick, and
 *       calls nothing of the store.
 * </ul>
 *
 * <p>A filter that throws, returns null, or replaces a value by more than 536870912 bytes keeps the
 * entry: nothing is lost, and a later compaction asks again. A warning tells of the first failure
 * in each compaction's part, {@link io.sifr.event.Metric#COMPACTION_FILTER_FAILURES} counts all.
 */
public interface CompactionFilter {
  /**
   * Its name: stored with each database that uses it.
   *
   * @return 1 to 255 characters, none of them a control character; always the same
   */
  String name();

  /**
   * Decides about an entry.
   *
   * @param entry valid during the call
   */
  Decision decide(Entry entry);

  /** An entry that a compaction is about to write. */
  interface Entry {
    /** Its key; an array of the caller's own. */
    byte[] key();

    /** Length of its value, which costs nothing to know. */
    int valueLength();

    /**
     * Its value; the same array each time. A large value is perhaps read from its file.
     *
     * @throws io.sifr.error.SifrException when it cannot be read; a filter that lets it through
     *     keeps the entry
     */
    byte[] value();
  }

  /** The fate of an entry. Immutable. */
  final class Decision {
    /** It stays as it is. */
    public static final Decision KEEP = new Decision(null);

    /** It goes away. */
    public static final Decision DROP = new Decision(null);

    private final byte @Nullable [] value;

    private Decision(byte @Nullable [] value) {
      this.value = value;
    }

    /** It gets another value. If the old one expires, this one does at the same time. */
    public static Decision replaceBy(byte[] value) {
      return new Decision(value.clone());
    }

    /** The value that it gets, as {@link #replaceBy} has got it; null for none. */
    public byte @Nullable [] replacement() {
      return value == null ? null : value.clone();
    }

    @Override
    public String toString() {
      return this == KEEP ? "keep" : this == DROP ? "drop" : "replace";
    }
  }
}
