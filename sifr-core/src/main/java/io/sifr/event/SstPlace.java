package io.sifr.event;

/** In which of the directories of a store an SST lies. */
public enum SstPlace {
  /** The store's own. */
  STORE,
  /** The fast directory. */
  FAST,
  /** The cold directory. */
  COLD
}
