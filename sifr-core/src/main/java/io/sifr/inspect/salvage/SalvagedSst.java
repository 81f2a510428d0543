package io.sifr.inspect.salvage;

import io.sifr.internal.offline.OfflineStore;
import io.sifr.internal.sst.DamagedSst;

/**
 * An SST of which it is known what can be rescued.
 *
 * @param store where it lies
 * @param source which one, and what of it is taken
 * @param found entries that were found in it
 * @param firstKey first key that is taken
 * @param lastKey last key that is taken
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

  /** A walk over what was found, from the start. */
  DamagedSst open() {
    return store.openDamagedSst(source.number(), source.meta());
  }
}
