package io.sifr.config;

import com.google.common.primitives.Longs;
import java.util.OptionalLong;

/**
 * The settings of a store. Immutable; safe for any thread. None of them is stored: a directory can
 * be opened with other settings at any time, they govern what is written from then on.
 *
 * <pre>{@code
 * StoreOptions options = StoreOptions.builder().writeBufferBytes(4 << 20).build();
 * }</pre>
 */
public final class StoreOptions {
  /** The settings a store has when none are given. */
  public static final StoreOptions DEFAULT = builder().build();

  private static final int AS_LARGE_AS_A_WRITE_BUFFER = 0;

  private final boolean createIfMissing;
  private final boolean openIfDamaged;
  private final Durability durability;
  private final long writeBufferBytes;
  private final int maxImmutableMemtables;
  private final long splitUnitBytes;
  private final int growthFactor;
  private final MergeTrigger mergeTrigger;
  private final LogAccess logAccess;
  private final int logSegmentBytes;
  private final long maxLogBytes;
  private final long keptLogBytes;
  private final int mergeThreads;
  private final boolean earlyCleaning;
  private final int cleaningThreshold;
  private final ReadMode readMode;
  private final OptionalLong blockCacheBytes;
  private final int maxOpenSsts;
  private final SearchScheme searchScheme;
  private final int searchThreads;
  private final FilterMode filterMode;
  private final int filterBitsPerKey;
  private final long filterCacheBytes;

  private StoreOptions(Builder builder) {
    createIfMissing = builder.createIfMissing;
    openIfDamaged = builder.openIfDamaged;
    durability = builder.durability;
    writeBufferBytes = builder.writeBufferBytes;
    maxImmutableMemtables = builder.maxImmutableMemtables;
    splitUnitBytes = builder.splitUnitBytes;
    growthFactor = builder.growthFactor;
    mergeTrigger = builder.mergeTrigger;
    logAccess = builder.logAccess;
    logSegmentBytes =
        builder.logSegmentBytes == AS_LARGE_AS_A_WRITE_BUFFER
            ? wholePages(Longs.constrainToRange(writeBufferBytes, 1 << 20, 16 << 20))
            : builder.logSegmentBytes;
    maxLogBytes = builder.maxLogBytes;
    keptLogBytes = builder.keptLogBytes;
    mergeThreads = builder.mergeThreads;
    earlyCleaning = builder.earlyCleaning;
    cleaningThreshold = builder.cleaningThreshold;
    readMode = builder.readMode;
    blockCacheBytes = builder.blockCacheBytes;
    maxOpenSsts = builder.maxOpenSsts;
    searchScheme = builder.searchScheme;
    searchThreads = builder.searchThreads;
    filterMode = builder.filterMode;
    filterBitsPerKey = builder.filterBitsPerKey;
    filterCacheBytes = builder.filterCacheBytes;
  }

  /** A builder with the default settings. */
  public static Builder builder() {
    return new Builder();
  }

  /** Whether opening a directory that holds no store makes one. */
  public boolean createIfMissing() {
    return createIfMissing;
  }

  /** Whether a store is opened of which some SSTs cannot be. */
  public boolean openIfDamaged() {
    return openIfDamaged;
  }

  /** Durability of writes that do not say their own. */
  public Durability durability() {
    return durability;
  }

  /** Bytes a database collects in memory before they are flushed as one tree. */
  public long writeBufferBytes() {
    return writeBufferBytes;
  }

  /** Full write buffers of a database that may wait for their flush before writers have to. */
  public int maxImmutableMemtables() {
    return maxImmutableMemtables;
  }

  /** Size aimed at for an SST. */
  public long splitUnitBytes() {
    return splitUnitBytes;
  }

  /** Trees of a stage that are merged into one tree of the next. */
  public int growthFactor() {
    return growthFactor;
  }

  /** When the trees of a stage are merged. */
  public MergeTrigger mergeTrigger() {
    return mergeTrigger;
  }

  /** How the log reaches its files. */
  public LogAccess logAccess() {
    return logAccess;
  }

  /** Size that log segments grow to. */
  public int logSegmentBytes() {
    return logSegmentBytes;
  }

  /** Bytes of log beyond which the database that holds the oldest of it is flushed. */
  public long maxLogBytes() {
    return maxLogBytes;
  }

  /** Bytes of log that may be left when the store is closed, instead of a flush. */
  public long keptLogBytes() {
    return keptLogBytes;
  }

  /** Threads that merge. */
  public int mergeThreads() {
    return mergeThreads;
  }

  /** Whether inputs of a merge are deleted while it runs. */
  public boolean earlyCleaning() {
    return earlyCleaning;
  }

  /** SSTs a merge writes at most before it commits them and deletes the inputs they replace. */
  public int cleaningThreshold() {
    return cleaningThreshold;
  }

  /** How blocks of data come into memory. */
  public ReadMode readMode() {
    return readMode;
  }

  /**
   * Bytes of blocks kept in memory that were read by position; empty where that follows the memory
   * there is, see {@link Builder#blockCacheBytes}.
   */
  public OptionalLong blockCacheBytes() {
    return blockCacheBytes;
  }

  /** SSTs that may be open at a time. */
  public int maxOpenSsts() {
    return maxOpenSsts;
  }

  /** Which SSTs a point query searches at once, unless it says so itself. */
  public SearchScheme searchScheme() {
    return searchScheme;
  }

  /** Threads that search beside the callers. */
  public int searchThreads() {
    return searchThreads;
  }

  /** Where the filters of SSTs are. */
  public FilterMode filterMode() {
    return filterMode;
  }

  /** Bits a key of filters that are made. */
  public int filterBitsPerKey() {
    return filterBitsPerKey;
  }

  /** Bytes of filters kept in memory with {@link FilterMode#HOT}. */
  public long filterCacheBytes() {
    return filterCacheBytes;
  }

  @Override
  public String toString() {
    return "createIfMissing="
        + createIfMissing
        + " openIfDamaged="
        + openIfDamaged
        + " durability="
        + durability
        + " writeBufferBytes="
        + writeBufferBytes
        + " maxImmutableMemtables="
        + maxImmutableMemtables
        + " splitUnitBytes="
        + splitUnitBytes
        + " growthFactor="
        + growthFactor
        + " mergeTrigger="
        + mergeTrigger
        + " logAccess="
        + logAccess
        + " logSegmentBytes="
        + logSegmentBytes
        + " maxLogBytes="
        + maxLogBytes
        + " keptLogBytes="
        + keptLogBytes
        + " mergeThreads="
        + mergeThreads
        + " earlyCleaning="
        + earlyCleaning
        + " cleaningThreshold="
        + cleaningThreshold
        + " readMode="
        + readMode
        + " blockCacheBytes="
        + (blockCacheBytes.isPresent() ? blockCacheBytes.getAsLong() : "by memory")
        + " maxOpenSsts="
        + maxOpenSsts
        + " searchScheme="
        + searchScheme
        + " searchThreads="
        + searchThreads
        + " filterMode="
        + filterMode
        + " filterBitsPerKey="
        + filterBitsPerKey
        + " filterCacheBytes="
        + filterCacheBytes;
  }

  private static int wholePages(long bytes) {
    return Math.toIntExact((bytes + 4095) & -4096);
  }

  /** Collects settings; every setter checks its argument. Not thread-safe. */
  public static final class Builder {
    private boolean createIfMissing = true;
    private boolean openIfDamaged = true;
    private Durability durability = Durability.BUFFERED;
    private long writeBufferBytes = 16 << 20;
    private int maxImmutableMemtables = 4;
    private long splitUnitBytes = 2 << 20;
    private int growthFactor = 4;
    private MergeTrigger mergeTrigger = MergeTrigger.EAGER;
    private LogAccess logAccess = LogAccess.MAPPED;
    private int logSegmentBytes = AS_LARGE_AS_A_WRITE_BUFFER;
    private long maxLogBytes = 256 << 20;
    private long keptLogBytes = 1 << 20;
    private int mergeThreads = 2;
    private boolean earlyCleaning = true;
    private int cleaningThreshold = 10;
    private ReadMode readMode = ReadMode.AUTO;
    private OptionalLong blockCacheBytes = OptionalLong.empty();
    private int maxOpenSsts = 8192;
    private SearchScheme searchScheme = SearchScheme.ADAPTIVE;
    private int searchThreads = 16;
    private FilterMode filterMode = FilterMode.RESIDENT;
    private int filterBitsPerKey = 10;
    private long filterCacheBytes = 64 << 20;

    private Builder() {}

    /** Whether opening a directory that holds no store makes one (default) or is an error. */
    public Builder createIfMissing(boolean value) {
      createIfMissing = value;
      return this;
    }

    /**
     * Whether a store is opened (default) of which some SSTs are missing, shortened, damaged or
     * unreadable. All other data can be read and written then. A read that needs such an SST throws
     * a {@link io.sifr.error.CorruptionException} with its file and its range of keys, or a {@link
     * io.sifr.error.StoreIoException}; that a key is absent is never said by mistake. A merge that
     * needs one stops, others go on. If false, opening throws and names all of them. Damage to the
     * manifest or the log always keeps a store from being opened.
     */
    public Builder openIfDamaged(boolean value) {
      openIfDamaged = value;
      return this;
    }

    /** Durability of writes that do not say their own; default {@link Durability#BUFFERED}. */
    public Builder durability(Durability value) {
      if (value == null) {
        throw new IllegalArgumentException("durability is null");
      }
      durability = value;
      return this;
    }

    /**
     * Bytes a database collects in memory before they are flushed as one tree; default 16 MiB.
     * Larger buffers mean fewer flushes and merges, more memory, and a longer replay after a crash.
     *
     * @param value 4096 (4 KiB) to 1073741824 (1 GiB)
     */
    public Builder writeBufferBytes(long value) {
      writeBufferBytes = inRange("writeBufferBytes", value, 4096, 1L << 30);
      return this;
    }

    /**
     * Full write buffers of a database that may wait for their flush before writers have to;
     * default 4. More of them even out bursts and cost memory.
     *
     * @param value 1 to 64
     */
    public Builder maxImmutableMemtables(int value) {
      maxImmutableMemtables = (int) inRange("maxImmutableMemtables", value, 1, 64);
      return this;
    }

    /**
     * Size aimed at for an SST (the split unit of TPDS §4.1); default 2 MiB. Larger ones mean fewer
     * files, and fewer that overlap nothing and so are moved instead of rewritten.
     *
     * @param value 4096 (4 KiB) to 1073741824 (1 GiB)
     */
    public Builder splitUnitBytes(long value) {
      splitUnitBytes = inRange("splitUnitBytes", value, 4096, 1L << 30);
      return this;
    }

    /**
     * Trees of a stage that are merged into one tree of the next; default 4. A larger factor writes
     * less and leaves more trees to be asked.
     *
     * @param value 2 to 64
     */
    public Builder growthFactor(int value) {
      growthFactor = (int) inRange("growthFactor", value, 2, 64);
      return this;
    }

    /** When the trees of a stage are merged; default {@link MergeTrigger#EAGER}. */
    public Builder mergeTrigger(MergeTrigger value) {
      if (value == null) {
        throw new IllegalArgumentException("mergeTrigger is null");
      }
      mergeTrigger = value;
      return this;
    }

    /** How the log reaches its files; default {@link LogAccess#MAPPED}. */
    public Builder logAccess(LogAccess value) {
      if (value == null) {
        throw new IllegalArgumentException("logAccess is null");
      }
      logAccess = value;
      return this;
    }

    /**
     * Size that log segments grow to; by default that of a write buffer, but 1 to 16 MiB. The first
     * ones of a log are smaller, so that a small store takes little space. A record larger than
     * that gets a segment of its own. Some segments are kept to be used again, so small ones save
     * space on disk; each new one costs a header, two syncs and a change of files.
     *
     * @param value 4096 (4 KiB) to 1073741824 (1 GiB); rounded up to whole pages of 4 KiB
     */
    public Builder logSegmentBytes(int value) {
      logSegmentBytes = wholePages(inRange("logSegmentBytes", value, 4096, 1L << 30));
      return this;
    }

    /**
     * Bytes of log beyond which the database that holds the oldest of it is flushed, though its
     * write buffer is not full; default 256 MiB. It bounds the replay after a crash when some
     * databases are written much more than others.
     *
     * @param value 65536 (64 KiB) to 1099511627776 (1 TiB)
     */
    public Builder maxLogBytes(long value) {
      maxLogBytes = inRange("maxLogBytes", value, 1 << 16, 1L << 40);
      return this;
    }

    /**
     * Bytes of log that may be left when the store is closed; default 1 MiB. When what is not
     * flushed takes no more there, it stays in the log, which is synced, and the next opening reads
     * it back; else it is flushed. So a few writes at a time make no tree each time. Writes without
     * a log are flushed in any case.
     *
     * @param value 0 (everything is flushed) to 1073741824 (1 GiB)
     */
    public Builder keptLogBytes(long value) {
      keptLogBytes = inRange("keptLogBytes", value, 0, 1L << 30);
      return this;
    }

    /**
     * Threads that merge; default 2. A merge of many SSTs is split by key range, so that all of
     * them can work at it.
     *
     * @param value 1 to 64
     */
    public Builder mergeThreads(int value) {
      mergeThreads = (int) inRange("mergeThreads", value, 1, 64);
      return this;
    }

    /**
     * Whether inputs of a merge are deleted while it runs (TPDS §4.3); default true. Without, a
     * merge needs as much free space as its inputs hold, and one that is interrupted begins anew.
     */
    public Builder earlyCleaning(boolean value) {
      earlyCleaning = value;
      return this;
    }

    /**
     * SSTs a merge writes at most before it commits them and deletes the inputs they replace;
     * default 10. More of them mean fewer syncs and more space. When the file system runs short of
     * space the store commits earlier, in the end after each SST. No effect without {@link
     * #earlyCleaning}.
     *
     * @param value 1 to 1000000
     */
    public Builder cleaningThreshold(int value) {
      cleaningThreshold = (int) inRange("cleaningThreshold", value, 1, 1_000_000);
      return this;
    }

    /** How blocks of data come into memory; default {@link ReadMode#AUTO}. */
    public Builder readMode(ReadMode value) {
      if (value == null) {
        throw new IllegalArgumentException("readMode is null");
      }
      readMode = value;
      return this;
    }

    /**
     * Bytes of blocks kept in memory that were read by position, off the heap. By default one part
     * in sixteen of the memory, of the machine or the container, that the largest heap leaves; at
     * least 4 MiB, at most 32. A value is taken as it is; one of more than a quarter of the memory
     * is warned of when the store is opened. No effect while files are mapped, see {@link
     * ReadMode}.
     *
     * @param value 0 (none is kept) to 1099511627776 (1 TiB)
     */
    public Builder blockCacheBytes(long value) {
      blockCacheBytes = OptionalLong.of(inRange("blockCacheBytes", value, 0, 1L << 40));
      return this;
    }

    /**
     * SSTs that may be open at a time; default 8192. An open one takes a file handle or a mapping,
     * and about a hundredth of its size on the heap for its index: with SSTs of 2 MiB some 20 KiB,
     * 160 MiB for 8192. One that is not open is opened when it is asked, which takes three reads.
     * Walks and merges keep those open in which they stand, even if they are more. Where files are
     * read and not mapped, it is at most three quarters of the files the process may have open.
     *
     * @param value 16 to 1000000
     */
    public Builder maxOpenSsts(int value) {
      maxOpenSsts = (int) inRange("maxOpenSsts", value, 16, 1_000_000);
      return this;
    }

    /**
     * Which SSTs a point query searches at once, unless it says so itself with {@link ReadOptions};
     * default {@link SearchScheme#ADAPTIVE}.
     */
    public Builder searchScheme(SearchScheme value) {
      if (value == null) {
        throw new IllegalArgumentException("searchScheme is null");
      }
      searchScheme = value;
      return this;
    }

    /**
     * Threads that search beside the callers; default 16. They are started when they are needed for
     * the first time, and all queries of the store share them. More of them keep a disk busier that
     * serves many reads at once; each takes a stack.
     *
     * @param value 1 to 256
     */
    public Builder searchThreads(int value) {
      searchThreads = (int) inRange("searchThreads", value, 1, 256);
      return this;
    }

    /**
     * Where the filters of SSTs are (TPDS §4.1); default {@link FilterMode#RESIDENT}. Filters that
     * are missing, because the store was last open without, are made in the background when it is
     * opened.
     */
    public Builder filterMode(FilterMode value) {
      if (value == null) {
        throw new IllegalArgumentException("filterMode is null");
      }
      filterMode = value;
      return this;
    }

    /**
     * Bits a key of filters that are made for the last stage, which holds most keys; default 10,
     * with which one absent key in 104 passes a filter; 5 let one in 11 pass, 20 one in 5000. Those
     * of each stage before have 3 bits more than those of the next, up to 32: they spare more reads
     * and take less memory. Filters that there are stay as they are until a merge writes their SSTs
     * anew. No effect with {@link FilterMode#OFF}.
     *
     * @param value 1 to 32
     */
    public Builder filterBitsPerKey(int value) {
      filterBitsPerKey = (int) inRange("filterBitsPerKey", value, 1, 32);
      return this;
    }

    /**
     * Bytes of filters kept in memory with {@link FilterMode#HOT}, and with that only; default 64
     * MiB.
     *
     * @param value 0 to 1099511627776 (1 TiB)
     */
    public Builder filterCacheBytes(long value) {
      filterCacheBytes = inRange("filterCacheBytes", value, 0, 1L << 40);
      return this;
    }

    /** The settings collected so far. */
    public StoreOptions build() {
      return new StoreOptions(this);
    }

    private static long inRange(String name, long value, long smallest, long largest) {
      if (value < smallest || value > largest) {
        throw new IllegalArgumentException(
            name + " is " + value + "; allowed: " + smallest + " to " + largest);
      }
      return value;
    }
  }
}
