package io.sifr.bench.store;

/** A setting that a store may or may not support. Names are those of the command line. */
public enum Term {
  /** The size of the write buffer. */
  WRITE_BUFFER("write-buffer"),
  /** A bounded cache of blocks or pages. Stores that read through mappings have none. */
  CACHE("cache"),
  /** Bloom filters of ten bits a key. */
  BLOOM("bloom"),
  /** Reads that bypass the page cache. */
  DIRECT_READS("read-mode direct"),
  /** Searching the sorted runs other than one after the other. */
  SEARCH("search"),
  /** The size ratio of one stage or level to the previous one. */
  GROWTH_FACTOR("growth-factor"),
  /** Blocks that a codec makes smaller. */
  COMPRESSION("compression"),
  /** Settings that only Sifr has. */
  SETTINGS("set"),
  /** Writes without a log. */
  DURABILITY_NONE("durability none"),
  /** Writes that survive a killed process. */
  DURABILITY_BUFFERED("durability buffered"),
  /** Writes that survive a power loss. */
  DURABILITY_SYNC("durability sync");

  private final String label;

  Term(String label) {
    this.label = label;
  }

  /** The option it is set by. */
  public String label() {
    return label;
  }
}
