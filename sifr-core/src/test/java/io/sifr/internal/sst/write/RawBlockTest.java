package io.sifr.internal.sst.write;

import static org.assertj.core.api.Assertions.assertThat;

import io.sifr.internal.entry.EntryKind;
import io.sifr.internal.entry.Trailer;
import io.sifr.internal.sst.format.BlockEntries;
import io.sifr.internal.sst.format.EntryReader;
import io.sifr.internal.sst.format.SstFormat;
import io.sifr.internal.sst.read.SstFixture;
import io.sifr.internal.sst.read.SstFixture.Shape;
import io.sifr.internal.util.Bytes;
import io.sifr.testing.Entry;
import io.sifr.testing.ListEntryIterator;
import io.sifr.testing.Padded;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.TreeSet;
import java.util.function.IntFunction;
import java.util.function.LongFunction;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** What is written of a block is no larger than it was measured, and every entry is found in it. */
class RawBlockTest {
  private final byte[] array = new byte[SstFormat.MAX_SHARED_BYTES + RawBlock.SLACK_BYTES];
  private final PendingEntries pending = new PendingEntries();
  private final RawBlock raw = new RawBlock(pending);
  private final BlockEntries block = new BlockEntries();
  private int measured;

  /** Adds as many entries as fit into so many bytes; some are measured more than once. */
  private int fill(List<Entry> entries, int room, Random random) {
    raw.begin();
    ListEntryIterator source = new ListEntryIterator(entries);
    byte[] before = Bytes.EMPTY;
    int added = 0;
    for (boolean more = source.seekToFirst(); more; more = source.next()) {
      byte[] key = entries.get(added).key();
      int common = Bytes.commonPrefix(before, 0, before.length, key, 0, key.length);
      long trailer = source.trailer();
      while (random.nextInt(8) == 0) {
        raw.measure(key.length, common, source.valueLength(), trailer);
      }
      if (raw.measure(key.length, common, source.valueLength(), trailer) > room) {
        break;
      }
      pending.add(source, key, 0, key.length, common, trailer, 0);
      raw.add();
      before = key;
      added++;
    }
    return added;
  }

  private void write(int start) {
    Arrays.fill(array, (byte) 0x5A);
    measured = raw.bytes();
    int end = raw.writeTo(array, start);
    assertThat(end - start).isEqualTo(raw.bytes()).isLessThanOrEqualTo(measured);
    ByteBuffer buffer = ByteBuffer.wrap(array).order(ByteOrder.LITTLE_ENDIAN);
    BlockEntries.check(Path.of("file"), buffer, start, end, 0);
    block.show(buffer, start, end);
    block.enter(0);
  }

  @ParameterizedTest
  @EnumSource(names = {"TINY", "NUMBERS", "BINARY", "PATHS", "LONG_PREFIXES", "PAGES"})
  void everyEntryIsFound(Shape shape) {
    for (int seed = 0; seed < 300; seed++) {
      Random random = new Random(seed);
      List<Entry> all = SstFixture.draw(random, shape, 1 + random.nextInt(150));
      int room = 1 + random.nextInt(SstFormat.MAX_SHARED_BYTES - 64);
      pending.clear();
      int count = fill(all, room, random);
      if (count > 0) {
        write(random.nextInt(32));
        checkAll(all.subList(0, count), random, shape, "seed " + seed);
      }
    }
  }

  private void checkAll(List<Entry> entries, Random random, Shape shape, String seed) {
    assertThat(block.last() + 1).as(seed).isEqualTo(entries.size());
    EntryReader reader = new EntryReader(block);
    block.enter(0);
    reader.enter();
    for (int i = 0; i < entries.size(); i++) {
      assertThat(reader.hasNext()).as(seed).isTrue();
      assertThat(reader.moveTo(i)).as(seed).isTrue();
      assertThat(Arrays.copyOf(reader.key, reader.keyLength))
          .as(seed)
          .isEqualTo(entries.get(i).key());
    }
    assertThat(reader.hasNext()).as(seed).isFalse();
    for (int i = entries.size() - 1; i >= 0; i--) {
      Entry entry = entries.get(i);
      assertThat(reader.moveTo(i)).as(seed).isTrue();
      assertThat(Arrays.copyOf(reader.key, reader.keyLength)).as(seed).isEqualTo(entry.key());
      assertThat(reader.trailer).as(seed).isEqualTo(entry.trailer());
      byte[] value = new byte[block.valueLength()];
      block.buffer.get(block.valueAt(), value);
      assertThat(value).as(seed).isEqualTo(entry.value());
      assertThat(block.isFilledUp(i)).as(seed).isTrue();
      assertThat(find(entry.key(), entry.trailer())).as(seed).isEqualTo(2 * i + 1);
    }
    TreeSet<Entry> sorted = new TreeSet<>(entries);
    for (int i = 0; i < 50; i++) {
      byte[] key = SstFixture.drawKey(random, shape);
      Entry target = Entry.of(key, random.nextInt(1 << 20), EntryKind.DELETE, Bytes.EMPTY);
      int expected = sorted.headSet(target).size();
      int found = find(key, Trailer.seek(target.sequence()));
      assertThat(found >>> 1).as(seed).isEqualTo(expected);
      boolean isKey = expected < entries.size() && Arrays.equals(entries.get(expected).key(), key);
      assertThat((found & 1) == 1).as(seed).isEqualTo(isKey);
    }
  }

  /** Finds a key that is in the middle of an array. */
  private int find(byte[] key, long trailer) {
    byte[] shifted = new byte[key.length + 3];
    Arrays.fill(shifted, (byte) 0x77);
    System.arraycopy(key, 0, shifted, 2, key.length);
    block.enter(0);
    return block.find(shifted, 2, key.length, trailer);
  }

  private int bytesBeforeEntries(LongFunction<String> keys) {
    List<Entry> entries = new ArrayList<>();
    for (int i = 0; i < 30; i++) {
      entries.add(SstFixture.put(keys.apply(i), 1000 + i, "v".repeat(100)));
    }
    entries.sort(null);
    pending.clear();
    fill(entries, SstFormat.PAGE_BYTES, new Random(1));
    write(0);
    return block.entriesAt();
  }

  /** Else blocks would be closed before they are full. */
  @Test
  void whatIsMeasuredIsHardlyMoreThanIsWritten() {
    Random random = new Random(3);
    bytesBeforeEntries(i -> "user" + Padded.number(random.nextLong(1L << 60), 19));
    assertThat(raw.bytes()).isEqualTo(measured);
    bytesBeforeEntries(i -> Padded.number(random.nextInt(1 << 20), 7));
    assertThat(raw.bytes()).isEqualTo(measured);
    bytesBeforeEntries(i -> "u" + random.nextInt(1 << 20) + "-of-some-length");
    assertThat(raw.bytes()).isEqualTo(measured);
    bytesBeforeEntries(i -> "key" + i * 7919);
    assertThat((double) measured / raw.bytes()).isLessThan(1.01);
    bytesBeforeEntries(i -> "x".repeat(1 + random.nextInt(20)) + i);
    assertThat((double) measured / raw.bytes()).isLessThan(1.05);
  }

  /** A search begins there: words are no longer than needed. */
  @Test
  void whatIsSearchedTakesFewCacheLines() {
    Random random = new Random(5);
    // Neighbours among 17,000 random keys: they have some digits in common.
    assertThat(
            bytesBeforeEntries(
                i -> "user77" + Padded.number(random.nextLong(100_000_000_000_000_000L), 17)))
        .isLessThan(4 * 64);
    assertThat(bytesBeforeEntries(i -> "user" + Padded.number(7_000_010 + i, 19)))
        .isLessThan(4 * 64);
    assertThat(bytesBeforeEntries(i -> "a-very-long-prefix-of-all-keys".repeat(3) + (10 + i)))
        .isLessThan(4 * 64 + 90);
  }

  private int bytesOf(int count, IntFunction<String> keys) {
    List<Entry> entries = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      entries.add(SstFixture.put(keys.apply(i), 1000 + i, "value"));
    }
    pending.clear();
    assertThat(fill(entries, SstFormat.MAX_SHARED_BYTES, new Random(1))).isEqualTo(count);
    write(0);
    return raw.bytes();
  }

  /** Each directory of some files has its name once, however little the directories share. */
  @Test
  void theNameOfADirectoryIsNotRepeated() {
    String name = "a directory with a long name, and a longer one/";
    int ofOne = bytesOf(20, i -> "1/" + name + (10 + i));
    int ofFive = bytesOf(100, i -> i / 20 + "/" + name + (10 + i % 20));
    assertThat(ofFive).isBetween(5 * ofOne - 50, 5 * ofOne + 50);
    int ofMany = bytesOf(100, i -> (10 + i / 2) + "/" + name + (10 + i % 2));
    assertThat(ofMany).isLessThan(60 * (name.length() + 40));
  }

  /** The parts of numbers that few keys share are no reason for a group. */
  @Test
  void numbersAreOneGroup() {
    Random random = new Random(7);
    long[] numbers = random.longs(150, 0, 1_000_000_000L).sorted().toArray();
    bytesOf(150, i -> "user" + Padded.number(numbers[i], 19));
    assertThat(block.groupEnd()).isEqualTo(150);
  }
}
