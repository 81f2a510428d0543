package io.sifr.behaviour;

import static io.sifr.behaviour.SmallStores.content;
import static io.sifr.behaviour.SmallStores.fill;
import static io.sifr.behaviour.SmallStores.filled;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

import io.sifr.Backups;
import io.sifr.Database;
import io.sifr.KeyRange;
import io.sifr.Store;
import io.sifr.TestBackups;
import io.sifr.TestStores;
import io.sifr.config.DatabaseOptions;
import io.sifr.config.Durability;
import io.sifr.config.LogAccess;
import io.sifr.config.StoreOptions;
import io.sifr.config.WriteOptions;
import io.sifr.error.SifrException;
import io.sifr.error.StoreLockedException;
import io.sifr.event.Metric;
import io.sifr.inspect.CheckProgress;
import io.sifr.inspect.check.StoreCheck;
import io.sifr.inspect.check.TestChecks;
import io.sifr.internal.format.FileKind;
import io.sifr.internal.io.DiskFileSystem;
import io.sifr.internal.manifest.Manifest;
import io.sifr.internal.state.Extensions.Tuning;
import io.sifr.testing.CrashDisk;
import io.sifr.testing.Directories;
import io.sifr.testing.FaultyFileSystem;
import io.sifr.testing.FaultyFileSystem.Fault;
import io.sifr.testing.FaultyFileSystem.Operation;
import io.sifr.testing.ForwardingFileSystem;
import io.sifr.testing.HeapStorage;
import io.sifr.testing.LeakCountingFileSystem;
import io.sifr.testing.Waiting;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.InstantSource;
import java.util.Arrays;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** A store that somebody else has open is copied from outside, through one that is read only. */
@Tag("disk")
class ReadOnlyStoreIsCopiedTest {
  private static final int LARGE = 10_000;
  private static final Tuning VALUES_FIRST = Tuning.DEFAULT.withWriteValuesOnceFrom(LARGE);

  @TempDir Path parent;
  private Path directory = Path.of("");
  private Path copy = Path.of("");
  private Path restored = Path.of("");
  private Backups backups = Backups.in(Path.of("none"));

  @BeforeEach
  void choosePlaces() {
    directory = parent.resolve("store");
    copy = parent.resolve("copy");
    restored = parent.resolve("restored");
    backups = Backups.in(parent.resolve("backups"));
  }

  private static Store readOnly(Path directory) {
    return Store.builder(directory).options(SmallStores.options().build()).openReadOnly();
  }

  /** The content of a copy, which is a sound store, and can be written to. */
  private static Map<String, String> contentOf(Path directory) {
    assertThat(StoreCheck.run(directory, CheckProgress.NONE).findings()).isEmpty();
    Map<String, String> content;
    try (Store store = SmallStores.open(directory)) {
      content = content(store.database());
      fill(store.database(), 100_000, 101_000, 9);
      store.database().compact();
    }
    assertThat(StoreCheck.run(directory, CheckProgress.NONE).findings()).isEmpty();
    return content;
  }

  private void deleteAll(Store writer) throws IOException {
    List<Path> before = Directories.files(directory, FileKind.SST);
    writer.database().deleteRange(KeyRange.all());
    writer.database().compact();
    Waiting.until("the SSTs are deleted", () -> before.stream().noneMatch(Files::exists));
  }

  /**
   * Files that the writer deletes meanwhile included, and what it has neither flushed nor synced.
   */
  @ParameterizedTest
  @EnumSource(LogAccess.class)
  void copiesHaveWhatItShows(LogAccess access) throws IOException {
    StoreOptions options = SmallStores.options().logAccess(access).build();
    try (Store writer = SmallStores.open(directory, options)) {
      Database other = writer.openOrCreateDatabase("other");
      fill(writer.database(), 0, 3000, 1);
      writer.awaitIdle();
      writer.database().put(SmallStores.key(0), SmallStores.value(0, 2), WriteOptions.BUFFERED);
      other.put(SmallStores.key(1), SmallStores.value(1, 1));
      Map<String, String> expected = filled(0, 3000, 1);
      expected.putAll(filled(0, 1, 2));
      try (Store reader = readOnly(directory)) {
        fill(writer.database(), 1000, 5000, 3);
        writer.dropDatabase("other");
        deleteAll(writer);
        backups.create(reader);
        reader.checkpoint(copy);
        assertThat(content(reader.database())).isEqualTo(expected);
      }
      for (Path each : List.of(copy, restoredPoint(1))) {
        try (Store store = SmallStores.open(each)) {
          assertThat(store.databaseNames()).containsExactly(Store.DEFAULT_DATABASE, "other");
          assertThat(content(store.database("other"))).isEqualTo(filled(1, 2, 1));
        }
        assertThat(contentOf(each)).isEqualTo(expected);
      }
    }
  }

  private Path restoredPoint(long number) {
    backups.verify(number, Backups.Progress.NONE);
    backups.restore(number, restored);
    return restored;
  }

  @Test
  void aCheckpointLinksTheSstsThatStillHaveTheirNames() throws IOException {
    try (Store writer = SmallStores.open(directory)) {
      fill(writer.database(), 0, 2000, 1);
      writer.flush();
      writer.awaitIdle();
      try (Store reader = readOnly(directory)) {
        List<Path> ssts = Directories.files(directory, FileKind.SST);
        Files.delete(ssts.get(0)); // as if its writer had
        reader.checkpoint(copy);
        for (Path sst : Directories.files(copy, FileKind.SST)) {
          assertThat((int) Files.getAttribute(sst, "unix:nlink"))
              .as(sst.toString())
              .isEqualTo(sst.getFileName().equals(ssts.get(0).getFileName()) ? 1 : 2);
        }
      }
      assertThat(contentOf(copy)).isEqualTo(filled(0, 2000, 1));
    }
  }

  /** Whoever deletes a store and makes another one in its place uses the same numbers. */
  @Test
  void aFileOfAnotherStoreOfThatNameIsNotLinked() {
    Path other = parent.resolve("other");
    for (Path each : List.of(directory, other)) {
      try (Store writer = SmallStores.open(each)) {
        fill(writer.database(), 0, 2000, each.equals(other) ? 2 : 1);
        writer.database().compact();
      }
    }
    try (Store reader = readOnly(directory)) {
      Store.destroy(directory);
      assertThat(other.toFile().renameTo(directory.toFile())).isTrue();
      reader.checkpoint(copy);
      backups.create(reader);
    }
    assertThat(contentOf(copy)).isEqualTo(filled(0, 2000, 1));
    assertThat(contentOf(restoredPoint(1))).isEqualTo(filled(0, 2000, 1));
  }

  /** Not even a lock. */
  @Test
  void nothingIsWrittenToTheDirectory() throws IOException {
    try (Store writer = SmallStores.open(directory)) {
      fill(writer.database(), 0, 2000, 1);
    }
    Path real = directory.toRealPath();
    FaultyFileSystem refusing = new FaultyFileSystem(new DiskFileSystem());
    EnumSet<Operation> writing =
        EnumSet.of(
            Operation.CREATE_DIRECTORIES,
            Operation.CREATE,
            Operation.OPEN_FOR_WRITE,
            Operation.MAP_FOR_WRITE,
            Operation.RENAME,
            Operation.LINK,
            Operation.DELETE,
            Operation.SYNC_DIRECTORY,
            Operation.LOCK);
    for (Operation operation : writing) {
      refusing.failForGood(operation, path -> path.startsWith(real), 1, Fault.EIO);
    }
    Map<String, Object> before = modified();
    try (Store reader =
        TestStores.openReadOnly(directory, SmallStores.options().build(), refusing)) {
      reader.checkpoint(copy);
      backups.create(reader);
    }
    assertThat(modified()).isEqualTo(before);
    assertThat(contentOf(copy)).isEqualTo(filled(0, 2000, 1));
    assertThat(contentOf(restoredPoint(1))).isEqualTo(filled(0, 2000, 1));
  }

  private Map<String, Object> modified() throws IOException {
    Map<String, Object> times = new TreeMap<>();
    for (Path file : Directories.files(directory)) {
      times.put(file.toString(), Files.getLastModifiedTime(file));
    }
    return times;
  }

  @Test
  void placesWithinTheStoreAreRefused() {
    try (Store writer = SmallStores.open(directory);
        Store reader = readOnly(directory)) {
      assertThat(writer.isReadOnly()).isFalse();
      for (Path inside : List.of(directory, directory.resolve("a"), directory.resolve("a/b"))) {
        assertThatIllegalArgumentException().isThrownBy(() -> reader.checkpoint(inside));
        assertThatIllegalArgumentException().isThrownBy(() -> Backups.in(inside).create(reader));
      }
      assertThatIllegalArgumentException()
          .isThrownBy(() -> reader.checkpoint(parent))
          .withMessageContaining("is not empty");
    }
  }

  /** The application's own points and those that are made from outside share what they hold. */
  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void nothingIsPutTwice(boolean isStorage) {
    Backups place =
        isStorage
            ? Backups.in(new HeapStorage(InstantSource.system(), new Random(1)))
            : Backups.in(parent.resolve("backups"));
    try (Store writer = SmallStores.open(directory)) {
      fill(writer.database(), 0, 3000, 1);
      writer.flush();
      writer.awaitIdle();
      long whole = place.create(writer).copiedBytes();
      try (Store reader = readOnly(directory)) {
        assertThat(place.create(reader).copiedBytes()).isLessThan(whole / 20);
      }
      fill(writer.database(), 3000, 3100, 1);
      writer.flush();
      try (Store reader = readOnly(directory)) {
        Backups.Point point = place.create(reader);
        assertThat(point.number()).isEqualTo(3);
        assertThat(point.copiedBytes()).isLessThan(whole / 4);
      }
      assertThat(place.create(writer).copiedBytes()).isLessThan(whole / 20);
      place.delete(1);
    }
    place.verify(3, Backups.Progress.NONE);
    place.restore(3, restored);
    assertThat(contentOf(restored)).isEqualTo(filled(0, 3100, 1));
  }

  /** In a storage at the same time; in a directory one of them is refused, and tries again. */
  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void bothMayAddPointsToOnePlace(boolean isStorage) throws Exception {
    HeapStorage storage = new HeapStorage(InstantSource.system(), new Random(1));
    Supplier<Backups> place =
        () -> isStorage ? Backups.in(storage) : Backups.in(parent.resolve("backups"));
    int each = 6;
    Set<Long> numbers = ConcurrentHashMap.newKeySet();
    AtomicReference<@Nullable Throwable> failure = new AtomicReference<>();
    try (Store writer = SmallStores.open(directory)) {
      fill(writer.database(), 0, 1000, 1);
      create(place.get(), writer);
      Thread inside =
          new Thread(
              () -> {
                try {
                  for (int i = 0; i < each; i++) {
                    fill(writer.database(), 1000 + 100 * i, 1100 + 100 * i, 1);
                    assertThat(numbers.add(create(place.get(), writer))).isTrue();
                  }
                } catch (RuntimeException | Error e) {
                  failure.set(e);
                }
              });
      inside.start();
      for (int i = 0; i < each; i++) {
        try (Store reader = readOnly(directory)) {
          assertThat(numbers.add(create(place.get(), reader))).isTrue();
        }
      }
      inside.join();
    }
    assertThat(failure.get()).isNull();
    assertThat(numbers).hasSize(2 * each);
    assertThat(place.get().numbers()).containsAll(numbers);
    for (long number : numbers) {
      Path point = parent.resolve("point" + number);
      place.get().restore(number, point);
      assertThat(contentOf(point)).containsAllEntriesOf(filled(0, 1000, 1));
    }
  }

  private static long create(Backups place, Store store) {
    while (true) {
      try {
        return place.create(store).number();
      } catch (StoreLockedException e) {
        Thread.onSpinWait();
      }
    }
  }

  private static byte[] large(int seed, int bytes) {
    byte[] value = new byte[bytes];
    new Random(seed).nextBytes(value);
    return value;
  }

  private static Database apart(Store store) {
    return store.openOrCreateDatabase(
        "apart", DatabaseOptions.builder().separateValuesFrom(100).build());
  }

  private void requireLarge(Path store, int count) {
    try (Store opened =
        TestStores.open(store, SmallStores.options().build(), new DiskFileSystem())) {
      for (int i = 0; i <= count; i++) {
        byte[] expected = i < count ? large(i, LARGE + i) : null;
        assertThat(opened.database("apart").get(SmallStores.key(i))).isEqualTo(expected);
      }
      opened.database("apart").put(SmallStores.key(count), large(7, 10 * LARGE));
      opened.flush();
      opened.database("apart").compact();
    }
    assertThat(StoreCheck.run(store, CheckProgress.NONE).findings()).isEmpty();
  }

  /**
   * Values to which only the log refers are in a file that grows: each copy has it as it was seen,
   * also when SSTs were made of the log because it is longer than the reader's write buffers.
   */
  @ParameterizedTest
  @ValueSource(longs = {4 << 10, 1 << 20})
  void aValueFileThatGrowsBelongsToEachCopy(long writeBufferBytes) throws IOException {
    StoreOptions options = SmallStores.options().writeBufferBytes(writeBufferBytes).build();
    StoreOptions ofWriter = SmallStores.options().writeBufferBytes(8 << 20).build();
    int[] counts = {30, 60, 90};
    try (Store writer = TestStores.open(directory, ofWriter, VALUES_FIRST, new DiskFileSystem())) {
      Database database = apart(writer);
      int written = 0;
      for (int count : counts) {
        for (; written < count; written++) {
          database.put(SmallStores.key(written), large(written, LARGE + written));
          database.put(SmallStores.key(1000 + written), large(written, 90)); // which are in the log
        }
        try (Store reader = TestStores.openReadOnly(directory, options, new DiskFileSystem())) {
          assertThat(reader.statistics().get(Metric.SSTS) > 0).isEqualTo(writeBufferBytes < 5000);
          reader.checkpoint(parent.resolve("copy" + count));
          backups.create(reader);
        }
      }
      assertThat(Directories.files(directory, FileKind.VALUES)).hasSize(1);
      writer.flush();
      try (Store reader = readOnly(directory)) {
        backups.create(reader);
      }
      assertThat(backups.create(writer).copiedBytes()).isLessThan(5 * LARGE);
    }
    for (int i = 0; i < counts.length; i++) {
      assertThat(Directories.files(parent.resolve("copy" + counts[i]), FileKind.VALUES)).hasSize(1);
      requireLarge(parent.resolve("copy" + counts[i]), counts[i]);
      Path point = parent.resolve("point" + i);
      backups.verify(i + 1, Backups.Progress.NONE);
      backups.restore(i + 1, point);
      requireLarge(point, counts[i]);
    }
    for (long number : List.of(4L, 5L)) {
      Path point = parent.resolve("last" + number);
      backups.verify(number, Backups.Progress.NONE);
      backups.restore(number, point);
      requireLarge(point, 90);
    }
    requireLarge(directory, 90);
  }

  /** A put that is under way leaves a part of a value in the file, a power failure anything. */
  @ParameterizedTest
  @ValueSource(ints = {0, 1000})
  void ofAPartOfAValueNothingIsLeft(int zeros) throws IOException {
    StoreOptions ofWriter = SmallStores.options().writeBufferBytes(8 << 20).build();
    try (Store writer = TestStores.open(directory, ofWriter, VALUES_FIRST, new DiskFileSystem())) {
      apart(writer).put(SmallStores.key(0), large(0, LARGE));
      Path file = Directories.files(directory, FileKind.VALUES).get(0);
      byte[] content = Files.readAllBytes(file);
      byte[] longer = Arrays.copyOf(content, content.length + 5000);
      Arrays.fill(longer, content.length + zeros, longer.length, (byte) 'x');
      Files.write(file, longer);
      try (Store reader = TestStores.openReadOnly(directory, ofWriter, new DiskFileSystem())) {
        reader.checkpoint(copy);
        backups.create(reader);
      }
      Files.write(file, content);
    }
    requireLarge(copy, 1);
    requireLarge(restoredPoint(1), 1);
  }

  @Test
  void anEncryptedStoreIsCopiedEncrypted() {
    try (Store writer = Secrets.builder(directory, Secrets.KEYS).open()) {
      fill(writer.database(), 0, 2000, 1);
      try (Store reader = Secrets.builder(directory, Secrets.ROTATED).openReadOnly()) {
        reader.checkpoint(copy);
        assertThat(backups.create(reader).databases()).isEmpty();
      }
    }
    for (Path each : List.of(copy, restoredPoint(1))) {
      assertThatExceptionOfType(SifrException.class).isThrownBy(() -> Store.open(each).close());
      assertThat(StoreCheck.run(each, Secrets.ROTATED, CheckProgress.NONE).findings()).isEmpty();
      try (Store store = Secrets.builder(each, Secrets.ROTATED).open()) {
        assertThat(content(store.database())).isEqualTo(filled(0, 2000, 1));
      }
    }
  }

  /** Its copies lie in one directory, wherever its files are. */
  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void filesInOtherDirectoriesAreCopied(boolean isFast) throws IOException {
    Path side = parent.resolve("side");
    StoreOptions.Builder options = SmallStores.options();
    StoreOptions with =
        isFast
            ? options.fastDirectory(side).fastBytes(1 << 20).build()
            : options.coldDirectory(side).build();
    try (Store writer = Store.open(directory, with)) {
      fill(writer.database(), 0, 4000, 1);
      writer.flush();
      if (!isFast) {
        writer.database().compact();
      }
      fill(writer.database(), 0, 10, 2);
      assertThat(Directories.files(side, FileKind.SST)).isNotEmpty();
      try (Store reader = readOnly(directory)) {
        deleteAll(writer);
        reader.checkpoint(copy);
        backups.create(reader);
      }
    }
    Map<String, String> expected = filled(0, 4000, 1);
    expected.putAll(filled(0, 10, 2));
    assertThat(contentOf(copy)).isEqualTo(expected);
    assertThat(contentOf(restoredPoint(1))).isEqualTo(expected);
  }

  @Test
  void aStoreInMemoryIsCopiedToTheDisk() {
    Store.Builder builder = Store.inMemory().options(SmallStores.options().build());
    try (Store writer = builder.open()) {
      fill(writer.database(), 0, 2000, 1);
      try (Store reader = builder.openReadOnly()) {
        writer.database().deleteRange(KeyRange.all());
        writer.database().compact();
        reader.checkpoint(copy);
        backups.create(reader);
      }
    }
    assertThat(contentOf(copy)).isEqualTo(filled(0, 2000, 1));
    assertThat(contentOf(restoredPoint(1))).isEqualTo(filled(0, 2000, 1));
  }

  @Test
  void whatIsUnloggedAndUnflushedIsMissingInACopyToo() {
    try (Store writer = SmallStores.open(directory)) {
      fill(writer.database(), 0, 10, 1);
      writer.database().put(SmallStores.key(3), SmallStores.value(3, 2), WriteOptions.UNLOGGED);
      try (Store reader = readOnly(directory)) {
        reader.checkpoint(copy);
      }
    }
    assertThat(contentOf(copy)).isEqualTo(filled(0, 10, 1));
  }

  @Test
  void closingItEndsACopyAndLeavesNothing() {
    try (Store writer = SmallStores.open(directory)) {
      fill(writer.database(), 0, 3000, 1);
      writer.flush();
      Store reader = readOnly(directory);
      AtomicBoolean isClosing = new AtomicBoolean();
      Thread closing = new Thread(reader::close);
      assertThatIllegalStateException()
          .isThrownBy(
              () ->
                  backups.create(
                      reader,
                      (done, total) -> {
                        if (isClosing.compareAndSet(false, true)) {
                          closing.start();
                          Waiting.until("it is closing", () -> isClosed(reader));
                        }
                      }));
      Waiting.until("it is closed", () -> !closing.isAlive());
      assertThat(backups.numbers()).isEmpty();
      assertThatIllegalStateException().isThrownBy(() -> reader.checkpoint(copy));
      assertThat(copy).doesNotExist();
    }
  }

  private static boolean isClosed(Store store) {
    try {
      return store.databaseNames().isEmpty();
    } catch (IllegalStateException e) {
      return true;
    }
  }

  /** Files that were made after the manifest was read have numbers that a copy must not use. */
  @Test
  void aCopyUsesNoNumberOfAFileThatItHas() {
    Path store = Path.of("/store");
    Path target = Path.of("/copy");
    CrashDisk disk = CrashDisk.with(store);
    StoreOptions options = SmallStores.options().writeBufferBytes(1 << 20).build();
    try (Store writer = TestStores.open(store, options, disk.fileSystem())) {
      fill(writer.database(), 0, 10, 1);
      AtomicBoolean isFirst = new AtomicBoolean(true);
      ForwardingFileSystem files =
          new ForwardingFileSystem(disk.fileSystem()) {
            @Override
            public List<String> list(Path listed) {
              if (listed.equals(store) && isFirst.compareAndSet(true, false)) {
                TestStores.useNumbers(writer, 3000);
                fill(writer.database(), 10, 500, 1); // which takes several segments
              }
              return super.list(listed);
            }
          };
      try (Store reader = TestStores.openReadOnly(store, options, files)) {
        assertThat(content(reader.database())).isEqualTo(filled(0, 500, 1));
        reader.checkpoint(target);
      }
    }
    long largest =
        Stream.of(FileKind.values())
            .flatMap(kind -> kind.numbersIn(disk.fileSystem(), target).stream())
            .mapToLong(Long::longValue)
            .max()
            .orElseThrow();
    assertThat(Manifest.recover(disk.fileSystem(), target).catalog().nextNumber())
        .isGreaterThan(largest);
    try (Store opened = TestStores.open(target, options, disk.fileSystem())) {
      fill(opened.database(), 500, 3000, 1);
      assertThat(content(opened.database())).isEqualTo(filled(0, 3000, 1));
    }
    assertThat(TestChecks.run(disk.fileSystem(), target).findings()).isEmpty();
  }

  /** Each call to the disk fails once: nothing is left, nothing stays open, and it can go on. */
  @Test
  void aCopyThatFailsLeavesNothing() {
    try (Store writer = SmallStores.open(directory)) {
      fill(writer.database(), 0, 600, 1);
      Path target = parent.resolve("copies").resolve("target");
      for (Operation operation :
          EnumSet.of(
              Operation.CREATE,
              Operation.APPEND,
              Operation.SYNC,
              Operation.READ,
              Operation.OPEN_FOR_READ,
              Operation.LINK,
              Operation.SYNC_DIRECTORY)) {
        boolean failed = true;
        for (int nth = 1; failed; nth++) {
          FaultyFileSystem faulty = new FaultyFileSystem(new DiskFileSystem());
          LeakCountingFileSystem counting = new LeakCountingFileSystem(faulty);
          try (Store reader =
              TestStores.openReadOnly(directory, SmallStores.options().build(), counting)) {
            faulty.failOnce(operation, FaultyFileSystem.ANY_PATH, nth, Fault.EIO);
            try {
              reader.checkpoint(target);
              failed = false;
            } catch (SifrException e) {
              assertThat(target).as(operation + " " + nth).doesNotExist();
            }
            faulty.heal();
            if (!failed) {
              assertThat(contentOf(target)).isEqualTo(filled(0, 600, 1));
              Store.destroy(target);
            }
            assertThat(TestBackups.in(parent.resolve("others"), counting).create(reader))
                .isNotNull();
          }
          counting.assertNothingOpen();
        }
      }
    }
  }

  @Test
  void syncedWritesAreInTheCopyAfterItsWriterWasClosed() {
    Store writer = SmallStores.open(directory);
    fill(writer.database(), 0, 100, 1);
    writer
        .database()
        .put(SmallStores.key(0), SmallStores.value(0, 2), WriteOptions.of(Durability.SYNC));
    try (Store reader = readOnly(directory)) {
      writer.close();
      Store.destroy(directory);
      reader.checkpoint(copy);
    }
    Map<String, String> expected = filled(0, 100, 1);
    expected.putAll(filled(0, 1, 2));
    assertThat(contentOf(copy)).isEqualTo(expected);
  }
}
