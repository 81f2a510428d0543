package io.sifr.bench.store;

import io.sifr.Database;
import io.sifr.Store;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Databases of this project's store. */
final class SifrMaps implements NamedMaps {
  private final Store store;
  private final List<Database> databases = new ArrayList<>();

  private SifrMaps(Store store) {
    this.store = store;
  }

  static NamedMaps open(Path directory) {
    Store store = Store.open(directory);
    SifrMaps maps = new SifrMaps(store);
    store.databaseNames().stream()
        .filter(name -> !name.equals(Store.DEFAULT_DATABASE))
        .forEach(name -> maps.databases.add(store.database(name)));
    return maps;
  }

  @Override
  public void create(String name) {
    databases.add(store.openOrCreateDatabase(name));
  }

  @Override
  public void put(int map, byte[] key, byte[] value) {
    databases.get(map).put(key, value);
  }

  @Override
  public byte @Nullable [] get(int map, byte[] key) {
    return databases.get(map).get(key);
  }

  @Override
  public void flush() {
    store.flush();
  }

  @Override
  public void close() {
    store.close();
  }
}
