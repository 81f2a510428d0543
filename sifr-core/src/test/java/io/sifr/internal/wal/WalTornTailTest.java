package io.sifr.internal.wal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sifr.config.LogAccess;
import io.sifr.error.CorruptionException;
import io.sifr.internal.io.DiskFileSystem;
import java.nio.file.Path;
import java.util.Arrays;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What a crash may leave, and what only damage can. */
class WalTornTailTest {
  @TempDir Path directory;
  private WalTesting log = new WalTesting(new DiskFileSystem(), Path.of(""));

  @BeforeEach
  void openDirectory() {
    log = new WalTesting(new DiskFileSystem(), directory);
  }

  @Test
  void recordCutAnywhereIsNotThereAndThoseBeforeItAre() {
    byte[] whole;
    try (WalWriter writer = log.open(LogAccess.MAPPED, WalTesting.NEVER)) {
      log.append(writer, 50);
      log.append(writer, 61);
      whole = log.read(1); // closing syncs it, and what was synced is not torn
    }
    int from = 32 + (int) WalFormat.frameBytes(50, false);
    int to = from + 8 + WalFormat.PAYLOAD_HEAD_BYTES + 61;
    for (int cut = from; cut < to; cut++) {
      byte[] torn = whole.clone();
      Arrays.fill(torn, cut, to, (byte) 0);
      boolean same = Arrays.equals(torn, whole); // where the record's last bytes are zeros
      log.overwrite(1, torn);
      WalTesting.Replayed replayed = log.replay();
      assertThat(replayed.batches())
          .describedAs("cut at %d", cut)
          .isEqualTo(same ? log.appended() : log.appended().subList(0, 1));
      if (!same) {
        assertThat(replayed.result().endOffset()).isEqualTo(from);
      }
    }
  }

  @Test
  void everythingAfterAPageThatWasNotWrittenBackIsDiscarded() {
    try (WalWriter writer = log.open(LogAccess.MAPPED, WalTesting.NEVER)) {
      for (int i = 0; i < 10; i++) {
        log.append(writer, 500);
      }
      // Not closed: the last sync must not be in a mark.
      log.lose(1, 4096, 4097 + 8);
      WalTesting.Replayed replayed = log.replay();
      assertThat(replayed.batches()).isEqualTo(log.appended().subList(0, 7));
      assertThat(replayed.result().discardedRecords()).isEqualTo(2);
    }
  }

  @Test
  void laterSegmentsAreDiscardedWhenAnEarlierOneLostItsEnd() {
    try (WalWriter writer = log.open(LogAccess.MAPPED, WalTesting.NEVER)) {
      while (writer.segments().length < 4) {
        log.append(writer, 900);
      }
      int endOfSecond = sealOffset(2);
      log.lose(2, endOfSecond, endOfSecond + (int) WalFormat.frameBytes(Long.BYTES, false));
      WalTesting.Replayed replayed = log.replay();
      assertThat(replayed.batches()).isEqualTo(log.appended().subList(0, 16));
      assertThat(replayed.result().endSegment()).isEqualTo(2);
      assertThat(replayed.result().discardedRecords()).isEqualTo(log.appended().size() - 16);
    }
  }

  @Test
  void syncedRecordThatIsGoneIsDamageEvenIfALaterSegmentTells() {
    try (WalWriter writer = log.open(LogAccess.MAPPED, WalTesting.NEVER)) {
      log.append(writer, 900);
      log.append(writer, 900);
      writer.sync();
      while (writer.segments().length < 2) {
        log.append(writer, 900);
      }
      int second = 32 + (int) WalFormat.frameBytes(900, false);
      log.lose(1, second, 8192); // all records after it as well, the seal too
      assertThatThrownBy(log::replay)
          .isInstanceOfSatisfying(
              CorruptionException.class,
              e -> {
                assertThat(e.file()).isEqualTo(log.segment(1));
                assertThat(e.offset()).isEqualTo(second);
              })
          .hasMessageContaining("000000000002.wal");
    }
  }

  @Test
  void firstRecordOfAllIsKnownToBeSyncedToo() {
    try (WalWriter writer = log.open(LogAccess.MAPPED, WalTesting.NEVER)) {
      log.append(writer, 100);
      writer.sync();
      log.append(writer, 100);
      log.lose(1, 32, 40);
      assertThatThrownBy(log::replay).isInstanceOf(CorruptionException.class);
    }
  }

  @Test
  void lostSyncedSealIsDamageAndLostUnsyncedSealIsNot() {
    for (boolean synced : new boolean[] {false, true}) {
      try (WalWriter writer = log.open(LogAccess.MAPPED, WalTesting.NEVER)) {
        long first = writer.activeSegment();
        while (writer.activeSegment() == first) {
          log.append(writer, 900);
        }
        if (synced) {
          writer.sync();
        }
        log.append(writer, 900);
        int seal = sealOffset(first);
        log.lose(first, seal, seal + 8);
        if (synced) {
          assertThatThrownBy(() -> log.replay(first))
              .isInstanceOfSatisfying(
                  CorruptionException.class, e -> assertThat(e.offset()).isEqualTo(seal));
        } else {
          assertThat(log.replay(first).result().discardedRecords()).isEqualTo(2);
        }
      }
    }
  }

  private int sealOffset(long segment) {
    try (WalSegmentReader reader =
        WalSegmentReader.open(new DiskFileSystem(), directory, segment)) {
      while (reader.next() && !reader.isSeal()) {
        assertThat(reader.operationCount()).isPositive();
      }
      assertThat(reader.isSeal()).isTrue();
      return reader.offset();
    }
  }
}
