package io.sifr.internal.wal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowable;

import io.sifr.config.LogAccess;
import io.sifr.error.CorruptionException;
import io.sifr.error.StoreIoException;
import io.sifr.internal.format.RecordFrame;
import io.sifr.internal.io.DiskFileSystem;
import io.sifr.internal.wal.WalFormat.SyncedMark;
import io.sifr.testing.FaultyFileSystem;
import io.sifr.testing.FaultyFileSystem.Fault;
import io.sifr.testing.FaultyFileSystem.Operation;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

@Tag("damage")
class WalDamageTest {
  @TempDir Path directory;
  private final DiskFileSystem disk = new DiskFileSystem();
  private WalTesting log = new WalTesting(disk, Path.of(""));

  /** What the undamaged segments tell of themselves. */
  private final List<SyncedMark> marks = new ArrayList<>();

  @BeforeEach
  void openDirectory() {
    log = new WalTesting(disk, directory);
  }

  /** A frame of the undamaged log. */
  private record Frame(long segment, int offset, int end, boolean isSeal, SyncedMark mark) {}

  @Test
  void everyFlippedByteIsNoticedWhereItMattersAndNeverGivesAWrongRecord() {
    try (WalWriter writer = log.open(LogAccess.MAPPED, WalTesting.DIRECT, 4096)) {
      for (int i = 0; i < 14; i++) {
        log.append(writer, 300 + 7 * i, 1 + i % 3);
        if (i == 2 || i == 9) {
          writer.sync();
        }
      }
      assertThat(writer.segments()).containsExactly(1, 2);
      List<Frame> frames = frames(1, 2);
      for (long segment : new long[] {1, 2, 3}) { // 3 is the spare
        byte[] whole = log.read(segment);
        for (int offset = 0;
            offset < 4096;
            offset += isZeroTail(frames, segment, offset) ? 64 : 1) {
          byte[] damaged = whole.clone();
          damaged[offset] = (byte) ~damaged[offset];
          log.overwrite(segment, damaged);
          checkReplay(frames, segment, offset);
        }
        log.overwrite(segment, whole);
      }
      assertThat(log.replay().batches()).isEqualTo(log.appended());
    }
  }

  private static boolean isZeroTail(List<Frame> frames, long segment, int offset) {
    return offset >= 40
        && offset < 4096 - SegmentMark.BYTES
        && frames.stream().noneMatch(f -> f.segment() == segment && f.end() + 8 > offset);
  }

  private void checkReplay(List<Frame> frames, long segment, int offset) {
    String place = "flipped byte " + offset + " of segment " + segment;
    if (offset < 32) {
      assertThatThrownBy(log::replay).describedAs(place).isInstanceOf(CorruptionException.class);
      return;
    }
    int hit = hitFrame(frames, segment, offset);
    if (hit < 0) {
      assertThat(log.replay().batches()).describedAs(place).isEqualTo(log.appended());
      return;
    }
    Frame frame = frames.get(hit);
    boolean synced =
        frames.subList(hit + 1, frames.size()).stream()
                .anyMatch(later -> later.mark().covers(segment, frame.offset()))
            || marks.stream().anyMatch(mark -> mark.covers(segment, frame.offset()));
    if (synced) {
      assertThatThrownBy(log::replay)
          .describedAs(place)
          .isInstanceOfSatisfying(
              CorruptionException.class,
              e -> {
                assertThat(e.file()).isEqualTo(log.segment(segment));
                assertThat(e.offset()).isEqualTo(frame.offset());
              });
    } else {
      int records = (int) frames.subList(0, hit).stream().filter(f -> !f.isSeal()).count();
      assertThat(log.replay().batches())
          .describedAs(place)
          .isEqualTo(log.appended().subList(0, records));
    }
  }

  @ParameterizedTest
  @EnumSource(LogAccess.class)
  void damageToWhatWasSyncedLastIsNoTornEnd(LogAccess access) {
    try (WalWriter writer = log.open(access, WalTesting.NEVER)) {
      for (int i = 0; i < 3; i++) {
        log.append(writer, 100);
      }
      writer.sync();
      byte[] whole = log.read(1);
      int lastRecord = 32 + 2 * 128;
      log.damage(1, lastRecord + 40);
      assertThatThrownBy(log::replay)
          .isInstanceOfSatisfying(
              CorruptionException.class,
              e -> {
                assertThat(e.file()).isEqualTo(log.segment(1));
                assertThat(e.offset()).isEqualTo(lastRecord);
              })
          .hasMessageContaining("the mark of");
      log.overwrite(1, whole);
      log.append(writer, 100);
      log.damage(1, lastRecord + 128 + 40);
      assertThat(log.replay().batches()).isEqualTo(log.appended().subList(0, 3));
    }
  }

  @Test
  void aDamagedMarkOfASegmentClaimsNothing() {
    try (WalWriter writer = log.open(LogAccess.MAPPED, WalTesting.NEVER)) {
      log.append(writer, 100);
      writer.sync();
    }
    byte[] whole = log.read(1);
    for (int offset = whole.length - SegmentMark.BYTES; offset < whole.length; offset++) {
      for (int bit = 0; bit < 8; bit++) {
        byte[] damaged = whole.clone();
        damaged[offset] ^= (byte) (1 << bit);
        log.overwrite(1, damaged);
        assertThat(log.replay().batches()).isEqualTo(log.appended());
      }
    }
  }

  /**
   * Index of the frame that the byte belongs to, -1 for padding and what lies after the last one.
   */
  private static int hitFrame(List<Frame> frames, long segment, int offset) {
    for (int i = 0; i < frames.size(); i++) {
      Frame frame = frames.get(i);
      if (frame.segment() == segment && offset >= frame.offset() && offset < frame.end()) {
        return i;
      }
    }
    return -1;
  }

  private List<Frame> frames(long... segments) {
    List<Frame> frames = new ArrayList<>();
    marks.clear();
    for (long segment : segments) {
      byte[] content = log.read(segment);
      try (WalSegmentReader reader = WalSegmentReader.open(disk, directory, segment)) {
        marks.add(reader.segmentMark());
        while (reader.next()) {
          int length = ByteBuffer.wrap(content).getInt(reader.offset());
          frames.add(
              new Frame(
                  segment,
                  reader.offset(),
                  reader.offset() + RecordFrame.HEADER_BYTES + length,
                  reader.isSeal(),
                  reader.mark()));
        }
      }
    }
    return frames;
  }

  @Test
  void missingSegmentsAreDamageNamingThem() throws IOException {
    try (WalWriter writer = log.open(LogAccess.MAPPED, WalTesting.NEVER)) {
      while (writer.segments().length < 4) {
        log.append(writer, 900);
      }
    }
    Files.delete(log.segment(3));
    assertMissing(0, 3);
    assertMissing(2, 3);
    assertThat(log.replay(4).batches()).isNotEmpty();
    Files.delete(log.segment(1));
    assertMissing(1, 1);
    assertMissing(77, 77);
  }

  private void assertMissing(long firstNeeded, long missing) {
    assertThatThrownBy(() -> log.replay(firstNeeded))
        .isInstanceOfSatisfying(
            CorruptionException.class, e -> assertThat(e.file()).isEqualTo(log.segment(missing)))
        .hasMessageContaining("missing");
  }

  @Test
  void segmentInThePlaceOfAnotherIsNoticed() {
    try (WalWriter writer = log.open(LogAccess.MAPPED, WalTesting.NEVER)) {
      while (writer.segments().length < 3) {
        log.append(writer, 900);
      }
    }
    log.overwrite(2, log.read(1));
    assertThatThrownBy(log::replay).isInstanceOf(CorruptionException.class);
  }

  @Test
  void fileOfAnImpossibleSizeIsDamage() {
    log.open(LogAccess.MAPPED, WalTesting.NEVER).close();
    byte[] whole = log.read(1);
    for (int size : new int[] {0, 31, 4095, 8191}) {
      log.overwrite(1, Arrays.copyOf(whole, size));
      assertThatThrownBy(log::replay).isInstanceOf(CorruptionException.class);
    }
  }

  @Test
  void segmentCutWithinWhatWasSyncedIsDamage() {
    try (WalWriter writer = log.open(LogAccess.MAPPED, WalTesting.NEVER)) {
      while (writer.segments().length < 2) {
        log.append(writer, 900);
      }
      writer.sync();
      log.append(writer, 900);
      byte[] half = Arrays.copyOf(log.read(1), 4096);
      Path copy = directory.resolve("copy");
      disk.createDirectories(copy);
      WalTesting copied = new WalTesting(disk, copy);
      copied.overwrite(1, half);
      copied.overwrite(2, log.read(2));
      assertThatThrownBy(copied::replay).isInstanceOf(CorruptionException.class);
    }
  }

  @Test
  void readErrorIsNeverTheEndOfTheLog() {
    try (WalWriter writer = log.open(LogAccess.MAPPED, WalTesting.NEVER, 1 << 20)) {
      for (int i = 0; i < 40; i++) {
        log.append(writer, 100_000);
      }
    }
    FaultyFileSystem faulty = new FaultyFileSystem(disk);
    WalTesting.replay(faulty, directory, 0);
    long reads = faulty.calls(Operation.READ);
    assertThat(reads).isGreaterThan(10);
    for (int nth = 1; nth <= reads; nth++) {
      faulty.heal();
      faulty.failOnce(Operation.READ, FaultyFileSystem.ANY_PATH, nth, Fault.EIO);
      assertThatThrownBy(() -> WalTesting.replay(faulty, directory, 0))
          .isInstanceOf(StoreIoException.class);
    }
    faulty.heal();
    for (Operation operation : List.of(Operation.LIST, Operation.OPEN_FOR_READ, Operation.CLOSE)) {
      faulty.failOnce(operation, FaultyFileSystem.ANY_PATH, 1, Fault.EIO);
      assertThatThrownBy(() -> WalTesting.replay(faulty, directory, 0))
          .isInstanceOf(StoreIoException.class);
    }
  }

  /** Whoever fills values with what looks like heads of large records must not stop a recovery. */
  @Test
  void searchAfterDamageEndsEvenAmongCraftedRecords() {
    int size = 1 << 14;
    byte[] crafted = new byte[size - 200];
    ByteBuffer heads = ByteBuffer.wrap(crafted);
    heads.position(4); // frames begin at multiples of 8, operations 28 after that
    while (heads.remaining() >= 16) {
      heads.putInt(1 << 13).putInt(16).putInt(1).putInt(16);
    }
    byte[] notSynced;
    try (WalWriter writer = log.open(LogAccess.MAPPED, WalTesting.NEVER, size)) {
      writer.append(1L << 32, 1, crafted, 0, 8);
      writer.append((1L << 32) + 1, 1, crafted, 0, crafted.length);
      notSynced = log.read(1);
    }
    log.overwrite(1, notSynced); // no mark is to settle the matter before the search
    log.damage(1, 72 + 4); // after the header of 32 bytes and a record of 40
    // Every other word is a length of 8 KiB and a distance, the one after it half a sequence
    // number in reach of the last one and a count. With a small file number the distance would give
    // it away.
    FileRenumbering.renumber(log, 1, 1L << 40);
    assertThatThrownBy(() -> log.replay(1L << 40))
        .isInstanceOf(CorruptionException.class)
        .hasMessageContaining("too much looks like a record");
  }

  @Test
  void randomBytesAfterTheHeaderGiveNoRecordAndNoOtherFailure() {
    log.open(LogAccess.MAPPED, WalTesting.NEVER, 1 << 16).close();
    byte[] header = Arrays.copyOf(log.read(1), 32);
    for (long seed = 0; seed < 200; seed++) {
      Random random = new Random(seed);
      byte[] content = new byte[1 << 16];
      random.nextBytes(content);
      for (int i = 32; i < content.length; i += 8) {
        if (random.nextInt(4) == 0) {
          ByteBuffer.wrap(content).putInt(i, random.nextInt(1 << 16)); // a length that fits
        }
      }
      System.arraycopy(header, 0, content, 0, 32);
      log.overwrite(1, content);
      Throwable thrown = catchThrowable(() -> assertThat(log.replay().batches()).isEmpty());
      if (thrown != null) {
        assertThat(thrown).describedAs("seed %d", seed).isInstanceOf(CorruptionException.class);
      }
    }
  }
}
