package io.sifr.behaviour;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.sifr.Changes;
import io.sifr.KeyRange;
import io.sifr.Store;
import io.sifr.WriteBatch;
import io.sifr.config.StoreOptions;
import io.sifr.error.ChangesGoneException;
import io.sifr.event.Change;
import io.sifr.testing.Follower;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The changes of a store that somebody else has open, in stores that are opened one by one. */
@Tag("disk")
class ChangesFromOutsideTest {
  private static final long SEED = Long.getLong("sifr.changes.seed", System.nanoTime());

  @TempDir Path parent;
  private Path directory = Path.of("");

  @BeforeEach
  void chooseDirectory() {
    directory = parent.resolve("store");
  }

  private Store writer(long retainedBytes) {
    StoreOptions.Builder options = SmallStores.options().logSegmentBytes(8 << 10);
    return SmallStores.open(
        directory,
        (retainedBytes == 0 ? options : options.retainedLogBytes(retainedBytes)).build());
  }

  private Store reader(int writeBufferBytes) {
    return Store.builder(directory)
        .options(SmallStores.options().writeBufferBytes(writeBufferBytes).build())
        .openReadOnly();
  }

  private static void assertAllFrom(Store reader, long first, long last) {
    try (Changes changes = reader.changes(first)) {
      long expected = first;
      for (Change next = changes.next(); next != null; next = changes.next()) {
        assertThat(next.firstSequence()).isEqualTo(expected);
        expected = next.lastSequence() + 1;
      }
      assertThat(expected).isEqualTo(last + 1);
      assertThat(changes.nextSequence()).isEqualTo(expected);
    }
  }

  /** Also if the log is longer than the write buffers of who reads it. */
  @ParameterizedTest
  @ValueSource(ints = {4 << 10, 1 << 20})
  void whatIsRetainedAndWhatIsNotFlushedAreRead(int writeBufferBytes) {
    try (Store writer = writer(1 << 20)) {
      SmallStores.fill(writer.database(), 0, 1000, 1);
      writer.flush();
      SmallStores.fill(writer.openOrCreateDatabase("other"), 0, 100, 1);
      writer.database().deleteRange(KeyRange.all());
      writer.dropDatabase("other");
      SmallStores.fill(writer.database(), 0, 50, 2);
      try (Store reader = reader(writeBufferBytes)) {
        long last = writer.lastSequence();
        SmallStores.fill(writer.database(), 50, 1000, 2);
        assertThat(reader.oldestChange()).isEqualTo(1);
        assertThat(reader.lastSequence()).isEqualTo(last);
        for (long first : new long[] {1, 500, 1001, 1050, last - 20, last, last + 1}) {
          assertAllFrom(reader, first, last);
        }
        try (Store later = reader.refreshed()) {
          assertAllFrom(later, last + 1, writer.lastSequence());
        }
      }
    }
  }

  @Test
  void withoutRetentionThereIsWhatIsNotFlushed() {
    try (Store writer = writer(0)) {
      SmallStores.fill(writer.database(), 0, 20, 1);
      Store first = reader(1 << 20);
      assertAllFrom(first, 1, 20);
      SmallStores.fill(writer.database(), 20, 40, 1);
      try (Store second = first.refreshed()) {
        assertAllFrom(second, 21, 40);
        SmallStores.fill(writer.database(), 40, 2000, 1);
        writer.flush();
        SmallStores.fill(writer.database(), 0, 10, 2);
        try (Store third = second.refreshed()) {
          assertThatExceptionOfType(ChangesGoneException.class)
              .isThrownBy(() -> third.changes(41))
              .satisfies(e -> assertThat(e.oldestSequence()).isGreaterThan(41));
          assertAllFrom(third, third.oldestChange(), 2010);
        }
      }
      first.close();
    }
  }

  /** Its writer gives back what it has retained while it is read. */
  @Test
  void whatIsGivenBackMeanwhileIsGone() {
    try (Store writer = writer(64 << 10)) {
      SmallStores.fill(writer.database(), 0, 400, 1);
      writer.flush(); // so that all of it is only retained
      writer.awaitIdle();
      SmallStores.fill(writer.database(), 0, 1, 2);
      try (Store reader = reader(1 << 20);
          Changes changes = reader.changes(reader.oldestChange())) {
        Change first = changes.next();
        assertThat(first).isNotNull();
        SmallStores.fill(writer.database(), 0, 3000, 2);
        writer.flush();
        writer.awaitIdle();
        assertThatExceptionOfType(ChangesGoneException.class)
            .isThrownBy(
                () -> {
                  for (Change next = changes.next(); next != null; next = changes.next()) {
                    assertThat(next.firstSequence()).isLessThan(400);
                  }
                })
            .satisfies(
                e -> {
                  assertThat(e.sequence()).isEqualTo(changes.nextSequence());
                  assertThat(e.oldestSequence()).isEqualTo(writer.oldestChange());
                });
      }
    }
  }

  /**
   * Somebody writes as fast as it can, and somebody else follows: nothing is passed over, and where
   * something is missing that is said.
   */
  @ParameterizedTest
  @ValueSource(longs = {0, 32 << 10, 64 << 20})
  void nothingIsLostInSilence(long retainedBytes) throws Exception {
    System.out.println("seed " + SEED);
    Random random = new Random(SEED);
    AtomicBoolean isDone = new AtomicBoolean();
    AtomicReference<@Nullable Throwable> failure = new AtomicReference<>();
    try (Store writer = writer(retainedBytes)) {
      SmallStores.fill(writer.database(), 0, 1, 1);
      Thread writing =
          new Thread(
              () -> {
                try {
                  for (int i = 1; i < 8_000; i++) {
                    WriteBatch batch = new WriteBatch();
                    for (int j = 0; j <= i % 3; j++) {
                      batch.put(
                          writer.database(), SmallStores.key(i % 500), SmallStores.value(i, j));
                    }
                    writer.write(batch);
                  }
                } catch (RuntimeException | Error e) {
                  failure.set(e);
                }
                isDone.set(true);
              });
      List<Long> gaps = new ArrayList<>();
      long read = 0;
      try (Store replica = SmallStores.open(parent.resolve("replica"))) {
        Follower follower = new Follower(replica);
        Store reader = reader(1 << 20);
        long next = 1;
        writing.start();
        boolean isLast = false;
        while (!isLast) {
          isLast = isDone.get();
          Store later = reader.refreshed();
          reader.close();
          reader = later;
          try (Changes changes = reader.changes(next)) {
            for (Change change = changes.next(); change != null; change = changes.next()) {
              assertThat(change.firstSequence()).isEqualTo(next);
              next = change.lastSequence() + 1;
              follower.apply(change);
              read++;
            }
            assertThat(next).isEqualTo(reader.lastSequence() + 1);
          } catch (ChangesGoneException e) {
            assertThat(e.sequence()).isEqualTo(next);
            assertThat(e.oldestSequence()).isGreaterThan(next);
            gaps.add(next);
            next = e.oldestSequence();
          }
          if (random.nextInt(4) == 0) {
            Thread.sleep(random.nextInt(20));
          }
        }
        reader.close();
        writing.join();
        assertThat(failure.get()).isNull();
        if (gaps.isEmpty()) {
          assertThat(next).isEqualTo(writer.lastSequence() + 1);
          assertThat(SmallStores.content(replica.database()))
              .isEqualTo(SmallStores.content(writer.database()));
        }
      }
      System.out.printf("%d changes read, %d gaps%n", read, gaps.size());
      if (retainedBytes > 1 << 20) {
        assertThat(gaps).isEmpty();
      }
    }
  }
}
