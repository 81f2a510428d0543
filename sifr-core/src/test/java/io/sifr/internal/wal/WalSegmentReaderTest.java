package io.sifr.internal.wal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sifr.config.LogAccess;
import io.sifr.error.CorruptionException;
import io.sifr.internal.format.Checksums;
import io.sifr.internal.format.FileHeader;
import io.sifr.internal.format.FileKind;
import io.sifr.internal.format.RecordFrame;
import io.sifr.internal.io.DiskFileSystem;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.Arrays;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class WalSegmentReaderTest {
  @TempDir Path directory;
  private final DiskFileSystem disk = new DiskFileSystem();
  private WalTesting log = new WalTesting(disk, Path.of(""));

  @BeforeEach
  void openDirectory() {
    log = new WalTesting(disk, directory);
  }

  @Test
  void searchFindsEachWholeRecordAfterDamage() {
    try (WalWriter writer = log.open(LogAccess.MAPPED, WalTesting.NEVER)) {
      for (int i = 0; i < 5; i++) {
        log.append(writer, 100);
      }
    }
    int frame = (int) WalFormat.frameBytes(100, false);
    log.damage(1, 32 + frame + 50);
    log.damage(1, 32 + 3 * frame + 3);
    try (WalSegmentReader reader = WalSegmentReader.open(disk, directory, 1)) {
      assertThat(reader.next()).isTrue();
      assertThat(reader.next()).isFalse();
      assertThat(reader.next()).isFalse();
      assertThat(reader.endOffset()).isEqualTo(32 + frame);
      assertThat(reader.findNext()).isTrue();
      assertThat(reader.offset()).isEqualTo(32 + 2 * frame);
      assertThat(reader.firstSequence()).isEqualTo(3);
      assertThat(reader.findNext()).isTrue();
      assertThat(reader.firstSequence()).isEqualTo(5);
      assertThat(reader.findNext()).isFalse();
    }
  }

  @Test
  void recordsLargerThanTheWindowAndAcrossItsEdgesAreRead() {
    try (WalWriter writer = log.open(LogAccess.MAPPED, WalTesting.NEVER, 8 << 20)) {
      for (int i = 0; i < 40; i++) {
        log.append(writer, i % 10 == 3 ? 700_000 : 30_001 + i);
      }
    }
    assertThat(log.replay().batches()).isEqualTo(log.appended());
  }

  @Test
  void recordThatIsNoSealHasNoFollower() {
    try (WalWriter writer = log.open(LogAccess.MAPPED, WalTesting.NEVER)) {
      log.append(writer, 100);
    }
    try (WalSegmentReader reader = WalSegmentReader.open(disk, directory, 1)) {
      assertThat(reader.next()).isTrue();
      assertThat(reader.isSeal()).isFalse();
      assertThatThrownBy(reader::followingSegment).isInstanceOf(IllegalStateException.class);
    }
  }

  /** Whole frames that this program would never write. */
  @Test
  void intactRecordsWithImpossibleContentsAreDamage() {
    assertImpossible(7, 1, 0, 32, -1, 28); // operation count
    assertImpossible(7, 0, 0, 32, 1, 28); // sequence number
    assertImpossible(7, 1L << 60, 0, 32, 1, 28);
    assertImpossible(7, 1, 9, 32, 1, 28); // mark in a segment below zero
    assertImpossible(7, 1, 0, 40, 1, 28); // mark after the record itself
    assertImpossible(7, 1, 0, 32, 0, 29); // seal of another length
  }

  @Test
  void sealThatLeadsBackIsDamage() {
    for (long follower : new long[] {0, 6, 7, -1}) {
      writeSegment(7, 1, 0, 32, 0, 28, follower);
      assertDamageAt(7, 32);
    }
  }

  @Test
  void segmentWithSequenceNumbersOfAnEarlierOneIsDamage() {
    writeSegment(7, 100, 0, 32, 0, 28, 8);
    writeSegment(8, 100, 0, 32, 1, 28, 0);
    assertThat(log.replay().result().lastSequence()).isEqualTo(100);
    writeSegment(8, 99, 0, 32, 1, 28, 0);
    assertDamageAt(8, 32);
  }

  private void assertImpossible(
      long number, long firstSequence, int distance, int markOffset, int count, int length) {
    writeSegment(number, firstSequence, distance, markOffset, count, length, number + 1);
    assertDamageAt(number, 32);
  }

  private void assertDamageAt(long segment, long offset) {
    assertThatThrownBy(log::replay)
        .isInstanceOfSatisfying(
            CorruptionException.class,
            e -> {
              assertThat(e.file()).isEqualTo(log.segment(segment));
              assertThat(e.offset()).isEqualTo(offset);
            });
  }

  /**
   * A segment with one intact record, whose operations begin with the number of a following
   * segment.
   */
  private void writeSegment(
      long number,
      long firstSequence,
      int distance,
      int markOffset,
      int count,
      int payloadLength,
      long follower) {
    ByteBuffer segment = ByteBuffer.allocate(4096);
    FileHeader header = FileHeader.of(FileKind.WAL, number, 99);
    header.encodeTo(segment, 0);
    segment.putLong(40, firstSequence);
    segment.putInt(48, distance).putInt(52, markOffset).putInt(56, count).putLong(60, follower);
    RecordFrame.seal(segment, 32, payloadLength, header.uniqueId(), 32);
    log.overwrite(number, segment.array());
  }

  @Test
  void frameHeaderWrittenSeparatelyIsThatOfAWholeFrame() {
    byte[] payload = {1, 2, 3, 4, 5};
    ByteBuffer frame = ByteBuffer.allocate(16);
    frame.put(RecordFrame.HEADER_BYTES, payload);
    RecordFrame.seal(frame, 0, payload.length, 42, 4711);
    byte[] header = new byte[RecordFrame.HEADER_BYTES];
    RecordFrame.encodeHeader(
        header, 0, payload.length, Checksums.crc32c(payload, 0, payload.length), 42, 4711);
    assertThat(header).isEqualTo(Arrays.copyOf(frame.array(), header.length));
  }
}
