package io.sifr.internal.engine;

import io.sifr.internal.format.FileKind;
import io.sifr.internal.manifest.Current;
import io.sifr.internal.volume.StoreVolumes;
import io.sifr.internal.wal.WalWriter;

/** Finds the files of a store in a directory. */
public final class StoreFileNames {
  private StoreFileNames() {}

  /** Whether a file name is one that a store gives to a file. */
  public static boolean isOfStore(String name) {
    return name.equals(Opening.LOCK_FILE) || Current.isNameOf(name) || isOfStoreAlone(name);
  }

  /** Whether it is one that other products do not give to a file, as they do CURRENT and LOCK. */
  public static boolean isOfStoreAlone(String name) {
    return Current.isNameOfMark(name)
        || StoreVolumes.isNameOfMark(name)
        || FileKind.SST.numberOf(name).isPresent()
        || FileKind.VALUES.numberOf(name).isPresent()
        || FileKind.TAIL.numberOf(name).isPresent()
        || FileKind.WAL.numberOf(name).isPresent()
        || FileKind.MANIFEST.numberOf(name).isPresent()
        || WalWriter.isUnfinishedSegment(name);
  }
}
