package io.sifr.importer.rocksdb;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.sifr.config.DatabaseOptions;
import io.sifr.importer.ImportSource;
import io.sifr.importer.SourceCollection;
import io.sifr.importer.SourceException;
import io.sifr.importer.SourceLock;
import io.sifr.importer.SourceState;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Deque;
import java.util.List;
import java.util.Set;
import java.util.stream.IntStream;
import org.rocksdb.BuiltinComparator;
import org.rocksdb.ColumnFamilyDescriptor;
import org.rocksdb.ColumnFamilyHandle;
import org.rocksdb.ColumnFamilyOptions;
import org.rocksdb.ConfigOptions;
import org.rocksdb.DBOptions;
import org.rocksdb.Env;
import org.rocksdb.Options;
import org.rocksdb.OptionsUtil;
import org.rocksdb.RocksDB;
import org.rocksdb.RocksDBException;
import org.rocksdb.WALRecoveryMode;

/**
 * A RocksDB directory, opened read-only by RocksDB's library with the options it was last opened
 * with: they say where its log is, and merge operators. Nothing in it is changed.
 */
final class RocksDbSource implements ImportSource {
  /**
   * The column family in which RocksDB keeps statistics of itself, with {@code
   * persist_stats_to_disk}.
   */
  private static final String OF_STATISTICS = "___rocksdb_stats_history___";

  /** The words of RocksDB about a damaged log or MANIFEST. It does not say which. */
  private static final Set<String> OF_LOGS = Set.of("checksum mismatch", "truncated record body");

  private final List<Path> places;
  private final List<SourceState> states;

  /** The resources that are closed in the end, the first first. */
  private final Deque<AutoCloseable> resources;

  private final List<SourceCollection> collections;

  private RocksDbSource(
      List<Path> places,
      List<SourceState> states,
      Deque<AutoCloseable> resources,
      List<SourceCollection> collections) {
    this.places = places;
    this.states = states;
    this.resources = resources;
    this.collections = collections;
  }

  /**
   * Opens a directory.
   *
   * @param readsUntilDamage whether a log may be damaged or end within a record
   */
  static RocksDbSource open(Path directory, boolean readsUntilDamage) throws IOException {
    RocksDbDirectory.require(directory);
    Deque<AutoCloseable> resources = new ArrayDeque<>();
    try {
      SourceLock lock = SourceLock.take(directory);
      resources.push(lock);
      return open(directory, readsUntilDamage, resources);
    } catch (RocksDBException e) {
      close(resources);
      throw because(e);
    } catch (IllegalArgumentException e) {
      // Of the binding, for instance for OPTIONS that it cannot represent.
      close(resources);
      throw new SourceException("RocksDB cannot read it: " + e.getMessage(), e);
    } catch (IOException | RuntimeException | Error e) {
      close(resources);
      throw e;
    }
  }

  private static RocksDbSource open(
      Path directory, boolean readsUntilDamage, Deque<AutoCloseable> resources)
      throws IOException, RocksDBException {
    RocksDB.loadLibrary();
    String path = directory.toString();
    DBOptions options = push(resources, new DBOptions());
    List<ColumnFamilyDescriptor> described = new ArrayList<>();
    try (ConfigOptions config = new ConfigOptions().setIgnoreUnknownOptions(true)) {
      Path file = directory.resolve(OptionsUtil.getLatestOptionsFileName(path, Env.getDefault()));
      RocksDbDirectory.requireNoTtl(file);
      OptionsUtil.loadLatestOptions(config, path, options, described);
      described.forEach(descriptor -> resources.push(descriptor.getOptions()));
      if (!RocksDbDirectory.hasDelimiters(file)) {
        // None, so that RocksDB refuses merges that were not applied.
        described.forEach(descriptor -> descriptor.getOptions().setMergeOperatorName(""));
      }
    }
    RocksDbDirectory.requireManifest(directory);
    Path logs = RocksDbDirectory.logs(directory, options.walDir());
    if (!readsUntilDamage) {
      RocksDbDirectory.requireFirstRecords(logs);
    }
    // All other modes may take a damaged length of a record for the end of the log.
    options
        .setWalRecoveryMode(
            readsUntilDamage
                ? WALRecoveryMode.PointInTimeRecovery
                : WALRecoveryMode.AbsoluteConsistency)
        .setWalDir(logs.toString())
        .setBestEffortsRecovery(false) // would leave out logs, and files that are missing
        .setParanoidChecks(true);

    List<Path> places = logs.equals(directory) ? List.of(directory) : List.of(directory, logs);
    List<SourceState> states = new ArrayList<>();
    for (Path place : places) {
      states.add(SourceState.of(place));
    }
    List<ColumnFamilyDescriptor> families = families(path, described, resources);
    List<ColumnFamilyHandle> handles = new ArrayList<>();
    RocksDB db = push(resources, RocksDB.openReadOnly(options, path, families, handles));
    handles.forEach(resources::push);
    List<SourceCollection> collections =
        IntStream.range(0, handles.size())
            .<SourceCollection>mapToObj(
                i -> new ColumnFamily(db, handles.get(i), name(families.get(i).getName())))
            .toList();
    return new RocksDbSource(places, states, resources, collections);
  }

  private static <T extends AutoCloseable> T push(Deque<AutoCloseable> resources, T resource) {
    resources.push(resource);
    return resource;
  }

  /** All there are but RocksDB's own, each with the options that are known of it. */
  private static List<ColumnFamilyDescriptor> families(
      String path, List<ColumnFamilyDescriptor> described, Deque<AutoCloseable> resources)
      throws IOException, RocksDBException {
    List<ColumnFamilyDescriptor> families = new ArrayList<>();
    try (Options options = new Options()) {
      List<byte[]> names = RocksDB.listColumnFamilies(options, path);
      if (names.stream().noneMatch(name -> Arrays.equals(name, RocksDB.DEFAULT_COLUMN_FAMILY))) {
        // RocksDB lists those that it finds before a damage.
        throw new SourceException("its MANIFEST is damaged: it has no column family \"default\"");
      }
      for (byte[] name : names) {
        if (name(name).equals(OF_STATISTICS)) {
          continue;
        }
        ColumnFamilyOptions known =
            described.stream()
                .filter(descriptor -> Arrays.equals(descriptor.getName(), name))
                .map(ColumnFamilyDescriptor::getOptions)
                .findFirst()
                .orElseGet(() -> push(resources, new ColumnFamilyOptions()));
        // So that RocksDB refuses any other, by its name.
        known.setComparator(BuiltinComparator.BYTEWISE_COMPARATOR);
        requireAllowed(name);
        families.add(new ColumnFamilyDescriptor(name, known));
      }
    }
    return families;
  }

  private static void requireAllowed(byte[] bytes) throws SourceException {
    String name = name(bytes);
    if (!DatabaseOptions.isAllowedName(name) || !Arrays.equals(name.getBytes(UTF_8), bytes)) {
      throw new SourceException(
          "no database can have the name of its column family \""
              + name
              + "\": a name is 1 to 255 characters of UTF-8, none of them a control character");
    }
  }

  private static String name(byte[] bytes) {
    return new String(bytes, UTF_8);
  }

  /** What RocksDB says. */
  static SourceException because(RocksDBException failure) {
    String said = String.valueOf(failure.getMessage());
    String why = "RocksDB cannot read it: " + said;
    if (said.contains("does not match existing comparator")) {
      why = "a store has keys in the order of their bytes, and it does not: " + said;
    } else if (OF_LOGS.contains(said)) {
      why += "; if that is its log, --until-damage imports what was written before";
    } else if (said.contains("merge_operator")) {
      why =
          "it has merges that were not applied, of an operator that RocksDB's library does not have, or"
              + " with a delimiter that its OPTIONS do not tell; compact it with the program that has"
              + " it ("
              + said
              + ")";
    }
    return new SourceException(why, failure);
  }

  @Override
  public List<SourceCollection> collections() {
    return collections;
  }

  /** RocksDB compresses by default. */
  @Override
  public boolean isCompressed() {
    return true;
  }

  @Override
  public void requireUnchanged() throws IOException {
    for (int i = 0; i < places.size(); i++) {
      states.get(i).requireUnchanged(SourceState.of(places.get(i)));
    }
  }

  @Override
  public void close() throws IOException {
    close(resources);
  }

  private static void close(Deque<AutoCloseable> resources) throws IOException {
    while (!resources.isEmpty()) {
      try {
        resources.pop().close();
      } catch (IOException | RuntimeException e) {
        throw e;
      } catch (Exception e) {
        throw new IOException(e);
      }
    }
  }
}
