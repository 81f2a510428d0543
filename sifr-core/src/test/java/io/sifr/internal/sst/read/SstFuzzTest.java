package io.sifr.internal.sst.read;

import static org.assertj.core.api.Assertions.assertThat;

import io.sifr.error.CorruptionException;
import io.sifr.error.UnsupportedFormatException;
import io.sifr.internal.entry.EntryIterator;
import io.sifr.internal.entry.Lookup;
import io.sifr.internal.sst.format.BlockInfo;
import io.sifr.internal.sst.format.Footer;
import io.sifr.internal.sst.format.SstMeta;
import io.sifr.internal.sst.inspect.SstInspection;
import io.sifr.internal.sst.read.SstFixture.Shape;
import io.sifr.internal.util.Bytes;
import io.sifr.testing.Entry;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.EnumSource;

/** Any bytes under right checksums give an answer or a {@link CorruptionException}. */
@ParameterizedClass
@EnumSource(StoredForm.class)
@Tag("damage")
class SstFuzzTest {
  private static final List<Shape> SHAPES =
      List.of(Shape.TINY, Shape.NUMBERS, Shape.BINARY, Shape.LONG_PREFIXES);

  private final SstFixture fixture;

  SstFuzzTest(StoredForm form) {
    fixture = form.fixture();
  }

  @AfterEach
  void close() {
    fixture.close();
  }

  /** Uses the SST in every way; counts whether it came to the end. */
  private boolean use(SstMeta meta, List<Entry> entries, Random random) {
    Lookup lookup = new Lookup();
    try (SstReader reader = fixture.open(meta);
        EntryIterator iterator = reader.iterator()) {
      byte[] value = new byte[1 << 20];
      boolean whole = true;
      for (Entry entry : entries) {
        whole &=
            survives(
                () -> {
                  byte[] key = entry.key();
                  if (SstFixture.get(reader, key, 0, key.length, entry.sequence(), lookup)) {
                    lookup.copyTo(value, 0);
                  }
                  if (iterator.seek(key, 0, key.length, entry.trailer())) {
                    step(iterator, random, value);
                  }
                  if (iterator.seekBefore(key, 0, key.length)) {
                    step(iterator, random, value);
                  }
                });
      }
      whole &= survives(() -> SstFixture.readForwards(reader.iterator()));
      whole &= survives(() -> SstFixture.readBackwards(reader.iterator()));
      whole &= survives(() -> SstInspection.visit(reader, block -> {}));
      whole &= survives(reader::verify);
      return whole;
    } catch (CorruptionException | UnsupportedFormatException e) {
      return false;
    } finally {
      lookup.release();
    }
  }

  private static void step(EntryIterator iterator, Random random, byte[] value) {
    int steps = random.nextInt(6);
    boolean forwards = random.nextBoolean();
    boolean stands = true;
    for (int i = 0; i < steps && stands; i++) {
      iterator.copyValue(value, 0);
      stands = forwards ? iterator.next() : iterator.previous();
    }
  }

  private static boolean survives(Runnable use) {
    try {
      use.run();
      return true;
    } catch (CorruptionException | UnsupportedFormatException e) {
      return false;
    }
  }

  private static void mutate(Random random, byte[] file, int from, int length) {
    switch (random.nextInt(4)) {
      case 0 -> {
        for (int i = 1 + random.nextInt(3); i > 0; i--) {
          file[from + random.nextInt(length)] = (byte) random.nextInt(256);
        }
      }
      case 1 -> {
        int start = random.nextInt(length);
        for (int i = start; i < Math.min(length, start + random.nextInt(40)); i++) {
          file[from + i] = (byte) (random.nextInt(4) == 0 ? 0xFF : random.nextInt(256));
        }
      }
      case 2 -> {
        int size = 1 + random.nextInt(Math.min(20, length));
        int source = from + random.nextInt(length - size + 1);
        int target = from + random.nextInt(length - size + 1);
        System.arraycopy(file, source, file, target, size);
      }
      default -> {
        byte[] noise = new byte[length];
        random.nextBytes(noise);
        System.arraycopy(noise, 0, file, from, length);
      }
    }
  }

  @Test
  void anyBlockContent() {
    int refused = 0;
    for (int seed = 0; seed < 1000; seed++) {
      Random random = new Random(seed);
      Shape shape = SHAPES.get(random.nextInt(SHAPES.size()));
      List<Entry> entries = SstFixture.draw(random, shape, 1 + random.nextInt(80));
      SstMeta meta = fixture.write(entries);
      byte[] file = fixture.fs.content(SstFixture.path(meta));
      for (BlockInfo block : fixture.blockInfos(meta)) {
        int bytes = block.bytes();
        int offset = (int) block.offset();
        int length = random.nextInt(3) == 0 ? 60 : bytes - 5; // the head, or anything
        mutate(random, file, offset, length);
        SstFixture.resealBlock(file, offset, bytes, SstFixture.UNIQUE_ID);
      }
      fixture.fs.put(SstFixture.path(meta), file);
      try {
        refused += use(meta, entries, random) ? 0 : 1;
      } catch (RuntimeException e) {
        throw new AssertionError("seed " + seed, e);
      }
      fixture.fs.delete(SstFixture.path(meta));
    }
    assertThat(refused).isBetween(600, 1000);
  }

  @Test
  void anyIndexPropertiesAndFooter() {
    int refused = 0;
    for (int seed = 0; seed < 2000; seed++) {
      Random random = new Random(seed);
      Shape shape = SHAPES.get(random.nextInt(SHAPES.size()));
      List<Entry> entries = SstFixture.draw(random, shape, 1 + random.nextInt(200));
      SstMeta meta = fixture.write(entries);
      byte[] file = fixture.fs.content(SstFixture.path(meta));
      int footer = file.length - Footer.BYTES;
      int index = (int) Bytes.getLong(file, footer);
      int top = (int) Bytes.getLong(file, footer + 8);
      int properties = top + Bytes.getInt(file, footer + 16);
      int end = properties + Bytes.getInt(file, footer + 20);
      switch (random.nextInt(4)) {
        case 0 -> {
          mutate(random, file, footer, 40);
          resealFooter(file);
        }
        case 1 -> {
          mutate(random, file, index, top - index - 4);
          SstFixture.resealTail(file, SstFixture.UNIQUE_ID);
        }
        case 2 -> {
          mutate(random, file, top, properties - top - 4);
          SstFixture.resealTail(file, SstFixture.UNIQUE_ID);
        }
        default -> {
          mutate(random, file, properties, end - properties - 4);
          SstFixture.resealTail(file, SstFixture.UNIQUE_ID);
        }
      }
      fixture.fs.put(SstFixture.path(meta), file);
      try {
        refused += use(meta, entries, random) ? 0 : 1;
      } catch (RuntimeException e) {
        throw new AssertionError("seed " + seed, e);
      }
      fixture.fs.delete(SstFixture.path(meta));
    }
    assertThat(refused).isBetween(1200, 2000);
  }

  private static void resealFooter(byte[] file) {
    int footer = file.length - Footer.BYTES;
    SstFixture.resealPiece(file, footer, Footer.BYTES - 4, SstFixture.UNIQUE_ID);
  }
}
