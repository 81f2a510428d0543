package io.sifr.bench.micro;

import io.sifr.Database;
import org.openjdk.jmh.annotations.Setup;

/** Gets of a {@link LoadedStore}, through the public API. */
public abstract class StoredGets extends MicroBenchmark {
  Database database;
  Cycle<byte[]> present;
  Cycle<byte[]> absent;

  /** Prepares the keys. */
  @Setup
  public void prepare(LoadedStore loaded) {
    database = loaded.database();
    present = loaded.presentKeys();
    absent = loaded.absentKeys();
  }
}
