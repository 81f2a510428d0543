package io.sifr.importer.mvstore;

import io.sifr.importer.KeyValue;
import io.sifr.importer.KeyValues;
import io.sifr.importer.SourceCollection;
import io.sifr.importer.SourceException;
import java.io.IOException;
import java.nio.file.Path;
import org.h2.mvstore.Cursor;
import org.h2.mvstore.MVMap;
import org.jspecify.annotations.Nullable;

/** A map of an open MVStore, which has its name in Sifr, too. */
final class StoredMap implements SourceCollection {
  private final String name;
  private final MVMap<Object, Object> map;
  private final Encoding keys;
  private final Encoding values;

  StoredMap(String name, MVMap<Object, Object> map) {
    this.name = name;
    this.map = map;
    this.keys = new Encoding("the keys of its map \"" + name + "\"");
    this.values = new Encoding("the values of its map \"" + name + "\"");
  }

  @Override
  public String database() {
    return name;
  }

  String keyCodec() {
    return keys.codec();
  }

  String valueCodec() {
    return values.codec();
  }

  private SourceException unreadable(RuntimeException failure) {
    return MvStoreSource.because("its map \"" + name + "\" cannot be read", failure);
  }

  @Override
  public KeyValues entries(Path scratch) throws IOException {
    Cursor<Object, Object> cursor;
    try {
      cursor = map.cursor(null);
    } catch (RuntimeException e) {
      throw unreadable(e);
    }
    return new KeyValues() {
      @Override
      public @Nullable KeyValue next() throws IOException {
        @Nullable Object key;
        @Nullable Object value;
        try {
          if (!cursor.hasNext()) {
            return null;
          }
          key = cursor.next();
          value = cursor.getValue();
        } catch (RuntimeException e) {
          throw unreadable(e);
        }
        return new KeyValue(keys.encode(key), values.encode(value));
      }

      @Override
      public void close() {}
    };
  }
}
