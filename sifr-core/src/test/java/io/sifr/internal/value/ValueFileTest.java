package io.sifr.internal.value;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sifr.config.Compression;
import io.sifr.error.CorruptionException;
import io.sifr.error.SifrException;
import io.sifr.internal.codec.Codecs;
import io.sifr.internal.entry.ExpiringKind;
import io.sifr.internal.entry.SeparatedKind.Reference;
import io.sifr.internal.format.FileHeader;
import io.sifr.internal.format.FileKind;
import io.sifr.internal.io.RandomWriteFile;
import io.sifr.internal.io.ReadMeter;
import io.sifr.internal.io.StoreFileSystem;
import io.sifr.testing.Entry;
import io.sifr.testing.ForwardingFileSystem;
import io.sifr.testing.ListEntryIterator;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** What is written to a value file is read, in whole and in part, and what is damaged is named. */
class ValueFileTest {
  private static final int FRAME = ValueRecord.FRAME_BYTES;

  @TempDir Path directory;
  private ValueFixture fixture = new ValueFixture(Path.of(""));

  @BeforeEach
  void chooseDirectory() {
    fixture = new ValueFixture(directory);
  }

  /** Some frames of it can be encoded, others cannot. */
  private static byte[] value(long seed, int length) {
    byte[] value = new byte[length];
    new Random(seed).nextBytes(value);
    for (int i = 0; i < length; i++) {
      if (i / FRAME % 3 == 0) {
        value[i] = (byte) (i / 50);
      }
    }
    return value;
  }

  private static List<Entry> entries(int... lengths) {
    List<Entry> entries = new ArrayList<>();
    for (int i = 0; i < lengths.length; i++) {
      entries.add(ValueFixture.put("key" + i, 100 - i, value(i, lengths[i])));
    }
    return entries;
  }

  private static byte[] read(ValueFile file, Reference of, byte[] key, int from, int length) {
    byte[] target = new byte[length + 2];
    file.read(of, key, from, length, target, 1);
    assertThat(target[0]).isZero();
    assertThat(target[length + 1]).isZero();
    return Arrays.copyOfRange(target, 1, length + 1);
  }

  @ParameterizedTest
  @EnumSource(Compression.class)
  void everyPartIsRead(Compression compression) {
    int[] lengths = {0, 1, 100, FRAME - 1, FRAME, FRAME + 1, 2 * FRAME, 10 * FRAME + 77, 3_000_000};
    List<Entry> entries = entries(lengths);
    List<Reference> references = fixture.write(Codecs.of(compression), entries);
    Random random = new Random(1);
    try (ValueFile file = fixture.open()) {
      file.verify();
      for (int i = 0; i < lengths.length; i++) {
        byte[] value = entries.get(i).value();
        byte[] key = entries.get(i).key();
        Reference of = references.get(i);
        assertThat(of.valueBytes()).isEqualTo(lengths[i]);
        assertThat(of.due()).isEqualTo(ExpiringKind.NEVER);
        assertThat(read(file, of, key, 0, value.length)).isEqualTo(value);
        for (int part = 0; part < 50; part++) {
          int from = random.nextInt(lengths[i] + 1);
          int length = random.nextInt(Math.min(3 * FRAME, lengths[i] - from) + 1);
          assertThat(read(file, of, key, from, length))
              .as("%s bytes from %s on of %s", length, from, lengths[i])
              .isEqualTo(Arrays.copyOfRange(value, from, from + length));
        }
      }
    }
  }

  @ParameterizedTest
  @EnumSource(Compression.class)
  void aCopyIsTheSameInAnotherPlace(Compression compression) {
    List<Entry> entries = new ArrayList<>(entries(0, 5, FRAME, 3 * FRAME + 7, 1_000_000, 50));
    entries.add(ValueFixture.expiring("last", 5, 1234, value(7, 50_000)));
    List<Reference> references = fixture.write(Codecs.of(compression), entries);
    List<Reference> copies = new ArrayList<>();
    AtomicLong copied = new AtomicLong();
    try (ValueFile from = fixture.open();
        ValueFiles files = fixture.files();
        ValueWriter writer = files.create(8, 99, ValueFixture.DATABASE, Codecs.NONE);
        ListEntryIterator at = new ListEntryIterator(entries)) {
      at.seekToFirst();
      at.next(); // the first is not copied: the others are elsewhere then
      for (int i = 1; i < entries.size(); i++, at.next()) {
        copies.add(writer.copy(at, references.get(i), from, copied::addAndGet));
      }
      writer.finish();
    }
    assertThat(copied.get())
        .isEqualTo(
            fixture.fileSystem.size(FileKind.VALUES.path(fixture.directory, 8)) - FileHeader.BYTES);
    try (ValueFile file =
        ValueFile.open(
            fixture.fileSystem,
            fixture.directory,
            8,
            Codecs::withId,
            new ReadMeter(),
            () -> false)) {
      file.verify();
      List<ValueRecord> records = new ArrayList<>();
      file.scan(records::add);
      assertThat(records).hasSameSizeAs(copies);
      for (int i = 0; i < copies.size(); i++) {
        Reference copy = copies.get(i);
        Entry entry = entries.get(i + 1);
        byte[] value = i == copies.size() - 1 ? value(7, 50_000) : entry.value();
        assertThat(read(file, copy, entry.key(), 0, copy.valueBytes())).isEqualTo(value);
        assertThat(copy.due()).isEqualTo(references.get(i + 1).due());
        assertThat(copy.storedBytes()).isEqualTo(references.get(i + 1).storedBytes());
        assertThat(records.get(i).trailer()).isEqualTo(entry.trailer());
        assertThat(records.get(i).reference(8)).isEqualTo(copy);
      }
    }
  }

  @Test
  void whatIsDamagedIsNotCopied() throws IOException {
    List<Entry> entries = entries(100_000);
    Reference of = fixture.write(Codecs.NONE, entries).get(0);
    byte[] content = fixture.content();
    for (int at = (int) of.offset() + 60; at < content.length; at += 9_001) {
      byte[] damaged = content.clone();
      damaged[at] ^= 1;
      Files.write(fixture.path(), damaged);
      try (ValueFile from = fixture.open();
          ValueFiles files = fixture.files();
          ValueWriter writer = files.create(10 + at, 99, ValueFixture.DATABASE, Codecs.NONE);
          ListEntryIterator entry = new ListEntryIterator(entries)) {
        entry.seekToFirst();
        assertThatThrownBy(() -> writer.copy(entry, of, from, bytes -> {}))
            .as("damage at %s", at)
            .isInstanceOf(CorruptionException.class)
            .hasMessageContaining("key0");
      }
    }
  }

  @ParameterizedTest
  @EnumSource(Compression.class)
  void theFileAloneTellsWhatIsInIt(Compression compression) {
    List<Entry> entries = new ArrayList<>(entries(10, 100_000, 0));
    entries.add(ValueFixture.expiring("last", 5, 1234, value(7, 50_000)));
    List<Reference> references = fixture.write(Codecs.of(compression), entries);
    List<Reference> found = new ArrayList<>();
    try (ValueFile file = fixture.open()) {
      file.scan(
          record -> {
            Entry entry = entries.get(found.size());
            assertThat(record.key()).isEqualTo(entry.key());
            assertThat(record.trailer()).isEqualTo(entry.trailer());
            assertThat(record.databaseId()).isEqualTo(ValueFixture.DATABASE);
            found.add(record.reference(ValueFixture.NUMBER));
          });
      assertThat(found).isEqualTo(references);
      assertThat(found.get(3).due()).isEqualTo(1234);
      assertThat(file.bytes()).isEqualTo(fixture.content().length);
    } catch (IOException e) {
      throw new AssertionError(e);
    }
  }

  /** A write failed, or a process was killed within one: nothing refers to the last value. */
  @Test
  void aPartOfTheLastRecordIsNoFault() throws IOException {
    List<Entry> entries =
        List.of(
            ValueFixture.put("key1", 3, value(1, 500)), ValueFixture.put("key2", 2, value(2, 500)));
    long second = fixture.write(Codecs.NONE, entries).get(1).offset();
    byte[] whole = fixture.content();
    for (int length = whole.length; length >= second; length--) {
      Files.write(fixture.path(), Arrays.copyOf(whole, length));
      List<String> found = new ArrayList<>();
      List<CorruptionException> damaged = new ArrayList<>();
      try (ValueFile file = fixture.open()) {
        file.scan(record -> found.add(new String(record.key(), UTF_8)));
        file.scanWhole(record -> found.add(new String(record.key(), UTF_8)), damaged::add);
        file.verify();
      }
      assertThat(found)
          .as("%d of %d bytes", length, whole.length)
          .isEqualTo(
              length == whole.length
                  ? List.of("key1", "key2", "key1", "key2")
                  : List.of("key1", "key1"));
      assertThat(damaged).isEmpty();
    }
  }

  @Test
  void aReferenceToAnotherValueIsRefused() {
    List<Entry> entries =
        List.of(
            ValueFixture.put("key1", 3, value(1, 5000)),
            ValueFixture.put("key2", 2, value(2, 5000)),
            ValueFixture.put("key2", 1, value(3, 5001)));
    List<Reference> at = fixture.write(Codecs.NONE, entries);
    try (ValueFile file = fixture.open()) {
      for (int key = 0; key < 3; key++) {
        for (int wrong = 0; wrong < 3; wrong++) {
          byte[] itsKey = entries.get(key).key();
          Reference right = at.get(key);
          Reference reference =
              new Reference(
                  right.due(),
                  right.file(),
                  at.get(wrong).offset(),
                  right.valueBytes(),
                  right.storedBytes());
          if (wrong == key) {
            assertThat(read(file, reference, itsKey, 0, right.valueBytes()))
                .isEqualTo(entries.get(key).value());
          } else {
            assertThatThrownBy(() -> read(file, reference, itsKey, 0, right.valueBytes()))
                .isInstanceOf(CorruptionException.class);
          }
        }
      }
    }
  }

  /** As a device may do that writes a page to the place of another one. */
  @Test
  void anotherVersionOfTheValueInItsPlaceIsRefused() throws IOException {
    List<Entry> entries =
        List.of(
            ValueFixture.put("key", 2, value(2, 5000)), ValueFixture.put("key", 1, value(1, 5000)));
    List<Reference> at = fixture.write(Codecs.NONE, entries);
    byte[] content = fixture.content();
    int first = (int) at.get(0).offset();
    int second = (int) at.get(1).offset();
    int head = 48 + 3;
    System.arraycopy(content, second + head, content, first + head, second - first - head);
    Files.write(fixture.path(), content);
    try (ValueFile file = fixture.open()) {
      byte[] key = ValueFixture.bytes("key");
      assertThatThrownBy(() -> read(file, at.get(0), key, 0, 5000))
          .isInstanceOf(CorruptionException.class)
          .hasMessageContaining("checksum");
      assertThat(read(file, at.get(1), key, 0, 5000)).isEqualTo(value(1, 5000));
    }
  }

  /** Of a process that is killed no head is left without its value. */
  @Test
  void theHeadOfARecordIsWrittenLast() {
    List<Boolean> isBegun = new ArrayList<>();
    StoreFileSystem watched =
        new ForwardingFileSystem(fixture.fileSystem) {
          @Override
          public RandomWriteFile openToGrow(Path file) {
            return new ForwardingRandomWriteFile(super.openToGrow(file)) {
              @Override
              public void write(byte[] source, int offset, int length, long position) {
                super.write(source, offset, length, position);
                if (length == 0) {
                  return;
                }
                try (ValueFile now = fixture.open()) {
                  isBegun.add(now.isBegunAt(ValueFile.FIRST_RECORD));
                }
              }
            };
          }
        };
    try (ValueFiles files = new ValueFiles(watched, fixture.directory, Codecs::withId);
        ValueWriter writer =
            files.create(ValueFixture.NUMBER, ValueFixture.UNIQUE_ID, 1, Codecs.NONE)) {
      byte[] key = ValueFixture.bytes("key");
      Reference unused =
          writer.add(
              0,
              ExpiringKind.NEVER,
              key,
              1_000_000,
              (target, offset, length) -> Arrays.fill(target, offset, offset + length, (byte) 1));
      writer.finish();
    }
    assertThat(isBegun).hasSizeGreaterThan(4);
    assertThat(isBegun.subList(0, isBegun.size() - 1)).containsOnly(false);
    assertThat(isBegun).endsWith(true);
  }

  @Test
  void aReferenceBeyondTheFileIsRefused() {
    Reference at = fixture.write(Codecs.NONE, entries(100)).get(0);
    byte[] key = ValueFixture.bytes("key0");
    try (ValueFile file = fixture.open()) {
      for (long offset : new long[] {at.offset() + 1, 1 << 20, Long.MAX_VALUE / 2}) {
        Reference wrong = new Reference(at.due(), at.file(), offset, 100, 100);
        assertThatThrownBy(() -> read(file, wrong, key, 0, 100))
            .isInstanceOf(CorruptionException.class)
            .hasMessageContaining("\"key0\"")
            .hasMessageContaining("it would end after the file");
      }
      Reference huge = new Reference(at.due(), at.file(), at.offset(), 1 << 29, 1 << 29);
      assertThatThrownBy(() -> read(file, huge, key, 0, 100))
          .isInstanceOf(CorruptionException.class);
    }
  }

  /** The value that is damaged fails, or it is not needed for it; the others are read. */
  @ParameterizedTest
  @EnumSource(Compression.class)
  void everyFlippedBitIsNoticed(Compression compression) throws IOException {
    List<Entry> entries = entries(90, 40, 70);
    List<Reference> references = fixture.write(Codecs.of(compression), entries);
    byte[] content = fixture.content();
    for (int bit = 0; bit < 8 * content.length; bit++) {
      byte[] damaged = content.clone();
      damaged[bit / 8] ^= (byte) (1 << bit % 8);
      Files.write(fixture.path(), damaged);
      int failed = 0;
      for (int i = 0; i < entries.size(); i++) {
        failed += isRead(entries.get(i), references.get(i)) ? 0 : 1;
      }
      assertThat(failed).as("bit %d", bit).isLessThanOrEqualTo(bit / 8 < 32 ? 3 : 1);
      long inLast = bit / 8 - references.get(2).offset();
      if (inLast < 28 || inLast >= 32) { // else the key of the last record may end after the file
        assertThatThrownBy(this::verify).as("bit %d", bit).isInstanceOf(SifrException.class);
      }
    }
  }

  /** Whether a value is read; it must not be another one. */
  private boolean isRead(Entry entry, Reference reference) {
    try (ValueFile file = fixture.open()) {
      byte[] value = read(file, reference, entry.key(), 0, reference.valueBytes());
      assertThat(value).isEqualTo(entry.value());
      return true;
    } catch (SifrException e) {
      return false;
    }
  }

  private void verify() {
    try (ValueFile file = fixture.open()) {
      file.verify();
    }
  }

  @Test
  void everyTruncationIsNoticedByWhoNeedsTheValue() throws IOException {
    Reference last = fixture.write(Codecs.NONE, entries(90, 40)).get(1);
    byte[] content = fixture.content();
    for (int length = 0; length < content.length; length++) {
      Files.write(fixture.path(), Arrays.copyOf(content, length));
      assertThat(isRead(entries(90, 40).get(1), last)).isFalse();
      if (length < 32) { // else its last put may have failed
        assertThatThrownBy(this::verify).as("%d", length).isInstanceOf(SifrException.class);
      }
    }
  }

  /** Who asks whether a value is whole is not told that of one that others do not find. */
  @Test
  void aValueWithoutItsHeadIsNotWhole() throws IOException {
    List<Entry> entries = entries(90, 40);
    List<Reference> references = fixture.write(Codecs.NONE, entries);
    byte[] key = entries.get(1).key();
    byte[] content = fixture.content();
    int head = (int) references.get(1).offset();
    try (ValueFile file = fixture.open()) {
      file.verifyStored(references.get(1), key);
    }
    Arrays.fill(content, head, head + ValueRecord.HEAD_BYTES, (byte) 0);
    Files.write(fixture.path(), content);
    try (ValueFile file = fixture.open()) {
      assertThatThrownBy(() -> file.verifyStored(references.get(1), key))
          .isInstanceOf(CorruptionException.class);
    }
  }

  /** After a power failure any bytes that were not synced may be missing. */
  @Test
  void whatIsNotWholeIsDropped() throws IOException {
    List<Entry> entries = entries(90, 3 * FRAME, 40, 2 * FRAME);
    List<Reference> references = fixture.write(Codecs.NONE, entries);
    byte[] content = fixture.content();
    Random random = new Random(4);
    for (int round = 0; round < 300; round++) {
      byte[] torn = content.clone();
      int end = random.nextBoolean() ? torn.length : 33 + random.nextInt(torn.length - 33);
      for (int holes = random.nextInt(3); holes > 0; holes--) {
        int from = 32 + random.nextInt(torn.length - 32);
        int length = random.nextInt(random.nextBoolean() ? 100 : 40_000);
        Arrays.fill(torn, from, Math.min(torn.length, from + length), (byte) random.nextInt(2));
      }
      Files.write(fixture.path(), Arrays.copyOf(torn, end));
      List<Long> whole = new ArrayList<>();
      try (ValueFile file = fixture.open()) {
        for (int i = 0; i < entries.size(); i++) {
          long from = references.get(i).offset();
          long to = from + ValueRecord.bytes(references.get(i), entries.get(i).key().length);
          if (to <= end
              && Arrays.equals(torn, (int) from, (int) to, content, (int) from, (int) to)) {
            whole.add(from);
          }
        }
        file.dropUnfinished();
        assertThat(file.dropUnfinished()).as("again").isFalse();
        file.verify();
        List<Long> found = new ArrayList<>();
        file.scan(record -> found.add(record.offset()));
        assertThat(found).as("round %d", round).isEqualTo(whole);
        List<SifrException> damage = new ArrayList<>();
        file.scanWhole(record -> {}, damage::add);
        assertThat(damage).as("round %d", round).isEmpty();
        assertThat(file.bytes()).isEqualTo(end);
      }
    }
  }
}
