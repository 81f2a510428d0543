package io.sifr.internal.engine;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.sifr.config.CompactionPolicy;
import io.sifr.config.LogAccess;
import io.sifr.config.ReadMode;
import io.sifr.config.SearchScheme;
import io.sifr.config.StoreOptions;
import io.sifr.config.WriteOptions;
import io.sifr.event.StoreListener;
import io.sifr.internal.compaction.pick.Policies;
import io.sifr.internal.engine.read.CursorHandle;
import io.sifr.internal.engine.write.BatchBuffer;
import io.sifr.internal.entry.EntryKind;
import io.sifr.internal.io.DiskFileSystem;
import io.sifr.internal.sst.format.BlockCodecs;
import io.sifr.internal.state.DatabaseHandle;
import io.sifr.internal.state.Extensions;
import io.sifr.internal.state.Extensions.Tuning;
import io.sifr.internal.view.Snapshots;
import io.sifr.testing.Directories;
import io.sifr.testing.NoSyncFileSystem;
import io.sifr.testing.PolicyRules;
import io.sifr.testing.TestKinds;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Random;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * A store with two more kinds of entries than there are, and what it should hold. Every step does
 * one random thing to both and compares.
 */
final class EntryKindModel implements AutoCloseable {
  private static final List<SearchScheme> SCHEMES = List.of(SearchScheme.values());
  private static final int MOST_SNAPSHOTS = 4;
  private static final int MOST_CURSORS = 3;

  private final long seed;
  private final Random random;
  private final Path parent;
  private final int keys;
  private final StoreOptions options;
  private final NavigableMap<byte[], byte[]> expected = new TreeMap<>(Arrays::compareUnsigned);
  private final List<SnapshotPair> snapshots = new ArrayList<>();
  private final List<CursorPair> cursors = new ArrayList<>();
  private Path directory;
  private StoreEngine engine;
  private DatabaseHandle database;
  private long steps;
  private int opened;

  private record SnapshotPair(Snapshots.Handle handle, NavigableMap<byte[], byte[]> expected) {}

  private record CursorPair(CursorHandle cursor, NavigableMap<byte[], byte[]> expected) {}

  EntryKindModel(long seed, Path parent, ReadMode readMode, int filterBits) {
    this.seed = seed;
    this.random = new Random(seed);
    this.parent = parent;
    this.keys = 3 + random.nextInt(80);
    this.directory = parent.resolve("store-0");
    this.options =
        StoreOptions.builder()
            .writeBufferBytes(4096L << random.nextInt(5))
            .splitUnitBytes(4096L << random.nextInt(4))
            .compaction(CompactionPolicy.splitForest(2 + random.nextInt(3), random.nextBoolean()))
            .logAccess(random.nextBoolean() ? LogAccess.MAPPED : LogAccess.WRITTEN)
            .logSegmentBytes(4096 << random.nextInt(6))
            .keptLogBytes(random.nextInt(3) == 0 ? 0 : 1L << (8 + random.nextInt(12)))
            .compactionThreads(1 + random.nextInt(3))
            .readMode(readMode)
            .blockCacheBytes(Math.max(0, random.nextInt(24) - 4) * 8192L)
            .memoryBudgetBytes((1L << 20) << random.nextInt(6))
            .searchScheme(SCHEMES.get(random.nextInt(SCHEMES.size())))
            .searchThreads(1 + random.nextInt(4))
            .filterBitsPerKey(filterBits)
            .build();
    open();
  }

  private void open() {
    engine =
        Opening.open(
            new Extensions(
                    TestKinds.ALL,
                    BlockCodecs.STANDARD,
                    PolicyRules.withReads(Policies.of(options)))
                .with(Tuning.DEFAULT.withSstsBeforeGrowth(1 + random.nextInt(20))),
            new NoSyncFileSystem(new DiskFileSystem()),
            directory,
            options,
            StoreListener.NONE,
            null);
    database = engine.database("default");
  }

  /** Seed, options and what was being done, for the message of a failure. */
  String describe() {
    return "seed " + seed + ", step " + steps + ", " + options;
  }

  void run(int count) throws IOException {
    for (int i = 0; i < count; i++) {
      steps++;
      oneStep();
    }
    compareAll(StoreEngine.NOW, expected);
  }

  private void oneStep() throws IOException {
    int choice = random.nextInt(1000);
    if (choice < 500) {
      write();
    } else if (choice < 700) {
      get();
    } else if (choice < 730) {
      multiGet();
    } else if (choice < 860) {
      moveCursor();
    } else if (choice < 900) {
      takeSnapshot();
    } else if (choice < 920) {
      releaseSnapshot();
    } else if (choice < 950) {
      engine.flush();
    } else if (choice < 960) {
      engine.awaitIdle();
    } else if (choice < 970) {
      engine.compact(database);
    } else if (choice < 980) {
      reopen();
    } else if (choice < 985) {
      reopenCopy();
    } else {
      compareAll(StoreEngine.NOW, expected);
    }
  }

  /** Few keys, of which one is written most: its versions fill blocks, and lie in all places. */
  private byte[] anyKey() {
    int number = random.nextInt(3) == 0 ? 0 : random.nextInt(keys);
    return HexFormat.of().toHexDigits((short) (number * 77)).getBytes(US_ASCII);
  }

  private void write() {
    BatchBuffer batch = new BatchBuffer();
    for (int i = random.nextInt(4) == 0 ? random.nextInt(8) : 0; i >= 0; i--) {
      byte[] key = anyKey();
      if (random.nextInt(20) == 0) {
        byte[] to = random.nextInt(10) == 0 ? null : anyKey();
        batch.deleteRange(database, key, to);
        expected
            .keySet()
            .removeIf(other -> isFrom(other, key) && (to == null || !isFrom(other, to)));
        continue;
      }
      byte[] value = new byte[random.nextInt(random.nextInt(10) == 0 ? 3000 : 60)];
      random.nextBytes(value);
      int choice = random.nextInt(20);
      if (choice < 12) {
        add(batch, TestKinds.APPEND, key, value);
      } else if (choice < 14) {
        byte[] flagged = Arrays.copyOf(value, value.length + 1);
        flagged[0] = (byte) random.nextInt(2);
        add(batch, TestKinds.OPTIONAL, key, flagged);
      } else if (choice < 17) {
        add(batch, EntryKind.PUT, key, value);
      } else {
        add(batch, EntryKind.DELETE, key, new byte[0]);
      }
    }
    engine.writes().write(batch, WriteOptions.BUFFERED);
  }

  private static boolean isFrom(byte[] key, byte[] first) {
    return Arrays.compareUnsigned(key, first) >= 0;
  }

  private void add(BatchBuffer batch, EntryKind kind, byte[] key, byte[] value) {
    batch.add(database, kind, key, value);
    byte[] older = kind.settles() ? null : expected.get(key);
    byte[] resolved = kind.resolve(key, value, older);
    if (resolved == null) {
      expected.remove(key);
    } else {
      expected.put(key, resolved);
    }
  }

  private @Nullable SearchScheme anyScheme() {
    return SCHEMES.get(random.nextInt(SCHEMES.size()));
  }

  private void get() {
    SnapshotPair snapshot = anySnapshot();
    long sequence = snapshot == null ? StoreEngine.NOW : snapshot.handle.sequence();
    byte[] key = anyKey();
    byte[] value = (snapshot == null ? expected : snapshot.expected).get(key);
    check(engine.reads().get(database, key, sequence, anyScheme()), value);
    check(
        engine.reads().getAsync(database, key, sequence, anyScheme(), found -> found).join(),
        value);
    assertThat(engine.reads().contains(database, key, sequence, anyScheme()))
        .as(this::describe)
        .isEqualTo(value != null);
    ByteBuf target = Unpooled.buffer();
    int found =
        engine.reads().get(database, Unpooled.wrappedBuffer(key), sequence, anyScheme(), target);
    check(found >= 0 ? Arrays.copyOf(target.array(), found) : null, value);
    byte[][] seen = new byte[1][];
    engine
        .reads()
        .read(
            database,
            key,
            sequence,
            anyScheme(),
            view -> {
              seen[0] = new byte[view.readableBytes()];
              view.readBytes(seen[0]);
            });
    check(seen[0], value);
  }

  private void check(byte @Nullable [] actual, byte @Nullable [] wanted) {
    assertThat(actual).as(this::describe).isEqualTo(wanted);
  }

  private void multiGet() {
    SnapshotPair snapshot = anySnapshot();
    long sequence = snapshot == null ? StoreEngine.NOW : snapshot.handle.sequence();
    List<byte[]> some = new ArrayList<>();
    for (int i = random.nextInt(20); i >= 0; i--) {
      some.add(anyKey());
    }
    List<byte[]> values = engine.reads().multiGet(database, some, sequence, anyScheme());
    for (int i = 0; i < some.size(); i++) {
      check(values.get(i), (snapshot == null ? expected : snapshot.expected).get(some.get(i)));
    }
  }

  private static NavigableMap<byte[], byte[]> copy(NavigableMap<byte[], byte[]> map) {
    return new TreeMap<>(map);
  }

  private @Nullable SnapshotPair anySnapshot() {
    return snapshots.isEmpty() || random.nextBoolean()
        ? null
        : snapshots.get(random.nextInt(snapshots.size()));
  }

  private void takeSnapshot() {
    if (snapshots.size() < MOST_SNAPSHOTS) {
      snapshots.add(new SnapshotPair(engine.acquireSnapshot(), copy(expected)));
    }
  }

  private void releaseSnapshot() {
    if (!snapshots.isEmpty()) {
      SnapshotPair released = snapshots.remove(random.nextInt(snapshots.size()));
      compareAll(released.handle.sequence(), released.expected);
      released.handle.close();
    }
  }

  /** Seeks, and takes some steps there and back. */
  private void moveCursor() {
    if (cursors.size() < MOST_CURSORS && random.nextInt(3) == 0) {
      SnapshotPair snapshot = anySnapshot();
      long sequence = snapshot == null ? StoreEngine.NOW : snapshot.handle.sequence();
      cursors.add(
          new CursorPair(
              engine.openCursor(database, sequence, null, null, anyScheme()),
              copy(snapshot == null ? expected : snapshot.expected)));
    }
    if (cursors.isEmpty()) {
      return;
    }
    CursorPair pair = cursors.get(random.nextInt(cursors.size()));
    CursorHandle cursor = pair.cursor;
    byte[] key = anyKey();
    Map.Entry<byte[], byte[]> at;
    boolean found;
    if (random.nextBoolean()) {
      found = cursor.seek(key);
      at = pair.expected.ceilingEntry(key);
    } else {
      found = cursor.seekBefore(key);
      at = pair.expected.lowerEntry(key);
    }
    compare(cursor, found, at);
    for (int i = random.nextInt(12); i > 0 && at != null; i--) {
      if (random.nextBoolean()) {
        at = pair.expected.higherEntry(at.getKey());
        compare(cursor, cursor.next(), at);
      } else {
        at = pair.expected.lowerEntry(at.getKey());
        compare(cursor, cursor.previous(), at);
      }
    }
    if (random.nextInt(10) == 0) {
      cursors.remove(pair);
      cursor.close();
    }
  }

  private void compare(
      CursorHandle cursor, boolean found, Map.@Nullable Entry<byte[], byte[]> wanted) {
    assertThat(found).as(this::describe).isEqualTo(wanted != null);
    if (wanted != null) {
      check(cursor.key(), wanted.getKey());
      if (random.nextInt(4) > 0) {
        assertThat(cursor.valueLength()).as(this::describe).isEqualTo(wanted.getValue().length);
        check(cursor.value(), wanted.getValue());
      }
    }
  }

  private void compareAll(long sequence, NavigableMap<byte[], byte[]> wanted) {
    try (CursorHandle cursor = engine.openCursor(database, sequence, null, null, anyScheme())) {
      for (Map.Entry<byte[], byte[]> entry : wanted.entrySet()) {
        compare(cursor, cursor.next(), entry);
      }
      assertThat(cursor.next()).as(this::describe).isFalse();
    }
    try (CursorHandle cursor = engine.openCursor(database, sequence, null, null, anyScheme())) {
      for (Map.Entry<byte[], byte[]> entry : wanted.descendingMap().entrySet()) {
        compare(cursor, cursor.previous(), entry);
      }
      assertThat(cursor.previous()).as(this::describe).isFalse();
    }
  }

  private void reopen() {
    close();
    open();
  }

  /** As after a kill: the log is replayed. */
  private void reopenCopy() throws IOException {
    Path copy = parent.resolve("store-" + ++opened);
    engine.awaitIdle();
    Directories.copy(directory, copy);
    close();
    directory = copy;
    open();
    compareAll(StoreEngine.NOW, expected);
  }

  @Override
  public void close() {
    cursors.forEach(pair -> pair.cursor.close());
    cursors.clear();
    snapshots.forEach(pair -> pair.handle.close());
    snapshots.clear();
    engine.close();
  }
}
