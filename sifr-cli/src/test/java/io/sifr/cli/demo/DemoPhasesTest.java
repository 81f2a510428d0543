package io.sifr.cli.demo;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sifr.Database;
import io.sifr.Store;
import io.sifr.cli.terminal.Console;
import io.sifr.cli.terminal.TerminalTraits;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.file.Path;
import java.util.HashSet;
import java.util.Set;
import java.util.SplittableRandom;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What the demonstration claims to verify must be able to fail. */
class DemoPhasesTest {
  private static final int ENTRIES = 1000;

  private final Workload workload = Workload.random();
  private final DemoPhases phases =
      new DemoPhases(
          new Console(
              InputStream.nullInputStream(),
              OutputStream.nullOutputStream(),
              OutputStream.nullOutputStream(),
              TerminalTraits.NONE),
          workload,
          ENTRIES);

  @TempDir private Path directory;
  private Store store;
  private Database database;

  @BeforeEach
  void load() {
    store = Store.open(directory);
    database = store.database();
    assertThat(phases.load(store, new SpacePeak(store)).operations()).isEqualTo(ENTRIES);
  }

  @AfterEach
  void close() {
    store.close();
  }

  private static void assertRefused(ThrowingCallable phase) {
    assertThatThrownBy(phase).isInstanceOf(VerificationException.class);
  }

  @Test
  void aSoundStorePasses() {
    assertThat(phases.readHits(database).operations()).isEqualTo(ENTRIES);
    assertThat(phases.readMisses(database).latencies().getTotalCount()).isEqualTo(ENTRIES);
    assertThat(phases.scan(database).operations()).isEqualTo(5);
    assertThat(phases.delete(database).operations()).isEqualTo(100);
    assertThat(phases.readDeleted(database).operations()).isEqualTo(100);
    assertThat(phases.scanAll(database).operations()).isEqualTo(900);
    phases.verifySample(database, ENTRIES);
    phases.verifyPresent(database, 1, 9);
  }

  @Test
  void aLostEntryIsNoticed() {
    database.delete(workload.key(77));

    assertRefused(() -> phases.verifyPresent(database, 0, 100));
    phases.delete(database);
    assertRefused(() -> phases.scanAll(database));
  }

  @Test
  void wrongValuesAreNoticed() {
    for (int n = 0; n < ENTRIES; n++) {
      byte[] value = workload.value(n);
      value[value.length - 1] ^= 1;
      database.put(workload.key(n), value);
    }

    assertRefused(() -> phases.readHits(database));
    assertRefused(() -> phases.scan(database));
    assertRefused(() -> phases.verifySample(database, 10));
    assertRefused(() -> phases.scanAll(database));
  }

  @Test
  void anEntryThatShouldNotBeThereIsNoticed() {
    phases.delete(database);
    database.put(workload.key(10), workload.value(10));

    assertRefused(() -> phases.readDeleted(database));
    assertRefused(() -> phases.scanAll(database));
  }

  @Test
  void aPresentEntryWhereNoneShouldBeIsNoticed() {
    database.put(workload.key(ENTRIES + 5), workload.value(ENTRIES + 5));

    assertRefused(() -> phases.readMisses(database));
  }

  @Test
  void scansThatSkipOrEndTooEarlyAreNoticed() {
    for (int n = 0; n < ENTRIES; n += 2) {
      database.delete(workload.key(n));
    }

    assertRefused(() -> phases.scan(database));
  }

  @Test
  void aScanThatFindsTooLittleIsNoticed() {
    Set<Long> begins = new HashSet<>();
    SplittableRandom random = new SplittableRandom(DemoPhases.SCAN_SEED);
    for (int i = 0; i < 5; i++) {
      begins.add(random.nextLong(ENTRIES));
    }
    for (long n = 0; n < ENTRIES; n++) {
      if (!begins.contains(n)) {
        database.delete(workload.key(n));
      }
    }

    assertRefused(() -> phases.scan(database));
  }

  @Test
  void entriesOutOfOrderAreNoticed() {
    byte[] key = Workload.keyOf(7);
    byte[] value = Workload.valueOf(7);

    assertThat(DemoPhases.verifyEntry(key, value, 6)).isEqualTo(7);
    assertRefused(() -> DemoPhases.verifyEntry(key, value, 7));
    assertRefused(() -> DemoPhases.verifyEntry(key, value, 8));
  }

  @Test
  void foreignKeysAreNoticed() {
    phases.delete(database);
    database.delete(workload.key(5));
    database.put(new byte[] {'x'}, new byte[0]);

    assertRefused(() -> phases.scanAll(database));
  }
}
