package io.sifr.internal.engine.conditions;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;

import io.sifr.config.StoreOptions;
import io.sifr.config.WriteOptions;
import io.sifr.event.StoreListener;
import io.sifr.internal.compaction.pick.Policies;
import io.sifr.internal.engine.Opening;
import io.sifr.internal.engine.StoreEngine;
import io.sifr.internal.engine.write.BatchBuffer;
import io.sifr.internal.io.DiskFileSystem;
import io.sifr.internal.sst.format.BlockCodecs;
import io.sifr.internal.state.DatabaseHandle;
import io.sifr.internal.state.Extensions;
import io.sifr.internal.view.StoreView;
import io.sifr.internal.view.WriteBuffer;
import io.sifr.testing.NoSyncFileSystem;
import io.sifr.testing.PolicyRules;
import io.sifr.testing.TestKinds;
import java.nio.file.Path;
import java.util.function.LongSupplier;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What was written after a check is found in memory, wherever it has gone meanwhile. */
class LaterWritesTest {
  private static final byte[] A = {'a'};
  private static final byte[] B = {'b'};
  private static final byte[] C = {'c'};
  private static final byte[] ONE = {'1'};
  private static final byte[] TWO = {'2'};

  @TempDir Path directory;

  private StoreEngine engine;
  private DatabaseHandle database;

  @BeforeEach
  void open() {
    engine =
        Opening.open(
            new Extensions(
                TestKinds.ALL,
                BlockCodecs.STANDARD,
                PolicyRules.withReads(Policies.of(StoreOptions.DEFAULT))),
            new NoSyncFileSystem(new DiskFileSystem()),
            directory,
            StoreOptions.DEFAULT,
            StoreListener.NONE,
            null);
    database = engine.database("default");
  }

  @AfterEach
  void close() {
    engine.close();
  }

  private LaterWrites follow() {
    return LaterWrites.after(database, true, engine.state().writes()::visible);
  }

  private void put(byte[] key, byte[] value) {
    engine.writes().put(database, key, value, WriteOptions.UNLOGGED);
  }

  @Test
  void nothingWasWritten() {
    put(A, ONE);
    try (LaterWrites later = follow()) {
      put(B, TWO);
      assertThat(later.changed(A)).isFalse();
      assertThat(later.changedIn(A, B)).isNull();
      assertThat(later.changedIn(C, null)).isNull();
      assertThat(later.value(A, ONE, false)).isSameAs(ONE);
      engine.flush();
      assertThat(later.changed(A)).isFalse();
      assertThat(later.changedIn(A, B)).isNull();
      assertThat(later.value(A, ONE, false)).isSameAs(ONE);
    }
  }

  @Test
  void whatWasFlushedInBetweenIsFound() {
    put(B, ONE);
    try (LaterWrites later = follow()) {
      put(B, TWO);
      for (int flushes = 0; flushes < 4; flushes++) {
        assertThat(later.changed(B)).isTrue();
        assertThat(later.changedIn(A, C)).isEqualTo(B);
        assertThat(later.changedIn(null, null)).isEqualTo(B);
        assertThat(later.changedIn(A, B)).isNull();
        assertThat(later.value(B, ONE, false)).isEqualTo(TWO);
        engine.flush();
        engine.compact(database);
        put(new byte[] {'z', (byte) flushes}, ONE);
      }
    }
  }

  @Test
  void whatWasWrittenToALaterBufferIsFound() {
    put(A, ONE);
    try (LaterWrites later = follow()) {
      for (int flushes = 0; flushes < 3; flushes++) {
        engine.flush();
        put(C, ONE);
      }
      put(B, TWO);
      engine.flush();
      engine.flush(); // of a buffer that has nothing in it
      assertThat(later.changed(B)).isTrue();
      assertThat(later.changed(A)).isFalse();
      assertThat(later.value(B, null, false)).isEqualTo(TWO);
      assertThat(later.changedIn(A, C)).isEqualTo(B);
    }
  }

  /** Of several values the last one counts. */
  @Test
  void deletesAreFound() {
    put(B, ONE);
    try (LaterWrites later = follow()) {
      put(B, TWO);
      engine.writes().delete(database, B, WriteOptions.UNLOGGED);
      assertThat(later.changed(B)).isTrue();
      assertThat(later.value(B, ONE, false)).isNull();
      put(B, TWO);
      engine.flush();
      engine.writes().deleteRange(database, A, C, WriteOptions.UNLOGGED);
      assertThat(later.value(B, ONE, false)).isNull();
      assertThat(later.value(A, ONE, false)).isNull();
      assertThat(later.value(C, ONE, false)).isSameAs(ONE);
      assertThat(later.changed(A)).isTrue();
      assertThat(later.changedIn("aa".getBytes(US_ASCII), B)).isEqualTo("aa".getBytes(US_ASCII));
      engine.flush();
      put(B, ONE);
      assertThat(later.value(B, null, false)).isEqualTo(ONE);
    }
  }

  /** Its number is visible already when the number is read, and it is in no buffer of the view. */
  @Test
  void whatIsWrittenBetweenViewAndNumberIsLater() {
    LongSupplier writesFirst =
        () -> {
          engine.flush();
          put(B, TWO);
          return engine.state().writes().visible();
        };
    put(A, ONE);
    try (LaterWrites later = LaterWrites.after(database, false, writesFirst)) {
      assertThat(later.changed(B)).isTrue();
      assertThat(later.changedIn(B, C)).isEqualTo(B);
      assertThat(later.value(B, null, false)).isEqualTo(TWO);
    }
  }

  /** Buffers that led to each other for ever would keep each other alive. */
  @Test
  void whileNobodyFollowsBuffersDoNotLeadToEachOther() {
    put(A, ONE);
    WriteBuffer before = database.view().get().active();
    engine.flush();
    assertThat(before.next()).isNull();
    LaterWrites one = follow();
    LaterWrites two = follow();
    one.close();
    put(A, ONE);
    before = database.view().get().active();
    engine.flush();
    StoreView view = database.view().get();
    assertThat(before.next()).isSameAs(view.active());
    two.close();
    put(A, ONE);
    engine.flush();
    assertThat(view.active().next()).isNull();
  }

  /** Versions of which none settles the key come to what they add to the value before. */
  @Test
  void severalVersionsAreResolved() {
    try (LaterWrites later = LaterWrites.after(database, false, engine.state().writes()::visible)) {
      append(B, ONE);
      engine.flush();
      append(B, TWO);
      assertThat(later.value(B, A, false)).isEqualTo("a12".getBytes(US_ASCII));
      assertThat(later.value(B, null, false)).isEqualTo("12".getBytes(US_ASCII));
      engine.writes().deleteRange(database, A, C, WriteOptions.UNLOGGED);
      append(B, TWO);
      assertThat(later.value(B, A, false)).isEqualTo(TWO);
    }
  }

  private void append(byte[] key, byte[] value) {
    BatchBuffer batch = new BatchBuffer();
    batch.add(database, TestKinds.APPEND, key, value);
    engine.writes().write(batch, WriteOptions.UNLOGGED);
  }
}
