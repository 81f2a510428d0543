package io.sifr.internal.wal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sifr.config.LogAccess;
import io.sifr.error.StoreFailedException;
import io.sifr.error.StoreFullException;
import io.sifr.internal.crypt.FileKeys;
import io.sifr.internal.format.FileHeader;
import io.sifr.internal.format.FileKind;
import io.sifr.internal.io.DiskFileSystem;
import io.sifr.internal.io.KeyedFileSystem;
import io.sifr.internal.io.StoreFileSystem;
import io.sifr.internal.resources.SegmentAllowance;
import io.sifr.spi.EncryptionKeys;
import io.sifr.testing.FaultyFileSystem;
import io.sifr.testing.FaultyFileSystem.Fault;
import io.sifr.testing.FaultyFileSystem.Operation;
import io.sifr.testing.ForwardingFileSystem;
import io.sifr.testing.Gate;
import io.sifr.testing.LeakCountingFileSystem;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Segments that are prepared in advance, and that the writer does not wait for others. */
@Timeout(value = 60, unit = TimeUnit.SECONDS, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class WalSparesTest {
  private static final int SEGMENT_BYTES = WalTesting.SEGMENT_BYTES;

  /** Of which a segment holds one. */
  private static final int RECORD_BYTES = 5000;

  @TempDir Path directory;

  private final Deque<Runnable> tasks = new ArrayDeque<>();
  private final SegmentAllowance kept = new SegmentAllowance(Long.MAX_VALUE);
  private final AtomicLong numbers = new AtomicLong();
  private final FaultyFileSystem faulty = new FaultyFileSystem(new DiskFileSystem());
  private final Gate renames = new Gate();
  private final Gate deletions = new Gate();
  private final LeakCountingFileSystem opened = new LeakCountingFileSystem(faulty);
  private final ForwardingFileSystem files =
      new ForwardingFileSystem(opened) {
        @Override
        public void rename(Path source, Path target) {
          renames.pass();
          super.rename(source, target);
        }

        @Override
        public void delete(Path file) {
          deletions.pass();
          super.delete(file);
        }
      };

  private int currentKey = 1;
  private long lastNumber = Long.MAX_VALUE;
  private long sequence;

  /** Fails beyond the last number, as after a failure of the store. */
  private long nextNumber() {
    long number = numbers.incrementAndGet();
    if (number > lastNumber) {
      throw new StoreFailedException(directory, new IOException("Input/output error"));
    }
    return number;
  }

  private WalWriter open() {
    return open(files);
  }

  private WalWriter open(StoreFileSystem in) {
    WalParts parts =
        new WalParts(
            in,
            directory,
            this::nextNumber,
            () -> 7,
            SEGMENT_BYTES,
            LogAccess.MAPPED,
            new WalResources(tasks::add, kept));
    return new WalWriter(parts, 0);
  }

  private void append(WalWriter writer) {
    writer.append(++sequence, 1, new byte[RECORD_BYTES], 0, RECORD_BYTES);
  }

  private void runTasks() {
    while (!tasks.isEmpty()) {
      tasks.remove().run();
    }
  }

  private StoreFileSystem encrypted() {
    return new KeyedFileSystem(
        files,
        FileKeys.of(
            new EncryptionKeys() {
              @Override
              public int current() {
                return currentKey;
              }

              @Override
              public byte[] key(int number) {
                byte[] key = new byte[KEY_BYTES];
                key[0] = (byte) number;
                return key;
              }
            }));
  }

  private int keyOf(StoreFileSystem in, long segment) {
    Path path = FileKind.WAL.path(directory, segment);
    return FileHeader.read(in, path, FileKind.WAL, segment).key();
  }

  /** Nothing is written with an old key that was not begun with it. */
  @Test
  void aSpareOfAnotherKeyIsNotUsed() {
    StoreFileSystem in = encrypted();
    try (WalWriter writer = open(in)) {
      append(writer);
      append(writer);
      runTasks();
      currentKey = 2;
      long before = writer.activeSegment();
      assertThat(keyOf(in, before)).isEqualTo(1);
      assertThat(writer.isReadyFor(RECORD_BYTES)).isFalse();
      append(writer);
      assertThat(writer.activeSegment()).isGreaterThan(before + 1); // there was a spare
      assertThat(keyOf(in, writer.activeSegment())).isEqualTo(2);
      runTasks();
      assertThat(writer.isReadyFor(RECORD_BYTES)).isTrue();
    }
  }

  /** A log of one full segment that has released so many. */
  private WalWriter openWithRetired(int count) {
    WalWriter writer = open();
    for (int i = 0; i <= count; i++) {
      append(writer);
    }
    writer.release(writer.activeSegment());
    return writer;
  }

  private static Thread start(Runnable task) {
    Thread thread = new Thread(task, "other");
    thread.start();
    return thread;
  }

  @Test
  void severalAreMadeOfThoseThatAreKeptForRecycling() {
    try (WalWriter writer = openWithRetired(4)) {
      long files = faulty.list(directory).size();
      long created = faulty.calls(Operation.CREATE);
      runTasks();
      assertThat(kept.bytes()).isEqualTo(3L * SEGMENT_BYTES); // the first spare is none of them
      for (int i = 0; i < 3; i++) {
        assertThat(writer.isReadyFor(RECORD_BYTES)).isTrue();
        append(writer);
      }
      assertThat(writer.isReadyFor(RECORD_BYTES)).isFalse();
      assertThat(kept.bytes()).isEqualTo(SEGMENT_BYTES);
      assertThat(faulty.list(directory)).hasSize((int) files);
      assertThat(faulty.calls(Operation.CREATE)).isEqualTo(created);
      runTasks();
      assertThat(kept.bytes()).isZero();
    }
    assertThat(kept.bytes()).isZero();
  }

  @Test
  void noneIsLeftOpenWhenAnotherGetsNoNumber() {
    try (WalWriter writer = openWithRetired(4)) {
      lastNumber = numbers.get() + 1;
      runTasks();
      assertThat(writer.isReadyFor(RECORD_BYTES)).isTrue();
      assertThat(numbers.get()).isGreaterThan(lastNumber);
    }
    opened.assertNothingOpen();
    assertThat(kept.bytes()).isZero();
  }

  @Test
  void noneIsLeftOpenWhenTheNextGetsNoNumber() {
    try (WalWriter writer = openWithRetired(4)) {
      lastNumber = numbers.get();
      runTasks();
      assertThat(writer.isReadyFor(RECORD_BYTES)).isFalse();
      assertThat(numbers.get()).isGreaterThan(lastNumber);
    }
    opened.assertNothingOpen();
    assertThat(kept.bytes()).isZero();
  }

  /** Else a log that keeps none would take the space of several. */
  @Test
  void onlyOneIsMadeOfANewFile() {
    try (WalWriter writer = open()) {
      runTasks();
      assertThat(faulty.list(directory)).hasSize(2);
      append(writer);
      append(writer);
      runTasks();
      assertThat(faulty.list(directory)).hasSize(3);
    }
  }

  /** The next one takes long. */
  @Test
  void oneThatIsReadyIsTakenWhileAnotherIsBeingPrepared() throws InterruptedException {
    try (WalWriter writer = openWithRetired(2)) {
      runTasks(); // two are ready
      append(writer);
      writer.release(writer.activeSegment());
      renames.close();
      Thread other = start(this::runTasks);
      renames.awaitArrival();
      assertThat(writer.isReadyFor(RECORD_BYTES)).isTrue();
      append(writer);
      renames.open();
      other.join();
    }
    assertThat(kept.bytes()).isZero();
  }

  @Test
  void oneThatIsReadyIsTakenWhileAnotherIsDeleted() throws InterruptedException {
    try (WalWriter writer = open()) {
      writer.append(++sequence, 1, new byte[100_000], 0, 100_000);
      append(writer);
      runTasks();
      deletions.close();
      Thread other = start(() -> writer.release(writer.activeSegment()));
      deletions.awaitArrival();
      assertThat(writer.isReadyFor(RECORD_BYTES)).isTrue();
      append(writer);
      deletions.open();
      other.join();
    }
  }

  @Test
  void oneThatIsPreparedByTheWriterIsTakenByTheAppend() {
    try (WalWriter writer = open()) {
      append(writer);
      assertThat(writer.isReadyFor(10)).isTrue();
      assertThat(writer.isReadyFor(RECORD_BYTES)).isFalse();
      writer.prepareFor(10, false); // which fits already
      assertThat(faulty.list(directory)).hasSize(1);
      writer.prepareFor(100_000, false);
      assertThat(writer.isReadyFor(100_000)).isTrue();
      long created = faulty.calls(Operation.CREATE);
      writer.append(++sequence, 1, new byte[100_000], 0, 100_000);
      assertThat(faulty.calls(Operation.CREATE)).isEqualTo(created);
      assertThat(writer.segments()).isSorted().hasSize(2);
    }
  }

  @Test
  void whyThereIsNoneIsThrown() {
    try (WalWriter writer = open()) {
      append(writer);
      faulty.failForGood(Operation.CREATE, FaultyFileSystem.ANY_PATH, 1, Fault.ENOSPC);
      for (int i = 0; i < 3; i++) {
        assertThatThrownBy(() -> writer.prepareFor(RECORD_BYTES, false))
            .isInstanceOf(StoreFullException.class);
      }
      faulty.heal();
      writer.prepareFor(RECORD_BYTES, false);
      append(writer);
    }
  }

  @Test
  void aClosedLogPreparesNone() {
    WalWriter writer = open();
    append(writer);
    writer.close();
    long created = faulty.calls(Operation.CREATE);
    writer.prepareFor(RECORD_BYTES, false);
    assertThat(faulty.calls(Operation.CREATE)).isEqualTo(created);
  }
}
