package io.sifr.internal.wal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sifr.config.LogAccess;
import io.sifr.internal.entry.Trailer;
import io.sifr.internal.io.DiskFileSystem;
import java.nio.file.Path;
import java.util.Random;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

@Tag("disk")
class WalRoundTripTest {
  /** What one record of the largest size that fits a fresh segment holds. */
  private static final int LARGEST_USUAL =
      WalTesting.SEGMENT_BYTES
          - WalFormat.FIRST_FRAME
          - WalFormat.reservedBytes(false)
          - 8
          - WalFormat.PAYLOAD_HEAD_BYTES;

  @TempDir Path directory;
  private WalTesting log;

  WalRoundTripTest() {
    log = new WalTesting(new DiskFileSystem(), Path.of(""));
  }

  @BeforeEach
  void openDirectory() {
    log = new WalTesting(new DiskFileSystem(), directory);
  }

  @ParameterizedTest
  @EnumSource
  void recordsOfManySizesComeBackInOrder(LogAccess access) {
    Random random = new Random(11);
    try (WalWriter writer = log.open(access, WalTesting.DIRECT)) {
      for (int bytes = 0; bytes < 300; bytes++) {
        log.append(writer, bytes, 1 + random.nextInt(5));
        log.skipSequences(random.nextInt(3));
      }
      assertThat(writer.segments()).hasSizeGreaterThan(5);
      assertThat(log.replay().batches()).isEqualTo(log.appended()); // as after a killed process
    }
    WalTesting.Replayed replayed = log.replay();
    assertThat(replayed.batches()).isEqualTo(log.appended());
    assertThat(replayed.result().lastSequence())
        .isEqualTo(
            log.appended().get(299).firstSequence() + log.appended().get(299).operationCount() - 1);
    assertThat(replayed.result().discardedRecords()).isZero();
  }

  @Test
  void bytesAppendedCountsWholeFrames() {
    try (WalWriter writer = log.open(LogAccess.MAPPED, WalTesting.DIRECT)) {
      assertThat(writer.bytesAppended()).isZero();
      log.append(writer, 4);
      assertThat(writer.bytesAppended()).isEqualTo(32);
      log.append(writer, 5);
      assertThat(writer.bytesAppended()).isEqualTo(32 + 40);
    }
  }

  @ParameterizedTest
  @EnumSource
  void recordThatLeavesJustTheSealFitsAndOneByteMoreDoesNot(LogAccess access) {
    for (int tooMuch : new int[] {0, 1}) {
      try (WalWriter writer = log.open(access, WalTesting.DIRECT)) {
        long first = writer.activeSegment();
        log.append(writer, 100);
        int rest = LARGEST_USUAL - (int) WalFormat.frameBytes(100, false);
        long segment = log.append(writer, rest + tooMuch);
        assertThat(segment == first).isEqualTo(tooMuch == 0);
        long next = log.append(writer, 0);
        assertThat(next == segment).isEqualTo(tooMuch == 1);
        assertThat(log.replay(first).result().endSegment()).isEqualTo(next);
      }
    }
  }

  @ParameterizedTest
  @EnumSource
  void largeRecordGetsASegmentOfItsOwnSize(LogAccess access) {
    try (WalWriter writer = log.open(access, WalTesting.DIRECT)) {
      long first = log.append(writer, 100);
      long usual = log.append(writer, LARGEST_USUAL);
      long large = log.append(writer, LARGEST_USUAL + 1);
      long huge = log.append(writer, 3_000_000);
      long after = log.append(writer, LARGEST_USUAL);
      assertThat(writer.segments()).containsExactly(first, usual, large, huge, after).isSorted();
      assertThat(log.read(usual)).hasSize(WalTesting.SEGMENT_BYTES);
      assertThat(log.read(large)).hasSize(WalTesting.SEGMENT_BYTES + 4096);
      assertThat(log.read(huge).length % 4096).isZero();
      assertThat(log.replay().batches()).isEqualTo(log.appended());
    }
  }

  @Test
  void tinySegmentsHoldLogsOfAnyKind() {
    try (WalWriter writer =
        log.open(LogAccess.MAPPED, WalTesting.DIRECT, WalWriter.MIN_SEGMENT_BYTES)) {
      Random random = new Random(5);
      for (int i = 0; i < 200; i++) {
        log.append(writer, random.nextInt(6000));
      }
      assertThat(log.replay().batches()).isEqualTo(log.appended());
    }
  }

  @Test
  void emptyDirectoryAndFreshLogHoldNothing() {
    assertThat(log.replay().result().segments()).isEmpty();
    try (WalWriter writer = log.open(LogAccess.MAPPED, WalTesting.DIRECT)) {
      WalReplay.Result result = log.replay(writer.activeSegment()).result();
      assertThat(result.lastSequence()).isZero();
      assertThat(result.endSegment()).isEqualTo(writer.activeSegment());
      assertThat(result.endOffset()).isEqualTo(32);
      assertThat(result.segments()).containsExactly(1L, 2L); // the second is the spare
    }
  }

  @Test
  void replayBeginsAtTheFirstNeededSegment() {
    try (WalWriter writer = log.open(LogAccess.MAPPED, WalTesting.DIRECT)) {
      while (writer.segments().length < 4) {
        log.append(writer, 500);
      }
      long third = writer.segments()[2];
      WalTesting.Replayed replayed = log.replay(third);
      assertThat(replayed.batches()).isNotEmpty();
      assertThat(log.appended()).endsWith(replayed.batches().toArray(new WalTesting.Batch[0]));
      assertThat(replayed.result().segments()).startsWith(third);
      assertThat(replayed.batches().size()).isLessThan(log.appended().size());
    }
  }

  @ParameterizedTest
  @ValueSource(longs = {0, 4095, 4097, 1L << 31, -4096})
  void segmentSizesOutOfRangeAreRefused(long segmentBytes) {
    assertThatThrownBy(() -> log.open(LogAccess.MAPPED, WalTesting.DIRECT, segmentBytes))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("segmentBytes is " + segmentBytes);
    assertThat(log.fileNames()).isEmpty();
  }

  @Test
  void badArgumentsAreRefusedAndChangeNothing() {
    try (WalWriter writer = log.open(LogAccess.MAPPED, WalTesting.DIRECT)) {
      log.append(writer, 10, 3);
      byte[] bytes = new byte[10];
      assertThatThrownBy(() -> writer.append(3, 1, bytes, 0, 10))
          .isInstanceOf(IllegalArgumentException.class)
          .hasMessageContaining("allowed: 4 to");
      assertThatThrownBy(() -> writer.append(4, 0, bytes, 0, 10))
          .isInstanceOf(IllegalArgumentException.class);
      assertThatThrownBy(() -> writer.append(4, -1, bytes, 0, 10))
          .isInstanceOf(IllegalArgumentException.class);
      assertThatThrownBy(() -> writer.append(Trailer.MAX_SEQUENCE, 2, bytes, 0, 10))
          .isInstanceOf(IllegalArgumentException.class);
      assertThatThrownBy(() -> writer.append(4, 1, bytes, 1, 10))
          .isInstanceOf(IndexOutOfBoundsException.class);
      assertThatThrownBy(() -> writer.awaitDurable(4)).isInstanceOf(IllegalArgumentException.class);
      log.append(writer, 10);
      assertThat(log.replay().batches()).isEqualTo(log.appended());
      writer.append(Trailer.MAX_SEQUENCE, 1, bytes, 0, 10);
      assertThat(log.replay().result().lastSequence()).isEqualTo(Trailer.MAX_SEQUENCE);
    }
  }

  @Test
  void largestRecordFillsTheLargestSegment() {
    assertThat(WalFormat.segmentBytesFor(WalFormat.frameBytes(Integer.MAX_VALUE, false), false))
        .isGreaterThan(WalWriter.MAX_SEGMENT_BYTES);
    assertThat(
            WalFormat.segmentBytesFor(
                WalFormat.frameBytes(WalWriter.MAX_SEGMENT_BYTES - 108, false), false))
        .isEqualTo(WalWriter.MAX_SEGMENT_BYTES);
  }

  @ParameterizedTest
  @EnumSource
  void closedLogRefusesAppends(LogAccess access) {
    WalWriter writer = log.open(access, WalTesting.DIRECT);
    log.append(writer, 10);
    writer.close();
    writer.close();
    assertThatThrownBy(() -> log.append(writer, 10)).isInstanceOf(IllegalStateException.class);
    writer.awaitDurable(1); // closing has synced
    writer.sync();
    assertThat(log.replay().batches()).isEqualTo(log.appended());
  }
}
