package io.sifr.importer.mvstore;

import static java.nio.charset.StandardCharsets.ISO_8859_1;

import io.sifr.config.DatabaseOptions;
import io.sifr.importer.ImportSource;
import io.sifr.importer.SourceCollection;
import io.sifr.importer.SourceException;
import io.sifr.importer.SourceState;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.TreeSet;
import org.h2.mvstore.DataUtils;
import org.h2.mvstore.MVMap;
import org.h2.mvstore.MVStore;
import org.h2.mvstore.MVStoreException;
import org.jspecify.annotations.Nullable;

/** A file of MVStore, opened read-only by MVStore's library. */
final class MvStoreSource implements ImportSource {
  /** A map that a TransactionStore has, and so each database of H2. */
  private static final String OF_TRANSACTIONS = "openTransactions";

  /** With what MVStore begins an encrypted file. */
  private static final String OF_ENCRYPTED = "H2encrypt";

  private static final int HEXADECIMAL = 16;

  private final Path file;
  private final SourceState state;
  private final MVStore store;
  private final SortedMap<String, StoredMap> maps = new TreeMap<>();

  private MvStoreSource(Path file, SourceState state, MVStore store) {
    this.file = file;
    this.state = state;
    this.store = store;
  }

  /**
   * Opens a file.
   *
   * @param names of the maps that are imported; none for all
   * @param keys how they are stored in each of them
   * @param values how they are stored in each of them
   */
  static MvStoreSource open(Path file, Collection<String> names, StoredType keys, StoredType values)
      throws IOException {
    requireFile(file);
    SourceState state = SourceState.of(file);
    MVStore store;
    try {
      store = new MVStore.Builder().fileName(file.toString()).readOnly().open();
    } catch (MVStoreException e) {
      throw because(
          e.getErrorCode() == DataUtils.ERROR_FILE_LOCKED
              ? "it is open elsewhere"
              : "MVStore cannot read it",
          e);
    } catch (RuntimeException e) {
      throw because("MVStore cannot read it", e);
    }
    MvStoreSource source = new MvStoreSource(file, state, store);
    try {
      source.addMaps(names, keys, values);
      return source;
    } catch (IOException | RuntimeException | Error e) {
      source.close();
      throw e;
    }
  }

  private static void requireFile(Path file) throws IOException {
    if (!Files.isRegularFile(file)) {
      throw new SourceException(
          Files.exists(file) ? "it is no file, but a directory" : "there is no such file");
    }
    byte[] first;
    try (InputStream in = Files.newInputStream(file)) {
      first = in.readNBytes(OF_ENCRYPTED.length());
    }
    if (first.length == 0) {
      throw new SourceException("it is empty");
    } else if (new String(first, ISO_8859_1).equals(OF_ENCRYPTED)) {
      throw new SourceException(
          "it is encrypted; copy its maps into a file without encryptionKey first");
    }
  }

  private void addMaps(Collection<String> names, StoredType keys, StoredType values)
      throws IOException {
    requireNewest();
    if (store.hasMap(OF_TRANSACTIONS)) {
      throw new SourceException(
          "a TransactionStore has written it, as a database of H2 is; for such a database, copy its"
              + " tables by SQL");
    }
    for (String name : names.isEmpty() ? store.getMapNames() : new TreeSet<>(names)) {
      if (!store.hasMap(name)) {
        throw new SourceException(
            "it has no map \"" + name + "\", only " + new TreeSet<>(store.getMapNames()));
      } else if (!DatabaseOptions.isAllowedName(name)) {
        throw new SourceException(
            "no database can have the name of its map \""
                + name
                + "\": a name is 1 to 255 characters, none of them a control character");
      }
      requirePlainMap(name);
      try {
        MVMap<Object, Object> map =
            store.openMap(
                name,
                new MVMap.Builder<>().keyType(keys.type()).valueType(new PageType(values.type())));
        maps.put(name, new StoredMap(name, map));
      } catch (RuntimeException e) {
        throw because("its map \"" + name + "\" cannot be read", e);
      }
    }
  }

  /** MVStore opens what it can read of a damaged file, at worst a version before all writes. */
  private void requireNewest() throws SourceException {
    if (store.getStoreHeader().get("version") instanceof String noted) {
      long newest = Long.parseUnsignedLong(noted, HEXADECIMAL);
      if (store.getCurrentVersion() < newest) {
        throw new SourceException(
            "it is damaged: it has version "
                + newest
                + ", and MVStore can only read version "
                + store.getCurrentVersion());
      }
    }
  }

  private void requirePlainMap(String name) throws SourceException {
    Map<String, String> meta = store.getMetaMap();
    @Nullable String config = meta.get("map." + meta.get("name." + name));
    if (config != null && DataUtils.parseMap(config).containsKey("type")) {
      throw new SourceException(
          "its map \"" + name + "\" is of the type " + DataUtils.parseMap(config).get("type"));
    }
  }

  static SourceException because(String what, RuntimeException failure) {
    Throwable cause = failure;
    while (cause.getCause() != null) {
      cause = cause.getCause();
    }
    return new SourceException(
        what + ": " + (cause.getMessage() == null ? cause : cause.getMessage()), failure);
  }

  StoredMap map(String name) {
    StoredMap map = maps.get(name);
    if (map == null) {
      throw new IllegalArgumentException(name);
    }
    return map;
  }

  @Override
  public List<SourceCollection> collections() {
    return List.copyOf(maps.values());
  }

  /** MVStore does not by default. */
  @Override
  public boolean isCompressed() {
    return false;
  }

  @Override
  public void requireUnchanged() throws IOException {
    state.requireUnchanged(SourceState.of(file));
  }

  @Override
  public void close() {
    store.closeImmediately();
  }
}
