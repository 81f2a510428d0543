package io.sifr.inspect.salvage;

import io.sifr.internal.offline.OfflineStore;
import io.sifr.internal.sst.inspect.DamagedSst;

/**
 * An SST that was examined for what can be rescued.
 *
 * @param store the store that contains it
 * @param source which SST, and which part of it is needed
 * @param found entries that were found in it
 * @param firstKey first needed key
 * @param lastKey last needed key
 * @param fileBytes bytes of the file
 */
@SuppressWarnings("ArrayRecordComponent") // never compared as a record
record SalvagedSst(
    OfflineStore store,
    SourceSst source,
    long found,
    byte[] firstKey,
    byte[] lastKey,
    long fileBytes) {

  /** An iterator over the entries found, from the start. */
  DamagedSst open() {
    return store.openDamagedSst(source.number(), source.meta());
  }
}
