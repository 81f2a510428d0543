package io.sifr.inspect.salvage;

import io.sifr.internal.io.StoreFileSystem;
import io.sifr.internal.sst.DamagedSst;
import java.nio.file.Path;

/**
 * An SST of which it is known what can be rescued.
 *
 * @param files the file system it lies in
 * @param directory the directory it lies in
 * @param source which one, and what of it is taken
 * @param found entries that were found in it
 * @param firstKey first key that is taken
 * @param lastKey last key that is taken
 * @param fileBytes bytes of the file
 */
@SuppressWarnings("ArrayRecordComponent") // never compared as a record
record SalvagedSst(
    StoreFileSystem files,
    Path directory,
    SourceSst source,
    long found,
    byte[] firstKey,
    byte[] lastKey,
    long fileBytes) {

  /** A walk over what was found, from the start. */
  DamagedSst open() {
    return DamagedSst.open(files, directory, source.number(), source.meta());
  }
}
