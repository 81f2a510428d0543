package io.sifr.internal.sst.read;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sifr.internal.io.MappedRegion;
import io.sifr.internal.io.StoreFileSystem;
import io.sifr.internal.sst.block.SstAccess;
import io.sifr.internal.sst.format.SstMeta;
import io.sifr.testing.ForwardingFileSystem;
import io.sifr.testing.Waiting;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

class SstTest {
  private final SstFixture fixture = new SstFixture();
  private final AtomicInteger freed = new AtomicInteger();

  private Sst openSst() {
    Sst sst = new Sst(fixture.write(List.of(SstFixture.put("a", 1, "a"))));
    sst.open(fixture.access);
    return sst;
  }

  @Test
  void readerNeedsAnOpenFile() {
    Sst sst = new Sst(fixture.write(List.of(SstFixture.put("a", 1, "a"))));
    assertThat(sst.number()).isEqualTo(SstFixture.NUMBER);
    assertThatThrownBy(sst::reader)
        .isInstanceOf(IllegalStateException.class)
        .hasMessageContaining("SST 7");
    sst.open(fixture.access);
    assertThat(SstFixture.readForwards(sst.reader().iterator())).hasSize(1);
    assertThatThrownBy(() -> sst.open(fixture.access)).isInstanceOf(IllegalStateException.class);
  }

  @Test
  void itsFileIsOpenedWhenItIsFirstUsed() {
    Sst sst = new Sst(fixture.write(List.of(SstFixture.put("a", 1, "a"))));
    sst.attach(fixture.access);
    assertThat(sst.readerIfOpen()).isNull();
    assertThat(sst.knows(1)).isFalse();
    assertThat(fixture.fs.openMappings()).isZero();
    assertThat(sst.mayHold(1)).isTrue();
    assertThat(fixture.fs.openMappings()).isEqualTo(1);
    sst.markObsolete(freed::incrementAndGet);
    assertThat(fixture.fs.openMappings()).isZero();
  }

  @Test
  void manyThreadsOpenItOnceAndKeepNobodyElseWaiting() throws Exception {
    SstMeta meta = fixture.write(List.of(SstFixture.put("a", 1, "a")));
    SstMeta otherMeta = fixture.write(List.of(SstFixture.put("b", 1, "b")), 8, 8);
    CountDownLatch opening = new CountDownLatch(1);
    CountDownLatch mayOpen = new CountDownLatch(1);
    AtomicInteger opened = new AtomicInteger();
    StoreFileSystem slow =
        new ForwardingFileSystem(fixture.fs) {
          @Override
          public MappedRegion mapForRead(Path file, long size) {
            if (file.equals(SstFixture.path(meta))) {
              opened.incrementAndGet();
              opening.countDown();
              Waiting.until("others are done", () -> mayOpen.getCount() == 0);
            }
            return super.mapForRead(file, size);
          }
        };
    try (SstAccess access = SstAccess.mapped(slow, SstFixture.DIRECTORY, TestCodecs.READING_ALL)) {
      Sst sst = new Sst(meta);
      sst.attach(access);
      Sst other = new Sst(otherMeta);
      other.attach(access);
      ExecutorService threads = Executors.newFixedThreadPool(4);
      try {
        List<Future<SstReader>> readers = new ArrayList<>();
        for (int i = 0; i < 4; i++) {
          readers.add(threads.submit(sst::reader));
        }
        opening.await();
        assertThat(SstFixture.readForwards(other.reader().iterator())).hasSize(1);
        assertThat(sst.readerIfOpen()).isNull();
        mayOpen.countDown();
        for (Future<SstReader> reader : readers) {
          assertThat(reader.get()).isSameAs(sst.reader());
        }
        assertThat(opened).hasValue(1);
      } finally {
        threads.shutdownNow();
      }
      sst.markObsolete(() -> {});
      other.markObsolete(() -> {});
    }
  }

  @Test
  void obsoleteWithoutPinsIsFreedAtOnce() {
    Sst sst = openSst();
    sst.markObsolete(freed::incrementAndGet);
    assertThat(freed).hasValue(1);
    assertThat(fixture.fs.openMappings()).isZero();
    assertThat(sst.tryPin()).isFalse();
    assertThatThrownBy(sst::reader).isInstanceOf(IllegalStateException.class);
  }

  @Test
  void obsoleteIsFreedWithItsLastPin() {
    Sst sst = openSst();
    assertThat(sst.tryPin()).isTrue();
    assertThat(sst.tryPin()).isTrue();
    sst.markObsolete(freed::incrementAndGet);
    assertThat(sst.tryPin()).isTrue();
    sst.unpin();
    sst.unpin();
    assertThat(freed).hasValue(0);
    assertThat(sst.reader()).isNotNull();
    assertThat(fixture.fs.openMappings()).isEqualTo(1);
    sst.unpin();
    assertThat(freed).hasValue(1);
    assertThat(fixture.fs.openMappings()).isZero();
  }

  @Test
  void unopenedIsFreedToo() {
    Sst sst = new Sst(fixture.write(List.of(SstFixture.put("a", 1, "a"))));
    sst.markObsolete(freed::incrementAndGet);
    assertThat(freed).hasValue(1);
  }

  @Test
  void releasesTooOftenAreNoticed() {
    Sst sst = openSst();
    assertThatThrownBy(sst::unpin).isInstanceOf(IllegalStateException.class);
    assertThat(sst.tryPin()).isTrue();
    sst.markObsolete(freed::incrementAndGet);
    assertThatThrownBy(() -> sst.markObsolete(freed::incrementAndGet))
        .isInstanceOf(IllegalStateException.class);
    sst.unpin();
    assertThatThrownBy(sst::unpin).isInstanceOf(IllegalStateException.class);
    assertThat(freed).hasValue(1);
  }

  @Test
  void pinsOfManyThreadsEndInOneRelease() throws Exception {
    ExecutorService threads = Executors.newFixedThreadPool(4);
    try {
      for (int round = 0; round < 30; round++) {
        Sst sst = new Sst(fixture.write(List.of(SstFixture.put("a", 1, "a")), round, round));
        sst.open(fixture.access);
        freed.set(0);
        CountDownLatch start = new CountDownLatch(1);
        List<Future<?>> running = new ArrayList<>();
        for (int thread = 0; thread < 2; thread++) {
          running.add(
              threads.submit(
                  () -> {
                    start.await();
                    while (sst.tryPin()) {
                      assertThat(sst.reader()).isNotNull();
                      sst.unpin();
                    }
                    return null;
                  }));
        }
        running.add(
            threads.submit(
                () -> {
                  start.await();
                  sst.markObsolete(freed::incrementAndGet);
                  return null;
                }));
        start.countDown();
        for (Future<?> future : running) {
          future.get();
        }
        assertThat(freed).describedAs("round %d", round).hasValue(1);
      }
    } finally {
      threads.shutdownNow();
    }
  }
}
