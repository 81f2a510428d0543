package io.sifr.internal.value;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sifr.error.CorruptionException;
import io.sifr.error.FileNotOpenedException;
import io.sifr.internal.io.DiskFileSystem;
import io.sifr.internal.io.MappedRegion;
import io.sifr.internal.io.RandomReadFile;
import io.sifr.testing.ForwardingFileSystem.ForwardingMappedRegion;
import io.sifr.testing.ForwardingFileSystem.ForwardingRandomReadFile;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Arrays;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class MappedReadsTest {
  private static final int BYTES = 300_000;

  private final byte[] content = new byte[BYTES];
  private final AtomicInteger mapped = new AtomicInteger();
  private final AtomicInteger unmapped = new AtomicInteger();
  private final AtomicInteger byPosition = new AtomicInteger();

  @TempDir Path directory;

  private Path path;
  private MappedReads file;
  private volatile boolean isComplete = true;
  private volatile boolean isInMemory = true;
  private boolean cannotBeMapped;
  private long size;
  private volatile Runnable whileInUse = () -> {};

  @BeforeEach
  void write() throws IOException {
    new Random(3).nextBytes(content);
    path = Files.write(directory.resolve("file"), content);
    file = open();
  }

  @AfterEach
  void close() {
    file.close();
  }

  private MappedReads open() {
    DiskFileSystem disk = new DiskFileSystem();
    return new MappedReads(
        new CountedFile(disk.openForRead(path)),
        () -> isComplete,
        () -> {
          mapped.incrementAndGet();
          if (cannotBeMapped) {
            throw new FileNotOpenedException(path, "map", new IOException("Out of memory"));
          }
          return new CountedRegion(disk.mapForRead(path, disk.size(path)));
        });
  }

  private final class CountedFile extends ForwardingRandomReadFile {
    CountedFile(RandomReadFile file) {
      super(file);
    }

    @Override
    public long size() {
      return size == 0 ? super.size() : size;
    }

    @Override
    public void readFully(ByteBuffer target, long position) {
      byPosition.incrementAndGet();
      super.readFully(target, position);
    }
  }

  private final class CountedRegion extends ForwardingMappedRegion {
    CountedRegion(MappedRegion region) {
      super(region);
    }

    @Override
    public boolean isInMemory(int from, int length) {
      whileInUse.run();
      return isInMemory;
    }

    @Override
    public void close() {
      unmapped.incrementAndGet();
      super.close();
    }
  }

  private void reads(int from, int length) {
    ByteBuffer target = ByteBuffer.allocate(length + 20).position(7).limit(7 + length);
    file.readFully(target, from);
    assertThat(target.hasRemaining()).isFalse();
    assertThat(Arrays.copyOfRange(target.array(), 7, 7 + length))
        .isEqualTo(Arrays.copyOfRange(content, from, from + length));
  }

  @Test
  void whatIsInMemoryIsCopiedFromAMapping() {
    reads(0, BYTES);
    reads(12_345, 100_000);
    reads(BYTES - 5000, 5000);
    assertThat(mapped).hasValue(1);
    assertThat(byPosition).hasValue(0);
    reads(17, 100); // so few are read faster by position
    assertThat(byPosition).hasValue(1);
  }

  @Test
  void whatIsNotInMemoryIsReadByPosition() {
    isInMemory = false;
    reads(5, 200_000);
    assertThat(byPosition).hasValue(1);
  }

  @Test
  void aFileThatIsWrittenToIsNotMapped() throws IOException {
    isComplete = false;
    reads(0, BYTES);
    assertThat(mapped).hasValue(0);
    Files.write(path, new byte[] {1, 2, 3}, StandardOpenOption.APPEND);
    isComplete = true;
    reads(0, BYTES);
    file.readFully(ByteBuffer.allocate(10_003), BYTES - 10_000);
    assertThat(mapped).hasValue(1);
    assertThat(byPosition).hasValue(1);
  }

  @Test
  void aFileThatCannotBeMappedIsReadByPosition() {
    cannotBeMapped = true;
    reads(0, BYTES);
    reads(0, BYTES);
    assertThat(mapped).hasValue(1);
    assertThat(byPosition).hasValue(2);
  }

  @Test
  void aFileThatIsTooLargeForABufferIsReadByPosition() {
    size = 1L + Integer.MAX_VALUE;
    reads(0, BYTES);
    assertThat(mapped).hasValue(0);
    assertThat(byPosition).hasValue(1);
  }

  @Test
  void whatIsBehindTheEndIsRefused() {
    assertThatThrownBy(() -> file.readFully(ByteBuffer.allocate(5000), BYTES - 4999))
        .isInstanceOf(CorruptionException.class)
        .hasMessageContaining("the file ends within the 5000 bytes wanted here");
  }

  @Test
  void aFileCutShortIsRefused() throws IOException {
    reads(0, BYTES);
    try (FileChannel channel = FileChannel.open(path, StandardOpenOption.WRITE)) {
      channel.truncate(BYTES / 2);
    }
    assertThatThrownBy(() -> file.readFully(ByteBuffer.allocate(50_000), BYTES - 60_000))
        .isInstanceOf(CorruptionException.class)
        .hasMessageContaining("the file ends within");
  }

  @Test
  void itIsUnmappedWhenTheLastReaderHasLeft() throws Exception {
    reads(0, BYTES);
    CountDownLatch inUse = new CountDownLatch(1);
    CountDownLatch goOn = new CountDownLatch(1);
    whileInUse =
        () -> {
          inUse.countDown();
          awaitUninterrupted(goOn);
        };
    CompletableFuture<Void> reading = CompletableFuture.runAsync(() -> reads(0, BYTES));
    assertThat(inUse.await(1, TimeUnit.MINUTES)).isTrue();
    Thread closing = new Thread(file::close);
    closing.start();
    while (closing.getState() != Thread.State.WAITING) { // for the reader
      Thread.onSpinWait();
    }
    assertThat(unmapped).hasValue(0);
    goOn.countDown();
    reading.get(1, TimeUnit.MINUTES);
    closing.join();
    assertThat(unmapped).hasValue(1);
  }

  private static void awaitUninterrupted(CountDownLatch latch) {
    try {
      latch.await();
    } catch (InterruptedException e) {
      throw new AssertionError(e);
    }
  }

  @Test
  void whatIsClosedIsReadNoMore() {
    reads(0, BYTES);
    file.close();
    file.close();
    assertThat(unmapped).hasValue(1);
    assertThatThrownBy(() -> reads(0, BYTES)).isInstanceOf(IllegalStateException.class);
  }
}
