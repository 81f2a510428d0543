package io.sifr.behaviour;

import static io.sifr.behaviour.SmallStores.content;
import static io.sifr.behaviour.SmallStores.fill;
import static io.sifr.behaviour.SmallStores.filled;
import static io.sifr.behaviour.SmallStores.key;
import static io.sifr.behaviour.SmallStores.value;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sifr.Backups;
import io.sifr.Database;
import io.sifr.KeyRange;
import io.sifr.Store;
import io.sifr.TestBackups;
import io.sifr.TestStores;
import io.sifr.config.ReadMode;
import io.sifr.config.StoreOptions;
import io.sifr.config.WriteOptions;
import io.sifr.error.CorruptionException;
import io.sifr.error.SideDirectoryException;
import io.sifr.error.StoreIoException;
import io.sifr.event.Metric;
import io.sifr.inspect.check.TestChecks;
import io.sifr.inspect.dump.TestDumps;
import io.sifr.inspect.salvage.TestSalvages;
import io.sifr.internal.crypt.FileKeys;
import io.sifr.internal.format.Checksums;
import io.sifr.internal.format.FileHeader;
import io.sifr.internal.format.FileKind;
import io.sifr.internal.io.AppendFile;
import io.sifr.internal.io.RandomReadFile;
import io.sifr.internal.io.StoreFileSystem;
import io.sifr.internal.offline.Removal;
import io.sifr.internal.sst.format.Footer;
import io.sifr.testing.CrashDisk;
import io.sifr.testing.ForwardingFileSystem;
import io.sifr.testing.SimulatedCrash;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Compactions write the last stage to another device, where reads are slow, and everything finds
 * what is there.
 */
class LastStagesLieInAColdDirectoryTest {
  private static final Path DIRECTORY = Path.of("/store");
  private static final Path COLD = Path.of("/cold");
  private static final Path FAST = Path.of("/fast");

  private final CrashDisk disk = CrashDisk.with(DIRECTORY);
  private ObjectStorage files = new ObjectStorage(disk.fileSystem(), COLD);

  private static StoreOptions.Builder without() {
    return SmallStores.options().checkBytesPerSecond(0); // it would read there, too
  }

  private static StoreOptions with() {
    return without().coldDirectory(COLD).build();
  }

  private Store open(StoreOptions options) {
    return TestStores.open(DIRECTORY, options, files);
  }

  private List<Long> ssts(Path directory) {
    return FileKind.SST.numbersIn(disk.fileSystem(), directory);
  }

  private List<Long> tails() {
    return FileKind.TAIL.numbersIn(disk.fileSystem(), DIRECTORY);
  }

  private boolean exists(Path directory, String name) {
    return disk.fileSystem().exists(directory.resolve(name));
  }

  private byte[] read(Path path) {
    try (RandomReadFile file = disk.fileSystem().openForRead(path)) {
      ByteBuffer bytes = ByteBuffer.allocate((int) file.size());
      file.readFully(bytes, 0);
      return bytes.array();
    }
  }

  private void write(Path path, byte[] bytes) {
    disk.fileSystem().delete(path);
    try (AppendFile file = disk.fileSystem().create(path)) {
      file.append(bytes, 0, bytes.length);
      file.sync();
    }
  }

  /** A store whose data is cold, closed. */
  private void fillCold() {
    try (Store store = open(with())) {
      fill(store.database(), 0, 1000, 1);
      store.database().compact();
    }
    assertThat(ssts(COLD)).isNotEmpty();
    assertThat(ssts(DIRECTORY)).isEmpty();
    assertThat(tails()).isEqualTo(ssts(COLD));
  }

  private void assertFilled(StoreOptions options) {
    try (Store store = open(options)) {
      assertThat(content(store.database())).isEqualTo(filled(0, 1000, 1));
    }
  }

  @ParameterizedTest
  @EnumSource
  void compactionsOfTheLastStageWriteThereAndFlushesDoNot(ReadMode mode) {
    StoreOptions options = without().coldDirectory(COLD).readMode(mode).build();
    try (Store store = open(options)) {
      Database database = store.database();
      fill(database, 0, 300, 1);
      store.flush();
      assertThat(ssts(COLD)).isEmpty();
      assertThat(ssts(DIRECTORY)).isNotEmpty();
      fill(database, 300, 6000, 1);
      store.flush();
      store.awaitIdle();
      assertThat(ssts(COLD)).isNotEmpty();
      assertThat(tails()).isEqualTo(ssts(COLD));
      database.compact();
      assertThat(ssts(DIRECTORY)).isEmpty();
      assertThat(content(database)).isEqualTo(filled(0, 6000, 1));
    }
    try (Store store = open(options)) {
      assertThat(content(store.database())).isEqualTo(filled(0, 6000, 1));
    }
    try (Store store = TestStores.openReadOnly(DIRECTORY, options, files)) {
      assertThat(content(store.database())).isEqualTo(filled(0, 6000, 1));
    }
    try (Store store = open(without().readMode(mode).build())) {
      assertThat(content(store.database())).isEqualTo(filled(0, 6000, 1));
    }
  }

  @Test
  void theOtherDirectoriesGetTheirOwnStages() {
    StoreOptions options =
        without().coldDirectory(COLD).fastDirectory(FAST).fastBytes(256 << 10).build();
    try (Store store = open(options)) {
      fill(store.database(), 0, 1000, 1);
      store.flush();
      assertThat(ssts(FAST)).isNotEmpty();
      assertThat(ssts(COLD)).isEmpty();
      store.database().compact();
      assertThat(ssts(FAST)).isEmpty();
      assertThat(ssts(COLD)).isNotEmpty();
    }
    assertFilled(options);
    assertFilled(without().build());
  }

  /**
   * Not even when it is the first to need the SST. With so many bits the filter is hardly wrong.
   */
  @Test
  void whatTheFilterRulesOutTouchesNothingThere() {
    StoreOptions options = without().coldDirectory(COLD).filterBitsPerKey(20).build();
    try (Store store = open(options)) {
      fill(store.database(), 0, 1000, 1);
      store.database().compact();
    }
    try (Store store = open(options)) {
      files.touched.set(0);
      for (int i = 0; i < 200; i++) {
        byte[] absent = (new String(key(i), UTF_8) + "?").getBytes(UTF_8);
        assertThat(store.database().get(absent)).isNull();
      }
      assertThat(files.touched).hasValue(0);
      assertThat(store.database().get(key(7))).isEqualTo(value(7, 1));
      assertThat(files.touched.get()).isPositive();
    }
  }

  @Test
  void aGetReadsItsBlockAlone() {
    fillCold();
    try (Store store = open(without().coldDirectory(COLD).blockCacheBytes(0).build())) {
      files.reads.set(0);
      for (int i = 0; i < 1000; i += 50) {
        int before = files.reads.get();
        assertThat(store.database().get(key(i))).isEqualTo(value(i, 1));
        assertThat(files.reads.get() - before).isLessThanOrEqualTo(1);
      }
      assertThat(files.reads.get()).isPositive();
    }
  }

  /** They are not asked for the sizes of files: there may be thousands. */
  @Test
  void figuresTouchNothingThere() {
    fillCold();
    try (Store store = open(with())) {
      files.touched.set(0);
      assertThat(store.statistics().get(Metric.DISK_BYTES)).isGreaterThan(bytes(COLD));
      assertThat(files.touched).hasValue(0);
    }
  }

  private long bytes(Path directory) {
    return ssts(directory).stream()
        .mapToLong(number -> disk.fileSystem().size(FileKind.SST.path(directory, number)))
        .sum();
  }

  /** Nothing is written only to bring it back. */
  @Test
  void whatIsColdStaysThereAsLongAsItIsNotRewritten() {
    int before = 0;
    try (Store store = open(with())) {
      for (int i = 0; i < 8; i++) {
        fill(store.database(), 4000 * i, 4000 * (i + 1), 1); // ascending: nothing is rewritten
        store.flush();
        store.awaitIdle();
        int now = ssts(COLD).size();
        assertThat(now).isGreaterThanOrEqualTo(before);
        before = now;
      }
      assertThat(before).isGreaterThan(8);
      assertThat(content(store.database())).isEqualTo(filled(0, 32_000, 1));
    }
  }

  @Test
  void theCopyIsWhatIsDocumented() {
    fillCold();
    long number = tails().get(0);
    ByteBuffer sst = ByteBuffer.wrap(read(FileKind.SST.path(COLD, number)));
    ByteBuffer copy = ByteBuffer.wrap(read(FileKind.TAIL.path(DIRECTORY, number)));
    FileHeader header = FileHeader.decode(COLD, copy, FileKind.TAIL, number);
    long id = header.uniqueId();
    assertThat(id).isEqualTo(FileHeader.decode(COLD, sst, FileKind.SST, number).uniqueId());
    assertThat(copy.getLong(32)).isEqualTo(sst.limit());
    int from = (int) copy.getLong(40);
    assertThat(from).isEqualTo(Footer.decode(COLD, sst, sst.limit(), FileKeys.NONE).blocksEnd());
    assertThat(copy.getInt(48)).isEqualTo(sum(copy, 32, 16, id, 32));
    int length = sst.limit() - from;
    assertThat(copy.slice(4096, length)).isEqualTo(sst.slice(from, length));
    int sums = 4096 + length;
    for (int page = 0; page < length / 4096; page++) {
      int at = from + 4096 * page;
      assertThat(copy.getInt(sums + 4 * page)).isEqualTo(sum(sst, at, 4096, id, at));
    }
    int end = sums + length / 1024;
    assertThat(copy.getInt(end)).isEqualTo(sum(copy, sums, end - sums, id, sums));
    assertThat(copy.slice(end + 4, copy.limit() - end - 4))
        .isEqualTo(ByteBuffer.allocate(copy.limit() - end - 4));
    assertThat(copy.limit()).isEqualTo(sums + 4096);
    assertThat(TestDumps.dump(files, FileKind.TAIL.path(DIRECTORY, number))).hasSize(1);
  }

  private static int sum(ByteBuffer in, int at, int length, long id, long offset) {
    return Checksums.bind(Checksums.crc32c(in, at, length), id, offset);
  }

  @Test
  void aCopyThatIsMissingIsMadeAgain() {
    fillCold();
    List<Long> before = tails();
    before.forEach(number -> disk.fileSystem().delete(FileKind.TAIL.path(DIRECTORY, number)));
    assertFilled(with());
    assertThat(tails()).isEqualTo(before);
  }

  /** Each of its bytes, before the store is opened. */
  @Test
  void aCopyThatIsDamagedIsNotUsed() {
    fillCold();
    Path copy = FileKind.TAIL.path(DIRECTORY, tails().get(0));
    byte[] right = read(copy);
    Random random = new Random(7);
    for (int i = 0; i < 60; i++) {
      byte[] wrong = right.clone();
      wrong[i < 20 ? 16 + i : random.nextInt(wrong.length)] ^= 4;
      write(copy, wrong);
      assertFilled(with());
    }
    write(copy, new byte[0]);
    assertFilled(with());
    assertThat(read(copy)).isEqualTo(right);
  }

  /** It is deleted then, and made again by the next opening. */
  @Test
  void aPageOfACopyThatIsDamagedIsReadInTheSst() {
    fillCold();
    for (long number : tails()) {
      Path copy = FileKind.TAIL.path(DIRECTORY, number);
      byte[] wrong = read(copy);
      for (int at = 4096; at < wrong.length - 4096; at += 4096) {
        wrong[at + 100] ^= 4;
      }
      write(copy, wrong);
    }
    assertFilled(with());
    assertFilled(with());
    for (long number : tails()) {
      byte[] sst = read(FileKind.SST.path(COLD, number));
      byte[] copy = read(FileKind.TAIL.path(DIRECTORY, number));
      long from = ByteBuffer.wrap(copy).getLong(40);
      assertThat(ByteBuffer.wrap(copy, 4096, sst.length - (int) from))
          .isEqualTo(ByteBuffer.wrap(sst, (int) from, sst.length - (int) from));
    }
  }

  @Test
  void aCopyOfAnotherSstIsNotUsed() {
    try (Store store = open(with())) {
      fill(store.database(), 0, 6000, 1);
      store.database().compact();
    }
    List<Long> numbers = tails();
    assertThat(numbers).hasSizeGreaterThan(1);
    byte[] first = read(FileKind.TAIL.path(DIRECTORY, numbers.get(0)));
    write(FileKind.TAIL.path(DIRECTORY, numbers.get(1)), first);
    try (Store store = open(with())) {
      assertThat(content(store.database())).isEqualTo(filled(0, 6000, 1));
    }
  }

  @Test
  void copiesForWhichThereIsNoSpaceAreLeftOut() {
    ForwardingFileSystem full =
        new ForwardingFileSystem(files) {
          @Override
          public AppendFile create(Path file) {
            if (file.toString().endsWith(".tail")) {
              throw new StoreIoException(file, "write", new IOException("no space"));
            }
            return super.create(file);
          }
        };
    try (Store store = TestStores.open(DIRECTORY, with(), full)) {
      fill(store.database(), 0, 1000, 1);
      store.database().compact();
      assertThat(content(store.database())).isEqualTo(filled(0, 1000, 1));
    }
    assertThat(ssts(COLD)).isNotEmpty();
    assertThat(tails()).isEmpty();
    assertFilled(with());
    assertThat(tails()).isEqualTo(ssts(COLD));
  }

  @Test
  void aStoreThatIsOpenedWithoutOneMovesOut() {
    fillCold();
    try (Store store = open(without().build())) {
      assertThat(content(store.database())).isEqualTo(filled(0, 1000, 1));
      store.database().compact();
    }
    assertThat(ssts(COLD)).isEmpty();
    assertThat(tails()).isEmpty();
    assertFilled(without().build());
    assertThat(exists(DIRECTORY, "COLD")).isFalse();
    assertThat(disk.fileSystem().list(COLD)).isEmpty();
    assertFilled(with()); // and it can have one again
  }

  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void aStoreIsNotOpenedWithoutIt(boolean isNamed) {
    fillCold();
    StoreOptions options = isNamed ? with() : without().build();
    byte[] owner = read(COLD.resolve("OWNER"));
    disk.fileSystem().delete(COLD.resolve("OWNER")); // as if nothing were mounted there
    assertThatThrownBy(() -> open(options))
        .isInstanceOf(SideDirectoryException.class)
        .hasMessageStartingWith("/cold cannot be the cold directory of the store in /store: it has")
        .hasMessageContaining("mount it");
    assertThatThrownBy(() -> TestStores.openReadOnly(DIRECTORY, options, files))
        .isInstanceOf(SideDirectoryException.class);
    write(COLD.resolve("OWNER"), owner);
    assertFilled(options);
  }

  @Test
  void whatBelongsToAnotherStoreIsRefused() {
    Path other = Path.of("/other");
    disk.fileSystem().createDirectories(other);
    fillCold();
    for (StoreOptions options : List.of(with(), without().fastDirectory(COLD).build())) {
      assertThatThrownBy(() -> TestStores.open(other, options, disk.fileSystem()))
          .isInstanceOf(SideDirectoryException.class)
          .hasMessageContaining("it belongs to the store in /store");
    }
    StoreOptions elsewhere = without().coldDirectory(Path.of("/elsewhere")).build();
    TestStores.open(other, elsewhere, files).close();
    assertThatThrownBy(() -> open(elsewhere))
        .isInstanceOf(SideDirectoryException.class)
        .hasMessageContaining("it belongs to the store in /other, and this one has /cold");
  }

  @ParameterizedTest
  @ValueSource(strings = {"/store", "/store/cold", "/", "/fast", "/fast/cold"})
  void oneWithinTheOthersIsRefused(String path) {
    StoreOptions options = without().fastDirectory(FAST).coldDirectory(Path.of(path)).build();
    assertThatIllegalArgumentException()
        .isThrownBy(() -> open(options))
        .withMessageStartingWith("coldDirectory is " + path);
    assertThat(exists(DIRECTORY, "COLD")).isFalse();
    StoreOptions swapped = without().fastDirectory(COLD.resolve("fast")).build();
    fillColdWithout();
    assertThatIllegalArgumentException().isThrownBy(() -> open(swapped));
  }

  private void fillColdWithout() {
    open(without().build()).close();
    open(with()).close();
  }

  @Test
  void oneInMemoryIsRefused() {
    files =
        new ObjectStorage(disk.fileSystem(), COLD) {
          @Override
          public boolean isVolatile(Path directory) {
            return isThere(directory);
          }
        };
    assertThatIllegalArgumentException()
        .isThrownBy(() -> open(with()))
        .withMessageStartingWith("coldDirectory is /cold, which is in memory");
  }

  @Test
  void aStoreThatWasMovedKeepsIt() {
    fillCold();
    Path moved = Path.of("/moved");
    disk.fileSystem().rename(DIRECTORY, moved);
    try (Store store = TestStores.open(moved, with(), files)) {
      assertThat(content(store.database())).isEqualTo(filled(0, 1000, 1));
    }
    assertThat(exists(COLD, "OWNER.tmp")).isFalse();
    Path elsewhere = Path.of("/elsewhere");
    disk.fileSystem().rename(COLD, elsewhere);
    StoreOptions options = without().coldDirectory(elsewhere).build();
    try (Store store = TestStores.open(moved, options, files)) {
      assertThat(content(store.database())).isEqualTo(filled(0, 1000, 1));
    }
    try (Store store = TestStores.openReadOnly(moved, without().build(), files)) {
      assertThat(content(store.database())).isEqualTo(filled(0, 1000, 1));
    }
  }

  @Test
  void aStoreThatIsMovedMayBeKilledAtAnyCall() {
    fillCold();
    Path moved = Path.of("/moved");
    disk.fileSystem().rename(DIRECTORY, moved);
    disk.syncAll();
    Random random = new Random(5);
    boolean killed = true;
    for (int call = 1; killed; call++) {
      CrashDisk fresh = disk.kill();
      fresh.crashAt(fresh.calls() + call, CrashDisk.Moment.AFTER);
      killed = isKilledWhileOpening(fresh, moved, with());
      for (CrashDisk left : List.of(fresh.kill(), fresh.crash(random))) {
        try (Store store =
            TestStores.open(moved, with(), new ObjectStorage(left.fileSystem(), COLD))) {
          assertThat(content(store.database())).isEqualTo(filled(0, 1000, 1));
        }
      }
    }
  }

  @Test
  void whileItFailsCompactionsWriteToTheStoresDirectory() {
    AtomicBoolean fails = new AtomicBoolean(true);
    files =
        new ObjectStorage(disk.fileSystem(), COLD) {
          @Override
          public AppendFile create(Path file) {
            if (fails.get() && file.startsWith(COLD) && file.toString().endsWith(".sst")) {
              throw new StoreIoException(file, "write", new IOException("broken"));
            }
            return super.create(file);
          }
        };
    try (Store store = open(with())) {
      fill(store.database(), 0, 1000, 1);
      try {
        store.database().compact();
      } catch (StoreIoException e) {
        assertThat(e).hasMessageContaining("broken");
        store.database().compact(); // to the store's
      }
      assertThat(ssts(COLD)).isEmpty();
      assertThat(ssts(DIRECTORY)).isNotEmpty();
      assertThat(tails()).isEmpty();
    }
    fails.set(false);
    assertFilled(with());
  }

  @Test
  void whileItIsFullCompactionsWriteToTheStoresDirectory() {
    files =
        new ObjectStorage(disk.fileSystem(), COLD) {
          @Override
          public long usableBytes(Path directory) {
            return isThere(directory) ? 1000 : super.usableBytes(directory);
          }
        };
    try (Store store = open(with())) {
      fill(store.database(), 0, 1000, 1);
      store.database().compact();
      assertThat(ssts(COLD)).isEmpty();
      assertThat(ssts(DIRECTORY)).isNotEmpty();
    }
    assertFilled(with());
  }

  /** As long as a sync there lasts, flushes go on, and so do reads. */
  @Test
  void aSlowSyncThereStopsNoFlush() throws InterruptedException {
    CountDownLatch begun = new CountDownLatch(1);
    CountDownLatch ends = new CountDownLatch(1);
    files =
        new ObjectStorage(disk.fileSystem(), COLD) {
          @Override
          public AppendFile create(Path file) {
            AppendFile created = super.create(file);
            return isThere(file) && file.toString().endsWith(".sst")
                ? new ForwardingAppendFile(created) {
                  @Override
                  public void sync() {
                    begun.countDown();
                    await(ends);
                    super.sync();
                  }
                }
                : created;
          }
        };
    try (Store store = open(with())) {
      fill(store.database(), 0, 1000, 1);
      Thread compaction = new Thread(store.database()::compact);
      compaction.start();
      await(begun);
      fill(store.database(), 1000, 1200, 1);
      store.flush();
      assertThat(content(store.database())).isEqualTo(filled(0, 1200, 1));
      ends.countDown();
      compaction.join();
      assertThat(content(store.database())).isEqualTo(filled(0, 1200, 1));
    }
  }

  private static void await(CountDownLatch latch) {
    try {
      latch.await();
    } catch (InterruptedException e) {
      throw new AssertionError(e);
    }
  }

  @Test
  void copiesOfAStoreNeedNoOther() {
    Path copy = Path.of("/copy");
    try (Store store = open(with())) {
      fill(store.database(), 0, 1000, 1);
      store.database().compact();
      store.checkpoint(copy);
      store.database().deleteRange(KeyRange.all());
    }
    try (Store store = TestStores.open(copy, without().build(), files)) {
      assertThat(content(store.database())).isEqualTo(filled(0, 1000, 1));
    }
    assertThat(exists(copy, "COLD")).isFalse();
  }

  @Test
  void backupsHoldAll() {
    Backups backups = TestBackups.in(Path.of("/backups"), files);
    long number;
    try (Store store = open(with())) {
      fill(store.database(), 0, 1000, 1);
      store.database().compact();
      number = backups.create(store).number();
    }
    Path restored = Path.of("/restored");
    backups.restore(number, restored);
    try (Store store = TestStores.open(restored, without().build(), files)) {
      assertThat(content(store.database())).isEqualTo(filled(0, 1000, 1));
    }
    assertThat(FileKind.TAIL.numbersIn(disk.fileSystem(), restored)).isEmpty();
  }

  /** Not of the copy of its end, which is whole. */
  @Test
  void aBackupFindsTheDamageOfAnSst() {
    fillCold();
    Path sst = FileKind.SST.path(COLD, ssts(COLD).get(0));
    byte[] wrong = read(sst);
    wrong[wrong.length - 10] ^= 1;
    try (Store store = open(with())) {
      assertThat(content(store.database())).isEqualTo(filled(0, 1000, 1));
      write(sst, wrong);
      assertThatThrownBy(() -> TestBackups.in(Path.of("/backups"), files).create(store))
          .isInstanceOf(CorruptionException.class);
    }
  }

  @Test
  void aToolFindsIt() {
    fillCold();
    int before = disk.fileSystem().list(DIRECTORY).size();
    assertThat(TestChecks.run(files, DIRECTORY).findings()).isEmpty();
    Path saved = Path.of("/saved");
    assertThat(TestSalvages.run(files, DIRECTORY, saved).isClean()).isTrue();
    assertThat(disk.fileSystem().list(DIRECTORY)).hasSize(before);
    try (Store store = TestStores.open(saved, without().build(), files)) {
      assertThat(content(store.database())).isEqualTo(filled(0, 1000, 1));
    }
    byte[] wrong = read(FileKind.SST.path(COLD, ssts(COLD).get(0)));
    wrong[wrong.length - 10] ^= 1; // in its end, of which there is a sound copy
    write(FileKind.SST.path(COLD, ssts(COLD).get(0)), wrong);
    assertThat(TestChecks.run(files, DIRECTORY).findings()).isNotEmpty();
    disk.fileSystem().delete(COLD.resolve("OWNER"));
    assertThat(TestChecks.run(files, DIRECTORY).findings()).hasSameSizeAs(ssts(COLD));
  }

  @Test
  void whatNobodyKnowsIsDeleted() {
    fillCold();
    disk.fileSystem().create(FileKind.SST.path(COLD, 999)).close();
    disk.fileSystem().create(FileKind.TAIL.path(DIRECTORY, 999)).close();
    disk.fileSystem().create(FileKind.TAIL.path(DIRECTORY, 998)).close();
    assertFilled(with());
    assertThat(ssts(COLD)).doesNotContain(999L);
    assertThat(tails()).isEqualTo(ssts(COLD));
  }

  @Test
  void whatIsDeletedLeavesNoCopy() {
    fillCold();
    try (Store store = open(with())) {
      store.database().deleteRange(KeyRange.all());
      store.database().compact();
    }
    assertThat(ssts(COLD)).isEmpty();
    assertThat(tails()).isEmpty();
  }

  /** A crash while the two are tied together, or part, harms nothing. */
  @Test
  void anOpeningMayBeKilledAtAnyCall() {
    long seed = Long.getLong("sifr.crash.seed", System.nanoTime());
    Random random = new Random(seed);
    boolean killed = true;
    for (int call = 1; killed; call++) {
      for (StoreOptions first : List.of(with(), without().build())) {
        CrashDisk fresh = CrashDisk.with(DIRECTORY);
        try (Store store = TestStores.open(DIRECTORY, first, fresh.fileSystem())) {
          store.database().put(key(1), value(1, 1), WriteOptions.SYNC);
        }
        StoreOptions second = first.coldDirectory().isPresent() ? without().build() : with();
        fresh.crashAt(fresh.calls() + call, CrashDisk.Moment.AFTER);
        killed = isKilledWhileOpening(fresh, DIRECTORY, second);
        for (CrashDisk left : List.of(fresh.kill(), fresh.crash(random))) {
          for (StoreOptions third : List.of(first, second)) {
            try (Store store = TestStores.open(DIRECTORY, third, left.fileSystem())) {
              assertThat(content(store.database())).isEqualTo(filled(1, 2, 1));
            } catch (RuntimeException | Error e) {
              throw new AssertionError("killed after call " + call + ", seed " + seed, e);
            }
          }
        }
      }
    }
  }

  private static boolean isKilledWhileOpening(CrashDisk on, Path directory, StoreOptions options) {
    try {
      TestStores.open(directory, options, new ObjectStorage(on.fileSystem(), COLD)).close();
      return false;
    } catch (SimulatedCrash e) {
      return true;
    }
  }

  @Test
  void aDestroyedStoreLeavesNothingThere() {
    fillCold();
    Removal.remove(files, DIRECTORY);
    assertThat(disk.fileSystem().list(COLD)).isEmpty();
    assertThat(disk.fileSystem().exists(DIRECTORY)).isFalse();
  }

  /** Neither when it is destroyed nor when it is opened. */
  @Test
  void aCopyOfTheDirectoryTakesNothingFromTheStore() {
    fillCold();
    StoreFileSystem both = disk.fileSystem();
    Path copy = Path.of("/copied");
    both.createDirectories(copy);
    for (String name : both.list(DIRECTORY)) {
      assertThat(both.link(DIRECTORY.resolve(name), copy.resolve(name))).isTrue();
    }
    assertThatThrownBy(() -> TestStores.open(copy, with(), both))
        .isInstanceOf(SideDirectoryException.class)
        .hasMessageContaining("of which this is a copy");
    Removal.remove(both, copy);
    assertThat(both.exists(copy)).isFalse();
    assertFilled(with());
  }
}
