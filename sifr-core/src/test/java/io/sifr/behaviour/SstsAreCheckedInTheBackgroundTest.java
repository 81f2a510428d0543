package io.sifr.behaviour;

import static io.sifr.behaviour.SmallStores.key;
import static org.assertj.core.api.Assertions.assertThat;

import io.sifr.Store;
import io.sifr.TestStores;
import io.sifr.config.CompactionPolicy;
import io.sifr.config.ReadMode;
import io.sifr.config.StoreOptions;
import io.sifr.error.CorruptionException;
import io.sifr.error.StoreIoException;
import io.sifr.event.Metric;
import io.sifr.event.StoreListener;
import io.sifr.internal.io.DiskFileSystem;
import io.sifr.internal.io.RandomReadFile;
import io.sifr.testing.FaultyFileSystem;
import io.sifr.testing.FaultyFileSystem.Fault;
import io.sifr.testing.FaultyFileSystem.Operation;
import io.sifr.testing.ForwardingFileSystem;
import io.sifr.testing.NoSyncFileSystem;
import io.sifr.testing.Waiting;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** What opening does not read of SSTs is read soon afterwards, slowly, and without a trace. */
@Timeout(value = 60, unit = TimeUnit.SECONDS)
class SstsAreCheckedInTheBackgroundTest {
  private static final long FAST = 1L << 40;
  private static final int KEYS = 1000;
  private static final int FOOTER_BYTES = 60;

  @TempDir Path directory;
  private List<Path> ssts;
  private final Queue<Throwable> told = new ConcurrentLinkedQueue<>();
  private final StoreListener listener =
      new StoreListener() {
        @Override
        public void failed(FailureEvent event) {
          assertThat(event.work()).isEqualTo("open");
          told.add(event.cause());
        }
      };

  /** Reads by position: with mappings there are no others. */
  private final AtomicInteger reads = new AtomicInteger();

  private final CountDownLatch firstRead = new CountDownLatch(1);
  private final CountDownLatch mayRead = new CountDownLatch(1);

  private final ForwardingFileSystem files =
      new ForwardingFileSystem(new NoSyncFileSystem(new DiskFileSystem())) {
        @Override
        public RandomReadFile openForRead(Path file) {
          RandomReadFile opened = super.openForRead(file);
          return file.toString().endsWith(".sst") ? new HeldFile(opened) : opened;
        }
      };

  /** The first read begins at once, and ends when it may. */
  private final class HeldFile implements RandomReadFile {
    private final RandomReadFile file;

    HeldFile(RandomReadFile file) {
      this.file = file;
    }

    @Override
    public long size() {
      return file.size();
    }

    @Override
    public void readFully(ByteBuffer target, long position) {
      reads.incrementAndGet();
      firstRead.countDown();
      Waiting.until("the read may end", () -> mayRead.getCount() == 0);
      file.readFully(target, position);
    }

    @Override
    public void close() {
      file.close();
    }
  }

  private static StoreOptions.Builder options() {
    return SmallStores.options()
        .compaction(CompactionPolicy.splitForest(64))
        .readMode(ReadMode.MMAP);
  }

  @BeforeEach
  void someTrees() {
    try (Store store = SmallStores.open(directory, options().build())) {
      SmallStores.fill(store.database(), 0, KEYS, 1);
    }
    ssts = SmallStores.files(directory, ".sst");
    assertThat(ssts).hasSizeGreaterThan(4);
  }

  private Store open(long bytesPerSecond) {
    return TestStores.open(
        directory, options().checkBytesPerSecond(bytesPerSecond).build(), files, listener);
  }

  private static long unchecked(Store store) {
    return store.statistics().get(Metric.UNCHECKED_SSTS);
  }

  private static void awaitChecked(Store store) {
    Waiting.until("everything is checked", () -> unchecked(store) == 0);
  }

  @Test
  void allOfThemAndNothingIsKept() {
    mayRead.countDown();
    try (Store store = open(FAST)) {
      awaitChecked(store);
      assertThat(reads).hasValueGreaterThanOrEqualTo(3 * ssts.size());
      assertThat(store.statistics().get(Metric.BLOCK_CACHE_BYTES)).isZero();
      assertThat(store.statistics().get(Metric.UNUSABLE_SSTS)).isZero();
      assertThat(told).isEmpty();
    }
  }

  @Test
  void nothingIsCheckedIfThatIsNotWanted() {
    try (Store store = open(0)) {
      store.flush();
      assertThat(unchecked(store)).isZero();
      assertThat(reads).hasValue(0);
    }
  }

  @Test
  void damageIsToldOnceAndWhatIsWholeIsServed() throws IOException {
    mayRead.countDown();
    Path damaged = ssts.get(1);
    byte[] content = Files.readAllBytes(damaged);
    int partsEnd = (int) ByteBuffer.wrap(content).getLong(content.length - FOOTER_BYTES + 8);
    content[partsEnd - 1] ^= 1;
    Files.write(damaged, content);
    Path missing = ssts.get(3);
    Files.delete(missing);
    try (Store store = open(FAST)) {
      awaitChecked(store);
      Waiting.until("both are told", () -> told.size() == 2);
      assertThat(store.statistics().get(Metric.UNUSABLE_SSTS)).isEqualTo(2);
      assertThat(told)
          .extracting(e -> ((CorruptionException) e).file().getFileName())
          .containsExactlyInAnyOrder(damaged.getFileName(), missing.getFileName());
      int failures = 0;
      for (int i = 0; i < KEYS; i++) {
        try {
          assertThat(store.database().get(key(i))).isEqualTo(SmallStores.value(i, 1));
        } catch (CorruptionException e) {
          assertThat(e.file().getFileName()).isIn(damaged.getFileName(), missing.getFileName());
          failures++;
        }
      }
      assertThat(failures).isBetween(KEYS / 10, KEYS / 2);
      assertThat(store.statistics().get(Metric.UNUSABLE_SSTS)).isEqualTo(2);
      flush(store, 1); // by the thread that tells, after all that was to be told
      assertThat(told).hasSize(2);
    }
  }

  /** Blocks of data are read after all indexes and filters. */
  @Test
  void damageToABlockIsToldAndReadersOfItThrow() throws IOException {
    try (Store store = open(FAST)) {
      assertThat(SmallStores.content(store.database())).isEqualTo(SmallStores.filled(0, KEYS, 1));
      for (int i = 0; i < KEYS; i++) {
        assertThat(store.database().get(key(i))).isEqualTo(SmallStores.value(i, 1));
      }
      Path damaged = ssts.get(2);
      int at =
          new String(Files.readAllBytes(damaged), StandardCharsets.ISO_8859_1).indexOf("v1 of ");
      try (FileChannel file = FileChannel.open(damaged, StandardOpenOption.WRITE)) {
        file.write(ByteBuffer.wrap(new byte[] {'x'}), at);
      }
      assertThat(told).isEmpty();
      mayRead.countDown();
      Waiting.until("it is told", () -> !told.isEmpty());
      assertThat(told)
          .singleElement()
          .isInstanceOfSatisfying(
              CorruptionException.class,
              e -> assertThat(e.file().getFileName()).isEqualTo(damaged.getFileName()));
      assertThat(unchecked(store)).isZero();
      assertThat(store.statistics().get(Metric.UNUSABLE_SSTS)).isEqualTo(1);
      int failures = 0;
      for (int i = 0; i < KEYS; i++) {
        try {
          assertThat(store.database().get(key(i))).isEqualTo(SmallStores.value(i, 1));
        } catch (CorruptionException e) {
          failures++;
        }
      }
      assertThat(failures).isBetween(1, KEYS / 4);
    }
  }

  @Test
  void oneThatCannotBeReadForAMomentIsCheckedLater() {
    mayRead.countDown();
    FaultyFileSystem faults = new FaultyFileSystem(files);
    faults.failOnce(
        Operation.OPEN_FOR_READ, path -> path.toString().endsWith(".sst"), 2, Fault.EMFILE);
    StoreOptions fast = options().checkBytesPerSecond(FAST).build();
    try (Store store = TestStores.open(directory, fast, faults, listener)) {
      awaitChecked(store);
      assertThat(faults.calls(Operation.OPEN_FOR_READ)).isGreaterThan(ssts.size());
      assertThat(store.statistics().get(Metric.UNUSABLE_SSTS)).isZero();
      Waiting.until("it is told", () -> !told.isEmpty());
      assertThat(told).singleElement().isInstanceOf(StoreIoException.class);
    }
  }

  @Test
  void slowlyIfThatIsWanted() {
    mayRead.countDown();
    try (Store store = open(1)) {
      Waiting.until("the first is checked", () -> unchecked(store) == ssts.size() - 1);
      store.flush();
      assertThat(unchecked(store)).isEqualTo(ssts.size() - 1);
    } // closing waits for nothing: the next one would be checked in hours
  }

  @Test
  void notWhileMergesArePaused() throws InterruptedException {
    try (Store store = open(FAST)) {
      firstRead.await();
      store.pauseCompactions();
      mayRead.countDown();
      Waiting.until("the first is checked", () -> unchecked(store) == ssts.size() - 1);
      flush(store, 1); // by the same thread, after it
      flush(store, 2);
      assertThat(unchecked(store)).isEqualTo(ssts.size() - 1);
      store.resumeCompactions();
      awaitChecked(store);
    }
  }

  private static void flush(Store store, int version) {
    SmallStores.fill(store.database(), 0, 1, version);
    store.flush();
  }

  @Test
  void closingEndsIt() throws InterruptedException {
    Store store = open(FAST);
    firstRead.await();
    Thread closing = new Thread(store::close);
    closing.start();
    Waiting.until(
        "the store to wait for its threads", () -> closing.getState() == Thread.State.WAITING);
    mayRead.countDown();
    closing.join();
    assertThat(reads).hasValue(1);
    assertThat(told).isEmpty();
  }

  @Test
  void oneThatIsMergedMeanwhileIsDeletedAllTheSame() throws InterruptedException {
    try (Store store = open(FAST)) {
      firstRead.await();
      store.database().compact();
      mayRead.countDown();
      awaitChecked(store);
      Waiting.until(
          "what was merged is deleted",
          () -> SmallStores.files(directory, ".sst").size() == store.statistics().get(Metric.SSTS));
      assertThat(SmallStores.content(store.database())).isEqualTo(SmallStores.filled(0, KEYS, 1));
    }
  }
}
