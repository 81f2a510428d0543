package io.sifr.testing;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sifr.error.StoreFullException;
import io.sifr.error.StoreLockedException;
import io.sifr.internal.io.AppendFile;
import io.sifr.internal.io.CrashPoint;
import io.sifr.internal.io.DirectoryLock;
import io.sifr.internal.io.MappedRegion;
import io.sifr.internal.io.RandomReadFile;
import io.sifr.internal.io.RandomWriteFile;
import io.sifr.internal.io.StoreFileSystem;
import io.sifr.testing.CrashDisk.Moment;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Consumer;
import java.util.function.ToLongFunction;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** What a crash leaves is what was promised, and of what was not promised everything possible. */
class CrashDiskTest {
  private static final int PAGE = 4096;
  private static final Path DIRECTORY = Path.of("/store");
  private static final Path FILE = DIRECTORY.resolve("file");
  private static final Path OTHER = DIRECTORY.resolve("other");

  private final CrashDisk disk = CrashDisk.with(DIRECTORY);
  private final StoreFileSystem files = disk.fileSystem();

  private static byte[] filled(int bytes, int value) {
    byte[] content = new byte[bytes];
    Arrays.fill(content, (byte) value);
    return content;
  }

  private static void write(StoreFileSystem files, Path file, byte[] content) {
    try (AppendFile out = files.create(file)) {
      out.append(content, 0, content.length);
    }
  }

  /** Writes a file that is durable with its name. */
  private void writeDurably(Path file, byte[] content) {
    try (AppendFile out = files.create(file)) {
      out.append(content, 0, content.length);
      out.sync();
    }
    files.syncDirectory(DIRECTORY);
  }

  private static byte[] read(CrashDisk disk, Path file) {
    try (RandomReadFile in = disk.fileSystem().openForRead(file)) {
      byte[] content = new byte[(int) in.size()];
      in.readFully(ByteBuffer.wrap(content), 0);
      return content;
    }
  }

  @Test
  void whatIsNotSyncedMayBeLost() {
    write(files, FILE, filled(10, 1));
    Set<String> left = new TreeSet<>();
    for (long seed = 0; seed < 300; seed++) {
      CrashDisk image = disk.crash(new Random(seed));
      boolean exists = image.fileSystem().exists(FILE);
      left.add(exists ? "size " + read(image, FILE).length : "no file");
    }
    assertThat(left).contains("no file", "size 0", "size 1", "size 5", "size 9", "size 10");
  }

  @Test
  void syncOfTheFileAloneDoesNotKeepItsName() {
    try (AppendFile out = files.create(FILE)) {
      out.append(filled(10, 1), 0, 10);
      out.sync();
    }
    Set<Boolean> exists = new TreeSet<>();
    for (long seed = 0; seed < 100; seed++) {
      CrashDisk image = disk.crash(new Random(seed));
      exists.add(image.fileSystem().exists(FILE));
      if (image.fileSystem().exists(FILE)) {
        assertThat(read(image, FILE)).as("seed %d", seed).isEqualTo(filled(10, 1));
      }
    }
    assertThat(exists).containsExactly(false, true);
  }

  @Test
  void directoryWhoseParentWasNotSyncedMayBeLostWithAllInIt() {
    Path outer = DIRECTORY.resolve("a");
    Path inner = outer.resolve("b");
    files.createDirectories(inner);
    write(files, inner.resolve("f"), new byte[0]);
    files.syncDirectory(inner);
    files.syncDirectory(outer);
    Set<Boolean> exists = new TreeSet<>();
    for (long seed = 0; seed < 100; seed++) {
      StoreFileSystem left = disk.crash(new Random(seed)).fileSystem();
      assertThat(left.exists(inner.resolve("f"))).isEqualTo(left.exists(outer));
      exists.add(left.exists(outer));
    }
    assertThat(exists).containsExactly(false, true);
    files.syncDirectory(DIRECTORY);
    assertThat(disk.crash(new Random(0)).fileSystem().exists(inner.resolve("f"))).isTrue();
  }

  /** Pages 0 to 2 are durable as ones, 3 does not exist; all four are then twos. */
  @Test
  void eachCombinationOfKeptDroppedAndTornPagesHappens() {
    writeDurably(FILE, filled(3 * PAGE, 1));
    try (RandomWriteFile out = files.openForWrite(FILE, 3 * PAGE)) {
      out.write(filled(3 * PAGE, 2), 0, 3 * PAGE, 0);
    }
    Set<List<String>> met = new HashSet<>();
    Set<Integer> tornAt = new TreeSet<>();
    for (long seed = 0; seed < 5_000; seed++) {
      byte[] content = read(disk.crash(new Random(seed)), FILE);
      List<String> pages = new ArrayList<>();
      for (int page = 0; page < 3; page++) {
        pages.add(describe(content, page * PAGE, tornAt));
      }
      met.add(pages);
    }
    List<String> kinds = List.of("dropped", "kept", "torn");
    for (String first : kinds) {
      for (String second : kinds) {
        for (String third : kinds) {
          assertThat(met).contains(List.of(first, second, third));
        }
      }
    }
    // Not only between the sectors of 512 bytes.
    assertThat(tornAt).hasSize(PAGE / 8 - 1).allMatch(at -> at % 8 == 0);
  }

  private static String describe(byte[] content, int from, Set<Integer> tornAt) {
    int changes = 0;
    for (int i = from + 1; i < from + PAGE; i++) {
      if (content[i] != content[i - 1]) {
        tornAt.add(i - from);
        changes++;
      }
    }
    return changes > 0 ? "torn" : content[from] == 1 ? "dropped" : "kept";
  }

  @Test
  void aFileGrowsWhenItWasOpenedForThatAndLosesWhatWasNotSynced() {
    writeDurably(FILE, filled(PAGE, 1));
    RandomWriteFile out = files.openToGrow(FILE);
    out.write(filled(PAGE, 2), 0, PAGE, PAGE);
    assertThatThrownBy(() -> out.write(filled(1, 2), 0, 1, 2 * PAGE + 1))
        .isInstanceOf(IllegalArgumentException.class);
    Set<Integer> sizes = new TreeSet<>();
    for (long seed = 0; seed < 100; seed++) {
      sizes.add(read(disk.crash(new Random(seed)), FILE).length);
    }
    assertThat(sizes).contains(PAGE, 2 * PAGE);
    out.sync();
    assertThat(read(disk.crash(new Random(0)), FILE)).hasSize(2 * PAGE).endsWith(2);
    disk.setCapacity(2 * PAGE + 10);
    assertThatThrownBy(() -> out.write(filled(PAGE, 3), 0, PAGE, 2 * PAGE))
        .isInstanceOf(StoreFullException.class);
    out.close();
    assertThat(disk.usedBytes()).isEqualTo(2 * PAGE + 10);
  }

  @Test
  void pagesAfterTheDurableEndAreThereAbsentOrZero() {
    writeDurably(FILE, filled(PAGE, 1));
    try (MappedRegion unused = files.mapForRead(FILE, PAGE)) {
      assertThat(unused.buffer().get(0)).isEqualTo((byte) 1);
    }
    Path appended = OTHER;
    try (AppendFile out = files.create(appended)) {
      out.append(filled(PAGE, 1), 0, PAGE);
      out.sync();
      files.syncDirectory(DIRECTORY);
      out.append(filled(2 * PAGE, 2), 0, 2 * PAGE);
    }
    Set<String> met = new TreeSet<>();
    for (long seed = 0; seed < 3_000; seed++) {
      byte[] content = read(disk.crash(new Random(seed)), appended);
      assertThat(Arrays.copyOf(content, PAGE)).isEqualTo(filled(PAGE, 1));
      if (content.length == 3 * PAGE) {
        met.add(content[PAGE] + " and " + content[2 * PAGE]);
      } else {
        met.add(content.length == PAGE ? "absent" : "cut");
      }
    }
    assertThat(met).contains("absent", "cut", "0 and 0", "0 and 2", "2 and 0", "2 and 2");
  }

  @Test
  void eachCombinationOfKeptAndDroppedNamesHappens() {
    writeDurably(FILE, filled(1, 1));
    writeDurably(OTHER, filled(2, 2));
    Path created = DIRECTORY.resolve("created");
    Path renamed = DIRECTORY.resolve("renamed");
    write(files, created, new byte[0]);
    files.rename(FILE, renamed);
    files.delete(OTHER);
    Set<String> met = new TreeSet<>();
    for (long seed = 0; seed < 1_000; seed++) {
      StoreFileSystem left = disk.crash(new Random(seed)).fileSystem();
      assertThat(left.exists(FILE)).as("seed %d", seed).isNotEqualTo(left.exists(renamed));
      met.add(String.join(" ", left.list(DIRECTORY)));
    }
    assertThat(met)
        .containsExactlyInAnyOrder(
            "file",
            "renamed",
            "created file",
            "created renamed",
            "file other",
            "other renamed",
            "created file other",
            "created other renamed");
    files.syncDirectory(DIRECTORY);
    assertThat(disk.crash(new Random(0)).fileSystem().list(DIRECTORY))
        .containsExactly("created", "renamed");
  }

  @Test
  void renameReplacesItsTargetWhollyOrNotAtAll() {
    writeDurably(FILE, filled(1, 1));
    try (AppendFile out = files.create(OTHER)) {
      out.append(filled(2, 2), 0, 2);
      out.sync();
    }
    files.rename(OTHER, FILE);
    Set<Integer> sizes = new TreeSet<>();
    for (long seed = 0; seed < 200; seed++) {
      sizes.add(read(disk.crash(new Random(seed)), FILE).length);
    }
    assertThat(sizes).containsExactly(1, 2);
  }

  @Test
  void syncOfARangeKeepsTheWholePagesOfThatRangeAndNoMore() {
    writeDurably(FILE, new byte[4 * PAGE]);
    Set<Integer> lost = new TreeSet<>();
    try (MappedRegion region = files.mapForWrite(FILE, 4 * PAGE)) {
      region.buffer().put(0, filled(4 * PAGE, 1));
      region.force(PAGE + 100, PAGE);
      for (long seed = 0; seed < 300; seed++) {
        byte[] content = read(disk.crash(new Random(seed)), FILE);
        for (int page = 0; page < 4; page++) {
          if (!Arrays.equals(content, page * PAGE, (page + 1) * PAGE, filled(PAGE, 1), 0, PAGE)) {
            lost.add(page);
          }
        }
      }
    }
    assertThat(lost).containsExactly(0, 3);
  }

  @Test
  void mappingsOfAFileAndItsReadersSeeTheSameBytes() {
    write(files, FILE, new byte[100]);
    try (MappedRegion one = files.mapForWrite(FILE, 100);
        MappedRegion two = files.mapForWrite(FILE, 50);
        MappedRegion three = files.mapForRead(FILE, 100);
        RandomReadFile in = files.openForRead(FILE);
        RandomWriteFile out = files.openForWrite(FILE, 100)) {
      one.buffer().putLong(8, 0x0102030405060708L);
      assertThat(two.buffer().capacity()).isEqualTo(50);
      assertThat(two.buffer().get(8)).isEqualTo((byte) 1);
      assertThat(three.buffer().isReadOnly()).isTrue();
      assertThat(three.buffer().getLong(8)).isEqualTo(0x0102030405060708L);
      ByteBuffer target = ByteBuffer.allocate(8);
      in.readFully(target, 8);
      assertThat(target.getLong(0)).isEqualTo(0x0102030405060708L);
      out.write(new byte[] {9}, 0, 1, 15);
      assertThat(one.buffer().getLong(8)).isEqualTo(0x0102030405060709L);
    }
  }

  @Test
  void deletedFileStaysUsableForThoseWhoHaveItOpen() {
    disk.setCapacity(1000);
    write(files, FILE, filled(100, 1));
    long usedBefore = disk.usedBytes();
    try (MappedRegion region = files.mapForWrite(FILE, 100)) {
      files.delete(FILE);
      assertThat(files.exists(FILE)).isFalse();
      region.buffer().put(3, (byte) 4);
      assertThat(region.buffer().get(3)).isEqualTo((byte) 4);
      write(files, FILE, filled(10, 2));
      assertThat(read(disk, FILE)).isEqualTo(filled(10, 2));
      assertThat(disk.usedBytes()).isEqualTo(usedBefore + 10);
    }
    assertThat(disk.usedBytes()).isEqualTo(usedBefore - 100 + 10);
    assertThat(files.usableBytes(DIRECTORY)).isEqualTo(1000 - disk.usedBytes());
  }

  @Test
  void whatIsNotDurableOfADeletedFileComesBackAsItMay() {
    writeDurably(FILE, filled(PAGE, 1));
    try (RandomWriteFile out = files.openForWrite(FILE, PAGE)) {
      out.write(filled(PAGE, 2), 0, PAGE, 0);
    }
    files.delete(FILE);
    Set<String> met = new TreeSet<>();
    for (long seed = 0; seed < 500; seed++) {
      CrashDisk image = disk.crash(new Random(seed));
      met.add(
          image.fileSystem().exists(FILE)
              ? describe(read(image, FILE), 0, new TreeSet<>())
              : "deleted");
    }
    assertThat(met).containsExactly("deleted", "dropped", "kept", "torn");
  }

  @Test
  void killLeavesEverythingAndMakesNothingMoreDurable() {
    writeDurably(FILE, new byte[PAGE]);
    write(files, OTHER, filled(10, 1));
    MappedRegion region = files.mapForWrite(FILE, PAGE);
    region.buffer().put(0, filled(PAGE, 2));

    CrashDisk killed = disk.kill();
    region.buffer().put(0, filled(PAGE, 3)); // too late

    assertThat(read(killed, FILE)).isEqualTo(filled(PAGE, 2));
    assertThat(read(killed, OTHER)).isEqualTo(filled(10, 1));
    assertThat(read(disk, FILE)).isEqualTo(filled(PAGE, 3));
    Set<Boolean> exists = new TreeSet<>();
    Set<Byte> first = new TreeSet<>();
    for (long seed = 0; seed < 100; seed++) {
      CrashDisk image = killed.crash(new Random(seed));
      exists.add(image.fileSystem().exists(OTHER));
      first.add(read(image, FILE)[0]);
    }
    assertThat(exists).containsExactly(false, true);
    assertThat(first).containsExactly((byte) 0, (byte) 2);
    assertThat(read(killed.kill(), FILE)).isEqualTo(filled(PAGE, 2));
  }

  @Test
  void imagesAreIndependentOfEachOtherAndOfTheDisk() {
    writeDurably(FILE, filled(PAGE, 1));
    FrozenDisk frozen = disk.freeze();
    CrashDisk one = frozen.kill();
    CrashDisk two = frozen.crash(new Random(0));
    try (MappedRegion region = one.fileSystem().mapForWrite(FILE, PAGE)) {
      region.buffer().put(0, filled(PAGE, 2));
      region.force(0, PAGE);
    }
    two.fileSystem().delete(FILE);
    assertThat(read(one, FILE)).isEqualTo(filled(PAGE, 2));
    assertThat(read(disk, FILE)).isEqualTo(filled(PAGE, 1));
    assertThat(read(frozen.kill(), FILE)).isEqualTo(filled(PAGE, 1));
    for (int version = 3; version < 6; version++) {
      FrozenDisk before = disk.freeze();
      byte[] content = read(disk, FILE);
      try (RandomWriteFile out = files.openForWrite(FILE, PAGE)) {
        out.write(filled(PAGE, version), 0, PAGE, 0);
        out.sync();
      }
      assertThat(read(before.kill(), FILE)).isEqualTo(content);
      assertThat(read(before.crash(new Random(version)), FILE)).isEqualTo(content);
    }
  }

  @Test
  void nothingReachesTheImageAfterTheCrash() {
    writeDurably(FILE, new byte[PAGE]);
    MappedRegion region = files.mapForWrite(FILE, PAGE);
    ByteBuffer buffer = region.buffer();
    RandomReadFile in = files.openForRead(FILE);
    RandomWriteFile out = files.openForWrite(FILE, PAGE);
    AppendFile appended = files.create(OTHER);
    DirectoryLock lock = files.lock(DIRECTORY, "LOCK");

    disk.stop();
    buffer.put(0, filled(PAGE, 1));

    List<ThrowingCallable> calls =
        List.of(
            () -> files.createDirectories(DIRECTORY.resolve("d")),
            () -> files.realPath(DIRECTORY),
            () -> files.list(DIRECTORY),
            () -> files.exists(FILE),
            () -> files.size(FILE),
            () -> files.create(DIRECTORY.resolve("new")),
            () -> files.openForRead(FILE),
            () -> files.openForWrite(FILE, PAGE),
            () -> files.mapForRead(FILE, PAGE),
            () -> files.mapForWrite(FILE, PAGE),
            () -> files.rename(FILE, OTHER),
            () -> files.delete(FILE),
            () -> files.syncDirectory(DIRECTORY),
            () -> files.usableBytes(DIRECTORY),
            () -> files.lock(DIRECTORY, "LOCK"),
            () -> region.buffer(),
            () -> region.force(0, PAGE),
            region::close,
            () -> in.readFully(ByteBuffer.allocate(1), 0),
            in::close,
            () -> out.write(new byte[1], 0, 1, 0),
            out::sync,
            out::close,
            () -> appended.append(new byte[1], 0, 1),
            () -> appended.append(ByteBuffer.allocate(1)),
            () -> appended.position(),
            appended::sync,
            appended::close,
            lock::close);
    for (ThrowingCallable call : calls) {
      assertThatThrownBy(call).isInstanceOf(SimulatedCrash.class);
    }
    for (CrashDisk image : List.of(disk.kill(), disk.crash(new Random(1)))) {
      assertThat(read(image, FILE)).isEqualTo(new byte[PAGE]);
      assertThat(image.fileSystem().exists(DIRECTORY.resolve("new"))).isFalse();
      assertThat(image.isStopped()).isFalse();
    }
    assertThat(disk.isStopped()).isTrue();
  }

  @ParameterizedTest
  @EnumSource
  void crashComesAtThePlannedMomentOfThePlannedCall(Moment moment) {
    AppendFile out = files.create(FILE);
    out.append(filled(10, 1), 0, 10);
    disk.crashAt(disk.calls() + 2, moment);
    files.exists(FILE);
    assertThatThrownBy(() -> out.append(filled(10, 2), 0, 10))
        .isInstanceOf(SimulatedCrash.class)
        .hasMessageContaining(moment.name())
        .hasMessageContaining(FILE.toString());
    assertThatThrownBy(() -> files.exists(FILE)).isInstanceOf(SimulatedCrash.class);
    assertThat(read(disk.kill(), FILE))
        .hasSize(
            switch (moment) {
              case BEFORE -> 10;
              case INSIDE -> 15;
              case AFTER -> 20;
            });
  }

  private enum Point implements CrashPoint {
    ONE,
    OTHER
  }

  @Test
  void crashComesWhenAPointIsReachedForThePlannedTime() {
    disk.crashAt(Point.ONE, 2);
    disk.reached(Point.ONE);
    disk.reached(Point.OTHER);
    files.create(FILE).close();
    assertThatThrownBy(() -> disk.reached(Point.ONE))
        .isInstanceOf(SimulatedCrash.class)
        .hasMessageContaining("reach ONE");
    assertThat(disk.isStopped()).isTrue();
    assertThat(disk.kill().fileSystem().exists(FILE)).isTrue();
  }

  /** The same for all kinds of calls that can be half done: each of three has another image. */
  @Test
  void callsThatCanBeHalfDoneAre() {
    writeDurably(FILE, new byte[4 * PAGE]);
    try (RandomWriteFile out = files.openForWrite(FILE, 4 * PAGE)) {
      assertThat(imagesAround(() -> out.write(filled(200, 1), 0, 200, 0), this::nonZeros))
          .containsExactly(0L, 100L, 200L);
      assertThat(imagesAround(out::sync, this::durableNonZeros)).containsExactly(0L, 0L, 200L);
    }
    try (MappedRegion region = files.mapForWrite(FILE, 4 * PAGE)) {
      region.buffer().put(0, filled(4 * PAGE, 1));
      assertThat(imagesAround(() -> region.force(0, 4 * PAGE), this::durableNonZeros))
          .containsExactly(200L, 2L * PAGE, 4L * PAGE);
    }
    write(files, OTHER, new byte[0]);
    write(files, DIRECTORY.resolve("third"), new byte[0]);
    assertThat(imagesAround(() -> files.syncDirectory(DIRECTORY), this::durableNames))
        .containsExactly(1L, 2L, 3L);
  }

  private List<Long> imagesAround(Runnable call, ToLongFunction<FrozenDisk> measure) {
    List<Long> met = new ArrayList<>();
    disk.watch((watched, moment) -> met.add(measure.applyAsLong(disk.freeze())));
    call.run();
    disk.watch((watched, moment) -> {});
    return met;
  }

  private long nonZeros(FrozenDisk frozen) {
    return count(frozen.kill());
  }

  /** Of many crashes the one that leaves the least. */
  private long durableNonZeros(FrozenDisk frozen) {
    return leastLeft(frozen, CrashDiskTest::count);
  }

  private long durableNames(FrozenDisk frozen) {
    return leastLeft(frozen, image -> image.fileSystem().list(DIRECTORY).size());
  }

  private static long leastLeft(FrozenDisk frozen, ToLongFunction<CrashDisk> measure) {
    long least = Long.MAX_VALUE;
    for (long seed = 0; seed < 100; seed++) {
      least = Math.min(least, measure.applyAsLong(frozen.crash(new Random(seed))));
    }
    return least;
  }

  private static long count(CrashDisk image) {
    byte[] content = read(image, FILE);
    long count = 0;
    for (byte b : content) {
      count += b == 0 ? 0 : 1;
    }
    return count;
  }

  @Test
  void callsAreCountedAndShown() {
    List<String> seen = new ArrayList<>();
    long before = disk.calls();
    disk.watch(
        (call, moment) ->
            seen.add(
                call.number()
                    - before
                    + " "
                    + moment
                    + " "
                    + call.operation()
                    + (call.changes() ? "!" : "")));
    write(files, FILE, new byte[2]);
    assertThat(files.exists(FILE)).isTrue();
    assertThat(disk.calls()).isEqualTo(before + 4);
    assertThat(seen)
        .containsExactly(
            "1 BEFORE create!",
            "1 AFTER create!",
            "2 BEFORE append to!",
            "2 INSIDE append to!",
            "2 AFTER append to!",
            "3 BEFORE close",
            "3 AFTER close",
            "4 BEFORE look for",
            "4 AFTER look for");
  }

  @Test
  void kernelWritesPagesAndNamesBackOnItsOwn() {
    Set<Byte> left = new TreeSet<>();
    Set<Boolean> named = new TreeSet<>();
    for (long seed = 0; seed < 300; seed++) {
      CrashDisk own = CrashDisk.with(DIRECTORY);
      write(own.fileSystem(), FILE, new byte[PAGE]);
      own.syncAll();
      own.writeBackAtRandom(new Random(seed), 2);
      write(own.fileSystem(), OTHER, new byte[0]);
      try (MappedRegion region = own.fileSystem().mapForWrite(FILE, PAGE)) {
        for (int version = 1; version <= 3; version++) {
          region.buffer().put(0, filled(PAGE, version));
          for (int call = 0; call < 3; call++) {
            own.fileSystem().exists(FILE);
          }
        }
      }
      // A crash that drops whatever is not durable.
      int lowest = 3;
      boolean always = true;
      for (long crash = 0; crash < 30; crash++) {
        CrashDisk image = own.crash(new Random(crash));
        lowest = Math.min(lowest, read(image, FILE)[0]);
        always &= image.fileSystem().exists(OTHER);
      }
      left.add((byte) lowest);
      named.add(always);
    }
    assertThat(left).containsExactly((byte) 0, (byte) 1, (byte) 2, (byte) 3);
    assertThat(named).containsExactly(false, true);
  }

  @Test
  void theSameSeedLeavesTheSame() {
    for (long seed = 0; seed < 20; seed++) {
      List<String> images = new ArrayList<>();
      for (int round = 0; round < 2; round++) {
        CrashDisk own = CrashDisk.with(DIRECTORY);
        own.writeBackAtRandom(new Random(seed), 3);
        for (int i = 0; i < 10; i++) {
          write(own.fileSystem(), DIRECTORY.resolve("f" + i), filled(3 * PAGE + i, i));
        }
        CrashDisk image = own.crash(new Random(seed));
        StringBuilder text = new StringBuilder();
        for (String name : image.fileSystem().list(DIRECTORY)) {
          text.append(name)
              .append(Arrays.hashCode(read(image, DIRECTORY.resolve(name))))
              .append(' ');
        }
        images.add(text.toString());
      }
      assertThat(images.get(0)).isEqualTo(images.get(1));
    }
  }

  @Test
  void fullDiskTakesWhatFits() {
    disk.setCapacity(disk.usedBytes() + 100);
    AppendFile out = files.create(FILE);
    out.append(filled(60, 1), 0, 60);
    assertThatThrownBy(() -> out.append(filled(60, 2), 0, 60))
        .isInstanceOf(StoreFullException.class);
    assertThat(out.position()).isEqualTo(100);
    assertThat(files.usableBytes(DIRECTORY)).isZero();
    assertThatThrownBy(() -> out.append(filled(1, 2), 0, 1)).isInstanceOf(StoreFullException.class);
    try (RandomWriteFile overwriting = files.openForWrite(FILE, 100)) {
      overwriting.write(filled(100, 3), 0, 100, 0);
    }
    out.close();
    files.delete(FILE);
    assertThat(files.usableBytes(DIRECTORY)).isEqualTo(100);
    write(files, OTHER, filled(100, 4));
    CrashDisk image = disk.kill();
    assertThat(image.fileSystem().usableBytes(DIRECTORY)).isZero();
    disk.setCapacity(Long.MAX_VALUE);
    write(files, FILE, filled(100, 4));
  }

  @Test
  void lockIsExclusiveUntilItIsClosedOrTheMachineDies() {
    DirectoryLock lock = files.lock(DIRECTORY, "LOCK");
    assertThat(files.exists(DIRECTORY.resolve("LOCK"))).isTrue();
    assertThatThrownBy(() -> files.lock(DIRECTORY.resolve("../store"), "LOCK"))
        .isInstanceOf(StoreLockedException.class)
        .hasMessageContaining("in this process");
    Consumer<CrashDisk> canBeLocked = image -> image.fileSystem().lock(DIRECTORY, "LOCK").close();
    canBeLocked.accept(disk.kill());
    canBeLocked.accept(disk.crash(new Random(0)));
    lock.close();
    lock.close();
    DirectoryLock again = files.lock(DIRECTORY, "LOCK");
    lock.close(); // not the one of somebody else
    assertThatThrownBy(() -> files.lock(DIRECTORY, "LOCK"))
        .isInstanceOf(StoreLockedException.class);
    again.close();
  }
}
