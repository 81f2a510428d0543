package io.sifr.internal.engine;

import io.sifr.config.StoreOptions;
import io.sifr.event.StoreListener;
import io.sifr.internal.io.DiskFileSystem;
import io.sifr.testing.NoSyncFileSystem;
import java.nio.file.Path;

/** Engines for tests that need no durability. */
public final class TestEngines {
  private TestEngines() {}

  public static StoreEngine open(Path directory, StoreOptions options) {
    return Opening.open(
        new NoSyncFileSystem(new DiskFileSystem()), directory, options, StoreListener.NONE);
  }
}
