package io.sifr.bench.store;

import java.nio.file.Path;

/** The stores that have several maps. */
public enum MapsKind {
  /** Databases of this project's store. */
  SIFR("sifr"),
  /** Column families of RocksDB. */
  ROCKSDB("rocksdb");

  private final String label;

  MapsKind(String label) {
    this.label = label;
  }

  /** Its name in reports. */
  public String label() {
    return label;
  }

  /** Opens the store in a directory, with the maps it has. */
  public NamedMaps open(Path directory) {
    return switch (this) {
      case SIFR -> SifrMaps.open(directory);
      case ROCKSDB -> RocksMaps.open(directory);
    };
  }
}
