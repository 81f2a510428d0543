package io.sifr.corpus;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.sifr.Backups;
import io.sifr.Cursor;
import io.sifr.Database;
import io.sifr.KeyRange;
import io.sifr.SstFileWriter;
import io.sifr.Store;
import io.sifr.WriteBatch;
import io.sifr.config.CompactionPolicy;
import io.sifr.config.Compression;
import io.sifr.config.DatabaseOptions;
import io.sifr.config.IngestOptions;
import io.sifr.config.KeyPrefix;
import io.sifr.config.StoreOptions;
import io.sifr.config.WriteOptions;
import io.sifr.spi.CompactionFilter;
import io.sifr.spi.EncryptionKeys;
import io.sifr.spi.IndexExtractor;
import io.sifr.spi.MergeOperators;
import io.sifr.testing.Directories;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.BiFunction;

/**
 * A store of the corpus: how it is written and opened. A directory has the store in {@code store},
 * and beside it what belongs to that.
 */
enum CorpusStore {
  /**
   * Each kind of entry, in SSTs and, in other databases and once more in these, in the log alone.
   */
  ENTRIES {
    @Override
    StoreOptions.Builder options() {
      return super.options().retainedLogBytes(40 << 10);
    }

    @Override
    void write(Path directory) throws IOException {
      Path open = directory.resolve("open");
      try (Store store = builder(directory, open).open()) {
        Database plain = store.database();
        Database counts = store.createDatabase("counts", merging(MergeOperators.ADD_LONG.name()));
        Database texts = store.createDatabase("texts", merging(MergeOperators.APPEND.name()));
        Database dying =
            store.createDatabase(
                "dying", DatabaseOptions.builder().expireAfter(Duration.ofHours(1)).build());
        Database gone = store.createDatabase("gone", DatabaseOptions.DEFAULT);
        for (int round = 0; round < 4; round++) {
          fill(plain, round * 100, round * 100 + 200, round);
          plain.delete(key(round * 100 + 7));
          plain.deleteRange(KeyRange.between(key(round * 100 + 20), key(round * 100 + 25)));
          for (int i = 0; i < 30; i++) {
            counts.merge(key(i), MergeOperators.ofLong(round + i));
            texts.merge(key(i), bytes("round " + round + ", "));
          }
          dying.put(key(round), bytes("for an hour"));
          dying.put(key(round + 10), bytes("for a day"), WriteOptions.expiringAfter(DAY));
          dying.put(key(round + 20), bytes("for ever"), ALWAYS);
          gone.put(key(round), bytes("of a dropped database"));
          if (round < 3) {
            store.flush();
          }
        }
        plain.put(new byte[0], bytes("of the empty key"));
        plain.put(bytes("empty"), new byte[0]);
        plain.put(bytes("long"), bytes("a long value ".repeat(2000)));
        plain.put(bytes("unlogged"), bytes("flushed"), WriteOptions.UNLOGGED);
        store.flush();
        store.dropDatabase("gone");
        store.awaitIdle();
        store.write(
            new WriteBatch()
                .put(plain, bytes("batch"), bytes("logged"))
                .delete(plain, key(11))
                .merge(counts, key(3), MergeOperators.ofLong(1000))
                .merge(texts, key(3), bytes("logged"))
                .put(dying, key(33), bytes("for two days"), DAY.multipliedBy(2))
                .deleteRange(plain, KeyRange.between(key(40), key(45))));
        fill(plain, 490, 560, 9);
        // As a killed process leaves it.
        Directories.copy(open, directory.resolve(STORE));
      }
      deleteAll(open);
    }
  },

  // One for each policy.
  SPLIT_FOREST(CompactionPolicy.splitForest(3)),
  LAZY_FOREST(CompactionPolicy.splitForest(3, true)),
  SIZE_TIERED(CompactionPolicy.sizeTiered(3, false)),
  LAZILY_LEVELED(CompactionPolicy.lazilyLeveled(3)),
  LEVELED(CompactionPolicy.leveled(64 << 10, 4)),
  GUARDED(CompactionPolicy.guarded(3, 3)),
  FIFO(CompactionPolicy.fifo(1 << 30)),

  /** Compressed in each way, encoded, with and without filters. */
  CODECS {
    @Override
    void write(Path directory) {
      try (Store store = builder(directory, directory.resolve(STORE)).open()) {
        for (Compression compression : Compression.values()) {
          Database database =
              store.createDatabase(
                  compression.name(), DatabaseOptions.builder().compression(compression).build());
          for (int round = 0; round < 3; round++) {
            fill(database, round * 100, round * 100 + 300, round);
            store.flush();
          }
          database.put(bytes("a long one"), bytes("again and again ".repeat(3000)));
        }
      }
    }
  },

  /** Values apart from their keys, whole and as streams, some of them overwritten. */
  LARGE_VALUES {
    @Override
    void write(Path directory) throws IOException {
      try (Store store = builder(directory, directory.resolve(STORE)).open()) {
        for (Compression compression : List.of(Compression.NONE, Compression.LZ4)) {
          Database database =
              store.createDatabase(
                  "apart, " + compression,
                  DatabaseOptions.builder()
                      .separateValuesFrom(500)
                      .compression(compression)
                      .build());
          for (int round = 0; round < 3; round++) {
            for (int i = 0; i < 20; i++) {
              database.put(key(i * (round + 1)), bytes(("large " + round + i + " ").repeat(90)));
              database.put(key(1000 + i), bytes("small " + round));
            }
            store.flush();
          }
          byte[] stream = bytes("a part of a stream ".repeat(20_000));
          database.put(
              bytes("stream"),
              stream.length,
              new ByteArrayInputStream(stream),
              WriteOptions.DEFAULT);
        }
      }
    }
  },

  /** Encrypted with a key, which is another one when it is opened. */
  ENCRYPTED {
    @Override
    EncryptionKeys keys() {
      return EncryptionKeys.of(KEYS, 2);
    }

    @Override
    void write(Path directory) {
      writeEncrypted(directory);
    }
  },

  /** Encrypted with one key, then with another. */
  ROTATED {
    @Override
    EncryptionKeys keys() {
      return EncryptionKeys.of(KEYS, 2);
    }

    @Override
    void write(Path directory) {
      writeEncrypted(directory);
      try (Store second = builder(directory, directory.resolve(STORE)).open()) {
        Database database = second.database("values");
        fill(database, 200, 400, 2);
        second.flush();
        fill(database, 350, 420, 3);
        database.put(bytes("large too"), bytes("kept apart ".repeat(90)));
        second.awaitIdle();
      }
    }
  },

  INDEXED {
    @Override
    void write(Path directory) {
      DatabaseOptions options =
          DatabaseOptions.builder().index("byEnd", BY_END).uniqueIndex("byAll", BY_ALL).build();
      try (Store store = builder(directory, directory.resolve(STORE)).open()) {
        Database database = store.createDatabase("indexed", options);
        for (int round = 0; round < 3; round++) {
          fill(database, round * 50, round * 50 + 100, round);
          database.delete(key(round * 50 + 3));
          store.flush();
        }
        fill(database, 120, 160, 7);
      }
    }
  },

  /** Filters of prefixes, of compactions, and of other sizes. */
  FILTERS {
    @Override
    StoreOptions.Builder options() {
      return super.options().filterBitsPerKey(16);
    }

    @Override
    void write(Path directory) {
      try (Store store = builder(directory, directory.resolve(STORE)).open()) {
        for (KeyPrefix prefix : List.of(KeyPrefix.ofLength(4), KeyPrefix.upTo((byte) '0'))) {
          Database database =
              store.createDatabase(
                  prefix.toString(),
                  DatabaseOptions.builder().filterPrefix(prefix).compactionFilter(KEEPING).build());
          for (int round = 0; round < 3; round++) {
            fill(database, round * 100, round * 100 + 200, round);
            store.flush();
          }
        }
      }
    }
  },

  /** The log and new data in one directory, most data in another, the rest in the store's. */
  DEVICES {
    @Override
    StoreOptions options(Path directory) {
      return options()
          .fastDirectory(directory.resolve("fast"))
          .fastBytes(1 << 20)
          .coldDirectory(directory.resolve("cold"))
          .build();
    }
  },

  /** Files that were written elsewhere, and a range deleted by one. */
  INGESTED {
    @Override
    void write(Path directory) {
      try (Store store = builder(directory, directory.resolve(STORE)).open()) {
        fill(store.database(), 0, 200, 1);
        store.flush();
        for (int round = 0; round < 2; round++) {
          Path file = directory.resolve("load-" + round + ".sst");
          try (SstFileWriter writer = SstFileWriter.create(file, options(directory))) {
            if (round == 1) {
              writer.deleteRange(KeyRange.between(key(30), key(60)));
            }
            for (int i = 60; i < 120; i++) {
              writer.put(key(i + round * 50), value(i, 10 + round));
            }
            var unused = writer.finish();
          }
          store.database().ingest(List.of(file), IngestOptions.DEFAULT);
        }
      }
    }
  },

  /** Points of a backup beside the store that they are of. */
  BACKED_UP {
    @Override
    void write(Path directory) {
      Backups backups = Backups.in(directory.resolve(BACKUP));
      try (Store store = builder(directory, directory.resolve(STORE)).open()) {
        Database apart =
            store.createDatabase(
                "apart", DatabaseOptions.builder().separateValuesFrom(500).build());
        for (int round = 0; round < 3; round++) {
          fill(store.database(), round * 100, round * 100 + 150, round);
          apart.put(key(round), bytes("kept apart ".repeat(100)));
          var unused = backups.create(store);
        }
      }
    }
  };

  static final String STORE = "store";
  static final String BACKUP = "backup";
  private static final Duration DAY = Duration.ofDays(1);
  private static final WriteOptions ALWAYS = WriteOptions.builder().neverExpire().build();

  /** When the stores are written. */
  static final Instant WRITTEN = Instant.parse("2026-12-01T00:00:00Z");

  /** When they are read: some entries have expired, some have not, for ever. */
  static final Instant READ = WRITTEN.plus(Duration.ofHours(6));

  private static final Map<Integer, byte[]> KEYS =
      Map.of(
          1, bytes("the first key has 32 bytes here."),
          2, bytes("the second key has 32 bytes too."));

  private static final IndexExtractor BY_END =
      new Extractor("corpus.end", (key, value) -> List.of(new byte[] {key[key.length - 1]}));

  private static final IndexExtractor BY_ALL =
      new Extractor("corpus.all", (key, value) -> List.of(key, value));

  private static final CompactionFilter KEEPING =
      new CompactionFilter() {
        @Override
        public String name() {
          return "corpus.keeping";
        }

        @Override
        public Decision decide(Entry entry) {
          return Decision.KEEP;
        }
      };

  private record Extractor(String name, BiFunction<byte[], byte[], Collection<byte[]>> keys)
      implements IndexExtractor {
    @Override
    public Collection<byte[]> indexKeys(byte[] key, byte[] value) {
      return keys.apply(key, value);
    }
  }

  /** As text, which never changes. */
  private final String policy;

  CorpusStore() {
    this(CompactionPolicy.splitForest());
  }

  CorpusStore(CompactionPolicy policy) {
    this.policy = policy.toString();
  }

  /**
   * Writes it into an empty directory: by default enough for a compaction or two, in some order and
   * with overwrites.
   */
  void write(Path directory) throws IOException {
    try (Store store = builder(directory, directory.resolve(STORE)).open()) {
      for (int round = 0; round < 9; round++) {
        fill(store.database(), round * 80, round * 80 + 160, round);
        for (int i = 0; i < 40; i++) {
          store.database().put(key(i * 37 % 900), value(i, round));
        }
        store.flush();
      }
      store.awaitIdle();
      fill(store.database(), 700, 760, 10);
    }
  }

  /** The settings with which it is opened, but for directories. */
  StoreOptions.Builder options() {
    return StoreOptions.builder()
        .writeBufferBytes(32 << 10)
        .splitUnitBytes(16 << 10)
        .logSegmentBytes(16 << 10)
        .compaction(CompactionPolicy.parse(policy));
  }

  StoreOptions options(Path directory) {
    return options().build();
  }

  EncryptionKeys keys() {
    return EncryptionKeys.NONE;
  }

  /**
   * What opens it, or a copy.
   *
   * @param directory what has the directories beside the store
   * @param store the directory of the store
   */
  Store.Builder builder(Path directory, Path store) {
    return Store.builder(store)
        .options(options(directory))
        .clock(InstantSource.fixed(WRITTEN))
        .indexExtractor(BY_END)
        .indexExtractor(BY_ALL)
        .compactionFilter(KEEPING)
        .encryption(keys());
  }

  /** All entries of all databases. */
  static Map<String, Map<String, String>> content(Store store) {
    Map<String, Map<String, String>> content = new TreeMap<>();
    for (String name : store.databaseNames()) {
      Database database = store.database(name);
      Map<String, String> entries = new TreeMap<>();
      try (Cursor cursor = database.cursor()) {
        while (cursor.next()) {
          entries.put(Described.bytes(cursor.key()), Described.bytes(cursor.value()));
        }
      }
      content.put(name, entries);
    }
    return content;
  }

  private static DatabaseOptions merging(String operator) {
    return DatabaseOptions.builder().mergeOperator(operator).build();
  }

  /** With the first key. */
  void writeEncrypted(Path directory) {
    try (Store store =
        builder(directory, directory.resolve(STORE))
            .encryption(EncryptionKeys.of(KEYS, 1))
            .open()) {
      Database database =
          store.createDatabase("values", DatabaseOptions.builder().separateValuesFrom(500).build());
      for (int round = 0; round < 2; round++) {
        fill(database, round * 100, round * 100 + 200, round);
        database.put(key(1000 + round), bytes("kept apart ".repeat(100)));
        store.flush();
      }
      fill(database, 150, 180, 7);
    }
  }

  static void fill(Database database, int from, int to, int version) {
    for (int i = from; i < to; i++) {
      database.put(key(i), value(i, version));
    }
  }

  static byte[] key(int number) {
    return bytes(String.format("key%06d", number));
  }

  private static byte[] value(int number, int version) {
    return bytes("version " + version + " of the value of " + number);
  }

  private static byte[] bytes(String text) {
    return text.getBytes(UTF_8);
  }

  private static void deleteAll(Path directory) throws IOException {
    for (Path file : Directories.files(directory)) {
      Files.delete(file);
    }
    Files.delete(directory);
  }
}
