package io.sifr.internal.sst;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

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
