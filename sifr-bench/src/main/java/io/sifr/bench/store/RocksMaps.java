package io.sifr.bench.store;

import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.rocksdb.ColumnFamilyDescriptor;
import org.rocksdb.ColumnFamilyHandle;
import org.rocksdb.ColumnFamilyOptions;
import org.rocksdb.DBOptions;
import org.rocksdb.FlushOptions;
import org.rocksdb.Options;
import org.rocksdb.RocksDB;
import org.rocksdb.RocksDBException;

/** Column families of RocksDB. */
final class RocksMaps implements NamedMaps {
  private final RocksDB db;
  private final DBOptions options;
  private final ColumnFamilyOptions familyOptions;
  private final ColumnFamilyHandle defaultFamily;
  private final List<ColumnFamilyHandle> families;

  private RocksMaps(
      RocksDB db,
      DBOptions options,
      ColumnFamilyOptions familyOptions,
      List<ColumnFamilyHandle> handles) {
    this.db = db;
    this.options = options;
    this.familyOptions = familyOptions;
    this.defaultFamily = handles.get(0);
    this.families = new ArrayList<>(handles.subList(1, handles.size()));
  }

  static NamedMaps open(Path directory) {
    RocksDB.loadLibrary();
    DBOptions options = new DBOptions().setCreateIfMissing(true);
    ColumnFamilyOptions familyOptions = new ColumnFamilyOptions();
    List<ColumnFamilyDescriptor> known = new ArrayList<>();
    known.add(new ColumnFamilyDescriptor(RocksDB.DEFAULT_COLUMN_FAMILY, familyOptions));
    List<ColumnFamilyHandle> handles = new ArrayList<>();
    try (Options toList = new Options()) {
      RocksDB.listColumnFamilies(toList, directory.toString()).stream()
          .map(RocksMaps::text)
          .filter(name -> !name.equals(text(RocksDB.DEFAULT_COLUMN_FAMILY)))
          .sorted()
          .forEach(name -> known.add(new ColumnFamilyDescriptor(bytes(name), familyOptions)));
      RocksDB db = RocksDB.open(options, directory.toString(), known, handles);
      return new RocksMaps(db, options, familyOptions, handles);
    } catch (RocksDBException e) {
      familyOptions.close();
      options.close();
      throw failed(e);
    }
  }

  @Override
  public void create(String name) {
    try {
      families.add(db.createColumnFamily(new ColumnFamilyDescriptor(bytes(name), familyOptions)));
    } catch (RocksDBException e) {
      throw failed(e);
    }
  }

  @Override
  public void put(int map, byte[] key, byte[] value) {
    try {
      db.put(families.get(map), key, value);
    } catch (RocksDBException e) {
      throw failed(e);
    }
  }

  @Override
  public byte @Nullable [] get(int map, byte[] key) {
    try {
      return db.get(families.get(map), key);
    } catch (RocksDBException e) {
      throw failed(e);
    }
  }

  @Override
  public void flush() {
    try (FlushOptions andWait = new FlushOptions()) {
      db.flush(andWait, families);
    } catch (RocksDBException e) {
      throw failed(e);
    }
  }

  @Override
  public void close() {
    if (!defaultFamily.isOwningHandle()) {
      return;
    }
    families.forEach(ColumnFamilyHandle::close);
    defaultFamily.close();
    try {
      db.closeE();
    } catch (RocksDBException e) {
      throw failed(e);
    } finally {
      familyOptions.close();
      options.close();
    }
  }

  private static String text(byte[] name) {
    return new String(name, StandardCharsets.UTF_8);
  }

  private static byte[] bytes(String name) {
    return name.getBytes(StandardCharsets.UTF_8);
  }

  private static IllegalStateException failed(RocksDBException e) {
    return new IllegalStateException(e);
  }
}
