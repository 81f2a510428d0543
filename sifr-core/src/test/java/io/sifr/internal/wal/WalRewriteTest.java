package io.sifr.internal.wal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sifr.config.LogAccess;
import io.sifr.error.CorruptionException;
import io.sifr.error.StoreIoException;
import io.sifr.internal.format.FileKind;
import io.sifr.internal.io.RandomReadFile;
import io.sifr.internal.io.RandomWriteFile;
import io.sifr.internal.io.StoreFileSystem;
import io.sifr.internal.wal.WalTesting.Batch;
import io.sifr.testing.CrashDisk;
import io.sifr.testing.FaultyFileSystem;
import io.sifr.testing.FaultyFileSystem.Fault;
import io.sifr.testing.FaultyFileSystem.Operation;
import io.sifr.testing.FrozenDisk;
import io.sifr.testing.LeakCountingFileSystem;
import io.sifr.testing.RewrittenRanges;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** A log whose end was found by replay becomes, without space, one that ends there for certain. */
class WalRewriteTest {
  private static final Path DIRECTORY = Path.of("/store");
  private static final int CRASHES = 20;

  /** A disk without space, with the log of a killed process: three segments, the last part full. */
  private CrashDisk full = new CrashDisk();

  private List<Batch> appended = List.of();

  @BeforeEach
  void killAfterAppends() {
    CrashDisk disk = CrashDisk.with(DIRECTORY);
    WalTesting log = new WalTesting(disk.fileSystem(), DIRECTORY);
    try (WalWriter writer = log.open(LogAccess.MAPPED, WalTesting.NEVER)) {
      log.append(writer, 900);
      writer.sync();
      while (writer.segments().length < 3) {
        log.append(writer, 900);
      }
      full = disk.kill();
    }
    full.setCapacity(full.usedBytes());
    appended = log.appended();
  }

  private static WalTesting.Replayed replay(CrashDisk disk) {
    return WalTesting.replay(disk.fileSystem(), DIRECTORY, 0);
  }

  private static void rewrite(StoreFileSystem files) {
    WalRewrite.upToEnd(files, DIRECTORY, WalTesting.replay(files, DIRECTORY, 0).result().ends());
  }

  private SegmentEnd last() {
    List<SegmentEnd> ends = replay(full).result().ends();
    return ends.get(ends.size() - 1);
  }

  private static Path path(SegmentEnd segment) {
    return FileKind.WAL.path(DIRECTORY, segment.segment());
  }

  private static void write(
      StoreFileSystem files, SegmentEnd segment, byte[] bytes, int length, int at) {
    try (RandomWriteFile file = files.openForWrite(path(segment), segment.bytes())) {
      file.write(bytes, 0, length, at);
    }
  }

  @Test
  void itIsReplayedAsBefore() {
    WalTesting.Replayed before = replay(full);
    assertThat(before.batches()).isEqualTo(appended);
    rewrite(full.fileSystem());
    WalTesting.Replayed after = replay(full);
    assertThat(after.batches()).isEqualTo(appended);
    assertThat(after.result()).isEqualTo(before.result());
  }

  @Test
  void allOfItSurvivesAPowerLoss() {
    int lost = 0;
    for (int seed = 0; seed < CRASHES; seed++) {
      lost += replay(full.crash(new Random(seed))).batches().equals(appended) ? 0 : 1;
    }
    assertThat(lost).as("power losses that undo something before").isPositive();
    rewrite(full.fileSystem());
    for (int seed = 0; seed < CRASHES; seed++) {
      assertThat(replay(full.crash(new Random(seed))).batches()).isEqualTo(appended);
    }
  }

  /**
   * After a sync that has failed the kernel may have dropped pages without telling the next one.
   */
  @Test
  void allOfItIsWrittenAgain() {
    List<SegmentEnd> ends = replay(full).result().ends();
    RewrittenRanges files = new RewrittenRanges(full.fileSystem());
    rewrite(files);
    assertThat(ends).hasSize(3).allMatch(segment -> files.holds(path(segment), 0, segment.bytes()));
  }

  /**
   * Whole records after it, of an earlier use of the file or of lost writes, would follow new ones.
   */
  @Test
  void zerosFollowItsEnd() {
    SegmentEnd end = last();
    byte[] noise = new byte[end.bytes() - end.offset() - SegmentMark.BYTES];
    new Random(1).nextBytes(noise);
    noise[0] = 1; // a length that no record has
    write(full.fileSystem(), end, noise, noise.length, end.offset());
    assertThat(replay(full).batches()).isEqualTo(appended);
    rewrite(full.fileSystem());
    byte[] rest = new byte[noise.length];
    try (RandomReadFile file = full.fileSystem().openForRead(path(end))) {
      file.readFully(ByteBuffer.wrap(rest), end.offset());
    }
    assertThat(rest).containsOnly(0);
  }

  /** The end that was found once is none that damage may move. */
  @Test
  void damageBeforeItsEndIsNoEarlierEnd() {
    SegmentEnd end = last();
    int record = end.offset() - (int) WalFormat.frameBytes(900, false);
    CrashDisk damaged = full.kill();
    write(damaged.fileSystem(), end, new byte[900], 900, record);
    assertThat(replay(damaged).batches()).hasSize(appended.size() - 1);
    rewrite(full.fileSystem());
    write(full.fileSystem(), end, new byte[900], 900, record);
    assertThatThrownBy(() -> replay(full))
        .isInstanceOfSatisfying(
            CorruptionException.class, e -> assertThat(e.offset()).isEqualTo(record));
  }

  @Test
  void aCrashMeanwhileLosesNothingThatWasDurable() {
    List<FrozenDisk> images = new ArrayList<>();
    full.watch((call, moment) -> images.add(full.freeze()));
    rewrite(full.fileSystem());
    full.watch((call, moment) -> {});
    Random random = new Random(2);
    for (FrozenDisk image : images) {
      assertThat(replay(image.kill()).batches()).isEqualTo(appended);
      for (int i = 0; i < CRASHES; i++) {
        List<Batch> left = replay(image.crash(random)).batches();
        assertThat(left).isNotEmpty().isEqualTo(appended.subList(0, left.size()));
      }
    }
    assertThat(images).hasSizeGreaterThan(20);
  }

  @Test
  void aFailureLeavesItAsItWas() {
    for (Operation operation : List.of(Operation.READ, Operation.WRITE, Operation.SYNC)) {
      FaultyFileSystem faulty = new FaultyFileSystem(full.fileSystem());
      LeakCountingFileSystem files = new LeakCountingFileSystem(faulty);
      List<SegmentEnd> ends = replay(full).result().ends();
      faulty.failOnce(operation, FaultyFileSystem.ANY_PATH, 2, Fault.EIO);
      assertThatThrownBy(() -> WalRewrite.upToEnd(files, DIRECTORY, ends))
          .as("%s", operation)
          .isInstanceOf(StoreIoException.class);
      files.assertNothingOpen();
      assertThat(replay(full).batches()).isEqualTo(appended);
    }
  }
}
