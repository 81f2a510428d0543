package io.sifr.internal.sst.read;

import static org.assertj.core.api.Assertions.assertThat;

import io.sifr.internal.entry.EntryIterator;
import io.sifr.internal.entry.ExpiringKind;
import io.sifr.internal.entry.Trailer;
import io.sifr.internal.sst.format.KeySketch;
import io.sifr.internal.sst.format.SstMeta;
import io.sifr.internal.sst.read.SstFixture.Shape;
import io.sifr.testing.Entry;
import io.sifr.testing.ListEntryIterator;
import io.sifr.testing.SearchLength;
import io.sifr.testing.SstMetas;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Drawn SSTs answer like a sorted list. */
@ParameterizedClass
@EnumSource(StoredForm.class)
@Tag("model")
class SstModelTest {
  private static final int ROUNDS = SearchLength.of(6, 12);

  private final SstFixture fixture;

  SstModelTest(StoredForm form) {
    fixture = form.fixture();
  }

  @AfterEach
  void close() {
    fixture.close();
  }

  private interface Check {
    void run(Random random, List<Entry> entries, SstReader reader, String seed);
  }

  private void forDrawnSsts(Shape shape, Check check) {
    for (int seed = 0; seed < ROUNDS; seed++) {
      Random random = new Random(seed);
      int most = shape == Shape.HUGE || shape == Shape.LONG_PREFIXES ? 40 : 700;
      List<Entry> entries = SstFixture.draw(random, shape, 1 + random.nextInt(most));
      SstMeta meta = fixture.write(entries, seed, random.nextLong());
      try (SstReader reader = fixture.open(meta)) {
        check.run(random, entries, reader, shape + " seed " + seed);
      }
    }
    assertThat(fixture.fs.openMappings()).isZero();
  }

  @ParameterizedTest
  @EnumSource
  void metaTellsOfTheEntries(Shape shape) {
    for (int seed = 0; seed < ROUNDS; seed++) {
      Random random = new Random(seed);
      List<Entry> entries = SstFixture.draw(random, shape, 1 + random.nextInt(40));
      SstMeta meta = fixture.write(entries, seed, seed * 3L);
      assertThat(fixture.readMeta(meta.number()))
          .describedAs("seed %d", seed)
          .usingRecursiveComparison()
          .isEqualTo(meta.with(KeySketch.NONE)); // which is in the manifest
      assertThat(meta.with(KeySketch.NONE))
          .describedAs("seed %d", seed)
          .usingRecursiveComparison()
          .isEqualTo(
              SstMetas.of(
                      seed,
                      seed * 3L,
                      fixture.fs.size(SstFixture.path(meta)),
                      entries.size(),
                      entries.stream().filter(e -> Trailer.isTombstone(e.trailer())).count(),
                      0,
                      entries.stream().mapToLong(e -> e.key().length + e.value().length).sum(),
                      0,
                      entries.stream().mapToLong(Entry::sequence).min().orElseThrow(),
                      entries.stream().mapToLong(Entry::sequence).max().orElseThrow(),
                      entries.get(0).key(),
                      entries.get(entries.size() - 1).key())
                  .with(new SstMeta.Times(SstFixture.LAST_WRITE, ExpiringKind.NEVER)));
    }
  }

  @ParameterizedTest
  @EnumSource
  void verifyAccepts(Shape shape) {
    forDrawnSsts(shape, (random, entries, reader, seed) -> reader.verify());
  }

  @ParameterizedTest
  @EnumSource
  void iteratesInBothDirections(Shape shape) {
    forDrawnSsts(
        shape,
        (random, entries, reader, seed) -> {
          assertThat(SstFixture.readForwards(reader.iterator()))
              .describedAs(seed)
              .isEqualTo(entries);
          assertThat(SstFixture.readBackwards(reader.iterator()))
              .describedAs(seed)
              .isEqualTo(entries);
        });
  }

  @ParameterizedTest
  @EnumSource
  void getsTheNewestVisibleVersion(Shape shape) {
    forDrawnSsts(
        shape,
        (random, entries, reader, seed) -> {
          for (Entry entry : entries) {
            for (long sequence = entry.sequence() - 1;
                sequence <= entry.sequence() + 1;
                sequence++) {
              checkGet(entries, reader, entry.key(), Math.max(0, sequence), seed);
            }
            checkGet(entries, reader, entry.key(), Trailer.MAX_SEQUENCE, seed);
          }
          for (int i = 0; i < 300; i++) {
            long sequence = entries.get(random.nextInt(entries.size())).sequence();
            checkGet(entries, reader, anyKey(random, shape, entries), sequence, seed);
          }
        });
  }

  private static void checkGet(
      List<Entry> entries, SstReader reader, byte[] key, long sequence, String seed) {
    assertThat(SstFixture.get(reader, key, sequence))
        .describedAs("%s key %s at %d", seed, Arrays.toString(key), sequence)
        .isEqualTo(SstFixture.expected(entries, key, sequence));
  }

  @ParameterizedTest
  @EnumSource
  void anyMixOfMovesStandsWhereTheListStands(Shape shape) {
    forDrawnSsts(
        shape,
        (random, entries, reader, seed) -> {
          EntryIterator expected = new ListEntryIterator(entries);
          try (EntryIterator actual = reader.iterator()) {
            for (int step = 0; step < 1500; step++) {
              String where = seed + " step " + step;
              boolean stands = move(random, shape, entries, expected, actual, where);
              if (stands) {
                assertThat(Entry.at(actual)).describedAs(where).isEqualTo(Entry.at(expected));
                assertThat(actual.value()).describedAs(where).isEqualTo(expected.value());
              }
            }
          }
        });
  }

  /** Makes the same drawn move with both, and compares what it returns. */
  private static boolean move(
      Random random,
      Shape shape,
      List<Entry> entries,
      EntryIterator expected,
      EntryIterator actual,
      String where) {
    int kind = random.nextInt(40);
    boolean stands;
    if (expected.valid() && kind >= 20) {
      stands = expected.next();
      assertThat(actual.next()).describedAs(where).isEqualTo(stands);
    } else if (expected.valid() && kind >= 4) {
      stands = expected.previous();
      assertThat(actual.previous()).describedAs(where).isEqualTo(stands);
    } else if (kind == 0) {
      stands = expected.seekToFirst();
      assertThat(actual.seekToFirst()).describedAs(where).isEqualTo(stands);
    } else if (kind == 1) {
      stands = expected.seekToLast();
      assertThat(actual.seekToLast()).describedAs(where).isEqualTo(stands);
    } else if (kind == 2) {
      byte[] key = anyKey(random, shape, entries);
      stands = expected.seekBefore(key, 0, key.length);
      assertThat(actual.seekBefore(key, 0, key.length)).describedAs(where).isEqualTo(stands);
    } else {
      byte[] key = anyKey(random, shape, entries);
      long near = entries.get(random.nextInt(entries.size())).trailer() + random.nextInt(3) - 1;
      long trailer =
          Math.max(0, random.nextBoolean() ? near : Trailer.seek(Trailer.sequence(near)));
      stands = expected.seek(key, 0, key.length, trailer);
      assertThat(actual.seek(key, 0, key.length, trailer)).describedAs(where).isEqualTo(stands);
    }
    assertThat(actual.valid()).describedAs(where).isEqualTo(stands);
    return stands;
  }

  /** A key that is there, one cut short or made longer, or one drawn anew. */
  private static byte[] anyKey(Random random, Shape shape, List<Entry> entries) {
    byte[] key = entries.get(random.nextInt(entries.size())).key();
    return switch (random.nextInt(4)) {
      case 0 -> key;
      case 1 -> Arrays.copyOf(key, random.nextInt(key.length + 1));
      case 2 -> Arrays.copyOf(key, key.length + 1);
      default -> SstFixture.drawKey(random, shape);
    };
  }
}
