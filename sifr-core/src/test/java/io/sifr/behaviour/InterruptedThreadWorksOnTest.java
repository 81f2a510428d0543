package io.sifr.behaviour;

import static io.sifr.behaviour.SmallStores.key;
import static io.sifr.behaviour.SmallStores.value;
import static org.assertj.core.api.Assertions.assertThat;

import io.sifr.Database;
import io.sifr.Store;
import io.sifr.config.LogAccess;
import io.sifr.config.WriteOptions;
import io.sifr.internal.io.DiskFileSystem;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** On the real disk file system: that is where an interrupt closes channels. */
@Timeout(value = 60, unit = TimeUnit.SECONDS)
class InterruptedThreadWorksOnTest {
  private static final DiskFileSystem DISK = new DiskFileSystem();

  @TempDir Path directory;

  @AfterEach
  void leaveNoInterruptToOtherTests() {
    var unused = Thread.interrupted();
  }

  private static void assertStillInterrupted(String after) {
    assertThat(Thread.currentThread().isInterrupted()).describedAs(after).isTrue();
  }

  private Store open(LogAccess access) {
    return io.sifr.TestStores.open(
        directory, SmallStores.options().logAccess(access).build(), DISK);
  }

  @ParameterizedTest
  @EnumSource(LogAccess.class)
  void interruptedBefore(LogAccess access) {
    Thread.currentThread().interrupt();
    Store store = open(access);
    assertStillInterrupted("open");
    Database database = store.database();
    for (int i = 0; i < 20; i++) {
      database.put(key(i), value(i, 1), WriteOptions.SYNC);
    }
    assertStillInterrupted("put");
    store.flush();
    assertStillInterrupted("flush");
    assertThat(database.get(key(3))).isEqualTo(value(3, 1));
    assertThat(SmallStores.content(database)).isEqualTo(SmallStores.filled(0, 20, 1));
    assertStillInterrupted("get and cursor");
    SmallStores.fill(database, 20, 500, 1);
    store.awaitIdle();
    database.compact();
    assertStillInterrupted("compact");
    store.sync();
    store.close();
    assertStillInterrupted("close");
    try (Store again = open(access)) {
      assertThat(SmallStores.content(again.database())).isEqualTo(SmallStores.filled(0, 500, 1));
    }
  }

  @ParameterizedTest
  @EnumSource(LogAccess.class)
  void interruptedMeanwhile(LogAccess access) throws InterruptedException {
    Thread worker = Thread.currentThread();
    AtomicBoolean done = new AtomicBoolean();
    Thread interrupter =
        new Thread(
            () -> {
              while (!done.get()) {
                worker.interrupt();
                LockSupport.parkNanos(50_000);
              }
            });
    interrupter.start();
    try {
      try (Store store = open(access)) {
        Database database = store.database();
        for (int i = 0; i < 400; i++) {
          database.put(
              key(i), value(i, 1), i % 40 == 0 ? WriteOptions.SYNC : WriteOptions.BUFFERED);
          assertThat(database.get(key(i / 2))).isEqualTo(value(i / 2, 1));
        }
        store.flush();
        database.compact();
        assertThat(SmallStores.content(database)).isEqualTo(SmallStores.filled(0, 400, 1));
      }
    } finally {
      done.set(true);
      while (interrupter.isAlive()) {
        var unused = Thread.interrupted();
        LockSupport.parkNanos(50_000);
      }
      var unused = Thread.interrupted();
    }
    try (Store again = open(access)) {
      assertThat(SmallStores.content(again.database())).isEqualTo(SmallStores.filled(0, 400, 1));
    }
  }
}
