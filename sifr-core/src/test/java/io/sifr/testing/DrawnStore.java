package io.sifr.testing;

import static org.assertj.core.api.Assertions.assertThat;

import io.sifr.Database;
import io.sifr.KeyRange;
import io.sifr.Snapshot;
import io.sifr.Store;
import io.sifr.TestStores;
import io.sifr.WriteBatch;
import io.sifr.config.CompactionPolicy;
import io.sifr.config.DatabaseOptions;
import io.sifr.config.Durability;
import io.sifr.config.KeyPrefix;
import io.sifr.config.LogAccess;
import io.sifr.config.StoreOptions;
import io.sifr.config.WriteOptions;
import io.sifr.event.Metric;
import io.sifr.inspect.dump.DumpedRecord;
import io.sifr.inspect.dump.FileDump;
import io.sifr.internal.format.FileKind;
import io.sifr.internal.io.DiskFileSystem;
import io.sifr.internal.io.StoreFileSystem;
import io.sifr.internal.offline.OfflineStore;
import io.sifr.internal.sst.read.TestCodecs;
import io.sifr.internal.state.Extensions.Tuning;
import io.sifr.internal.volume.StoreVolumes;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * A store of random content, small enough to be copied thousands of times, as a process leaves it
 * that closed it or was killed; and all writes that led to it, so that each state is known that a
 * recovery may find.
 */
public final class DrawnStore {
  public static final StoreFileSystem FILES = new NoSyncFileSystem(new DiskFileSystem());

  /** Databases that are there from the first write to the last. */
  public static final List<String> DATABASES = List.of(Store.DEFAULT_DATABASE, "second", "third");

  private static final int HUGE_VALUE = 17 * 4096;

  /** One put, or a delete without a value; of a range of keys, if {@code range} is not null. */
  @SuppressWarnings("ArrayRecordComponent") // never compared
  public record Operation(
      String database, byte[] key, byte @Nullable [] value, @Nullable Range range) {}

  /** From a key to one after the range, if it has an end. */
  @SuppressWarnings("ArrayRecordComponent") // never compared
  public record Range(byte[] from, byte @Nullable [] to) {
    KeyRange asKeyRange() {
      return to == null ? KeyRange.atLeast(from) : KeyRange.between(from, to);
    }

    boolean contains(byte[] key) {
      return Arrays.compareUnsigned(key, from) >= 0
          && (to == null || Arrays.compareUnsigned(key, to) < 0);
    }
  }

  private final Random random;
  private final Path directory;
  private final int keys;
  private final List<List<Operation>> writes = new ArrayList<>();
  private int durableWrites;

  private DrawnStore(Random random, Path directory) {
    this.random = random;
    this.directory = directory;
    this.keys = 50 + random.nextInt(1000);
  }

  /** One that was closed. */
  public static DrawnStore closed(Random random, Path parent) {
    DrawnStore drawn = new DrawnStore(random, parent.resolve("closed"));
    try (Store store = drawn.open(drawn.directory)) {
      drawn.write(store);
    }
    drawn.durableWrites = drawn.writes.size();
    return drawn;
  }

  /** One whose process was killed. */
  public static DrawnStore killed(Random random, Path parent) throws IOException {
    Path live = parent.resolve("live");
    DrawnStore drawn = new DrawnStore(random, parent.resolve("killed"));
    try (Store store = drawn.open(live)) {
      drawn.write(store);
      Waiting.until("obsolete SSTs are deleted", () -> isSettled(store, live));
      Directories.copy(live, drawn.directory);
    }
    return drawn;
  }

  private static boolean isSettled(Store store, Path live) {
    store.awaitIdle();
    try {
      List<Path> segments = Directories.files(live, FileKind.WAL);
      List<DumpedRecord> last = new ArrayList<>();
      FileDump.dump(segments.get(segments.size() - 1), last::add);
      return last.stream().noneMatch(piece -> piece.kind().equals("record"))
          && Directories.files(live, FileKind.SST).size() == store.statistics().get(Metric.SSTS);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** The files of a store whose blocks may be encoded by the tests' codecs. */
  @SuppressWarnings("exports") // nobody but the tests of this module sees it
  public static OfflineStore offline(StoreFileSystem fileSystem, Path directory) {
    return new OfflineStore(
        StoreVolumes.ofTool(fileSystem, directory), directory, TestCodecs.READING_ALL);
  }

  private Store open(Path at) {
    StoreOptions options =
        StoreOptions.builder()
            .writeBufferBytes(16384L << random.nextInt(3))
            .splitUnitBytes(4096L << random.nextInt(4))
            .compaction(CompactionPolicy.splitForest(2 + random.nextInt(2)))
            .maxSpaceAmplification(random.nextBoolean() ? 0 : 1.1 + random.nextDouble())
            .logAccess(random.nextBoolean() ? LogAccess.MAPPED : LogAccess.WRITTEN)
            .logSegmentBytes(8192 << random.nextInt(3))
            .maxLogBytes(1 << 17)
            .keptLogBytes(random.nextBoolean() ? 0 : 1 << 20)
            .blockCacheBytes(keys % 4 * 4096L) // little, so that blocks are read again and again
            .build();
    Tuning tuning =
        Tuning.DEFAULT
            .withSstsBeforeGrowth(1 + random.nextInt(20))
            .withWriteValuesOnceFrom(1 << random.nextInt(12));
    return TestStores.open(at, options, tuning, FILES, TestCodecs.any(random));
  }

  private void write(Store store) {
    for (String name : DATABASES.subList(1, DATABASES.size())) {
      int from = random.nextInt(3) == 0 ? 0 : 1 << random.nextInt(12);
      KeyPrefix prefix = random.nextBoolean() ? null : KeyPrefix.ofLength(1 + random.nextInt(4));
      DatabaseOptions options =
          DatabaseOptions.builder().separateValuesFrom(from).filterPrefix(prefix).build();
      assertThat(store.createDatabase(name, options)).isNotNull();
    }
    Database dropped = store.openOrCreateDatabase("dropped");
    int count = 200 + random.nextInt(1500);
    List<Snapshot> snapshots = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      if (i == count / 2) {
        dropped.put(key(), key());
        store.dropDatabase("dropped");
      } else if (i < count / 2 && random.nextInt(20) == 0) {
        dropped.put(key(), value());
      }
      if (random.nextInt(100) == 0) {
        snapshots.add(store.snapshot());
      }
      writeOnce(store, random.nextInt(200));
    }
    snapshots.forEach(Snapshot::close);
    // The end of log and manifest is where damage is hardest to tell from what a crash leaves.
    writeOnce(store, random.nextInt(12));
  }

  private void writeOnce(Store store, int choice) {
    Durability durability = choice < 6 ? Durability.SYNC : Durability.BUFFERED;
    boolean flushed = choice == 6;
    WriteBatch batch = new WriteBatch();
    List<Operation> operations = new ArrayList<>();
    int count = random.nextInt(5) == 0 ? 1 + random.nextInt(6) : 1;
    for (int i = 0; i < count; i++) {
      Operation operation = operation();
      operations.add(operation);
      Database database = store.database(operation.database());
      if (operation.range() != null) {
        batch.deleteRange(database, operation.range().asKeyRange());
      } else if (operation.value() == null) {
        batch.delete(database, operation.key());
      } else {
        batch.put(database, operation.key(), operation.value());
      }
    }
    // Without the log only together with a flush: until then the order of writes is not promised.
    store.write(batch, WriteOptions.of(flushed ? Durability.NONE : durability));
    writes.add(operations);
    if (flushed) {
      store.flush();
    } else if (choice == 7) {
      store.sync();
    }
    if (choice < 8) {
      durableWrites = writes.size();
    }
  }

  private Operation operation() {
    String database = DATABASES.get(random.nextInt(4) % DATABASES.size());
    if (random.nextInt(40) == 0) {
      Range range = range();
      return new Operation(database, range.from(), null, range);
    }
    return new Operation(database, key(), random.nextInt(4) == 0 ? null : value(), null);
  }

  /** Mostly a narrow one: else little would be left. */
  private Range range() {
    byte[] from = key();
    if (random.nextInt(12) == 0) {
      return new Range(from, random.nextBoolean() ? null : key());
    }
    byte[] to = Arrays.copyOf(from, 7);
    to[6]++;
    return new Range(Arrays.copyOf(from, 7), to);
  }

  private byte[] key() {
    String text = String.format("key%05d", random.nextInt(keys));
    String end = text.endsWith("7") ? "-" + "long".repeat(40) : "";
    return (text + end).getBytes(StandardCharsets.US_ASCII);
  }

  private byte[] value() {
    int length =
        switch (random.nextInt(60)) {
          case 0, 1 -> 0;
          case 2 -> 3000 + random.nextInt(15_000);
          case 3 -> random.nextInt(4) == 0 ? HUGE_VALUE + random.nextInt(9000) : 100;
          default -> random.nextInt(120);
        };
    byte[] value = new byte[length];
    random.nextBytes(value);
    return value;
  }

  public Path directory() {
    return directory;
  }

  /** Number of writes; each is a batch, applied wholly or not at all. */
  public int writes() {
    return writes.size();
  }

  /** How many of them no failure may undo. */
  public int durableWrites() {
    return durableWrites;
  }

  /** All keys that were ever written, and one that never was. */
  public Set<byte[]> keysEverWritten() {
    Set<byte[]> all = new TreeSet<>(Arrays::compareUnsigned);
    writes.forEach(write -> write.forEach(operation -> all.add(operation.key())));
    all.add("nobody".getBytes(StandardCharsets.US_ASCII));
    return all;
  }

  /** What a database holds after the first {@code count} writes. */
  public NavigableMap<byte[], byte[]> stateAfter(int count, String database) {
    NavigableMap<byte[], byte[]> state = new TreeMap<>(Arrays::compareUnsigned);
    for (List<Operation> write : writes.subList(0, count)) {
      for (Operation operation : write) {
        if (operation.database().equals(database)) {
          apply(operation, state);
        }
      }
    }
    return state;
  }

  private static void apply(Operation operation, Map<byte[], byte[]> state) {
    if (operation.range() != null) {
      state.keySet().removeIf(operation.range()::contains);
    } else if (operation.value() == null) {
      state.remove(operation.key());
    } else {
      state.put(operation.key(), operation.value());
    }
  }

  /** Fingerprints of what a database holds after no write, after the first one, … after all. */
  public long[] fingerprints(String database) {
    long[] prints = new long[writes.size() + 1];
    NavigableMap<byte[], byte[]> state = new TreeMap<>(Arrays::compareUnsigned);
    for (int i = 0; i < writes.size(); i++) {
      long print = prints[i];
      for (Operation operation : writes.get(i)) {
        if (operation.database().equals(database)) {
          if (operation.range() == null) {
            print -= fingerprint(operation.key(), state.get(operation.key()));
            apply(operation, state);
            print += fingerprint(operation.key(), operation.value());
          } else {
            apply(operation, state);
            print = 0;
            for (Map.Entry<byte[], byte[]> left : state.entrySet()) {
              print += fingerprint(left.getKey(), left.getValue());
            }
          }
        }
      }
      prints[i + 1] = print;
    }
    return prints;
  }

  /** What an entry adds to the fingerprint of a state; nothing for a key without a value. */
  public static long fingerprint(byte[] key, byte @Nullable [] value) {
    if (value == null) {
      return 0;
    }
    long hash = 1;
    for (byte b : key) {
      hash = (hash ^ b) * 0x9E3779B97F4A7C15L;
      hash ^= hash >>> 29;
    }
    for (byte b : value) {
      hash = (hash ^ b) * 0xD6E8FEB86659FD93L;
      hash ^= hash >>> 31;
    }
    return hash;
  }
}
