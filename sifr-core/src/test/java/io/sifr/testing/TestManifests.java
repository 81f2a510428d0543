package io.sifr.testing;

import io.sifr.internal.forest.Catalog;
import io.sifr.internal.forest.ForestEdit;
import io.sifr.internal.io.StoreFileSystem;
import io.sifr.internal.manifest.Manifest;
import java.nio.file.Path;
import java.util.List;

/** Manifests of new stores, made from edits. */
public final class TestManifests {
  private TestManifests() {}

  /** The manifest of a new store, with that number. */
  public static Manifest create(
      StoreFileSystem fileSystem, Path directory, long number, List<ForestEdit> initial) {
    return Manifest.startNew(fileSystem, directory, number, Catalog.EMPTY.apply(initial));
  }
}
