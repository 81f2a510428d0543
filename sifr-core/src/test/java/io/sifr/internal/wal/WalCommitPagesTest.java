package io.sifr.internal.wal;

import static org.assertj.core.api.Assertions.assertThat;

import io.sifr.config.LogAccess;
import io.sifr.internal.io.AppendFile;
import io.sifr.internal.io.DiskFileSystem;
import io.sifr.internal.io.MappedRegion;
import io.sifr.internal.io.RandomWriteFile;
import io.sifr.testing.ForwardingFileSystem;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * What a commit writes to the disk depends on how the file system was asked for the file before:
 * the page cache keeps what one call writes or reads as one piece, and a store through a mapping
 * makes the whole piece dirty.
 */
class WalCommitPagesTest {
  private static final int PAGE_BYTES = 4096;
  private static final int SEGMENT_BYTES = 512 << 10;

  @TempDir Path directory;

  /** One write: of which file, where it begins, and how long it is. */
  private record Write(String file, long at, int length) {
    boolean isOfOnePage() {
      return at / PAGE_BYTES == (at + length - 1) / PAGE_BYTES;
    }
  }

  private final List<Write> filled = new ArrayList<>();
  private final List<String> opened = new ArrayList<>();

  private final ForwardingFileSystem files =
      new ForwardingFileSystem(new DiskFileSystem()) {
        @Override
        public AppendFile create(Path file) {
          return new ForwardingAppendFile(super.create(file)) {
            @Override
            public void append(byte[] source, int offset, int length) {
              filled.add(new Write(file.getFileName().toString(), position(), length));
              super.append(source, offset, length);
            }
          };
        }

        @Override
        public MappedRegion mapForWrite(Path file, long size) {
          opened.add("mapped " + file.getFileName());
          return super.mapForWrite(file, size);
        }

        @Override
        public RandomWriteFile openForWrite(Path file, long size) {
          opened.add("written " + file.getFileName());
          return super.openForWrite(file, size);
        }
      };

  @ParameterizedTest
  @EnumSource
  void eachPageOfANewSegmentIsFilledByAWriteOfItsOwn(LogAccess access) {
    WalTesting log = new WalTesting(files, directory);
    try (WalWriter writer = log.open(access, WalTesting.NEVER, SEGMENT_BYTES)) {
      while (writer.segments().length < 9) {
        log.append(writer, 10_000);
      }
      long bytes = writer.segmentBytes();
      assertThat(filled).allMatch(Write::isOfOnePage);
      assertThat(filled).doesNotHaveDuplicates().hasSize((int) (bytes / PAGE_BYTES));
      assertThat(filled.stream().mapToLong(Write::length).sum()).isEqualTo(bytes);
    }
  }

  /** Who has read it since it was filled is unknown, and in which pieces. */
  @Test
  void anEarlierWriterIsContinuedWithoutAMapping() {
    WalTesting log = new WalTesting(files, directory);
    WalEnd end;
    try (WalWriter writer = log.open(LogAccess.MAPPED, WalTesting.NEVER, 8192)) {
      while (writer.segments().length < 3) {
        log.append(writer, 3000);
      }
      end = writer.end();
    }
    opened.clear();
    try (WalWriter writer = log.resume(end)) {
      assertThat(opened)
          .containsExactly(
              "mapped 000000000001.wal", "mapped 000000000002.wal", "written 000000000003.wal");
      opened.clear();
      while (writer.segments().length < 5) {
        log.append(writer, 3000);
      }
      assertThat(opened).containsExactly("mapped 000000000004.wal", "mapped 000000000005.wal");
      writer.sync();
      assertThat(log.replay().batches()).isEqualTo(log.appended());

      // Recycled, they would be mapped, or be written by calls for good.
      writer.release(5);
      assertThat(log.fileNames()).containsExactly("000000000004.wal", "000000000005.wal");
    }
  }
}
