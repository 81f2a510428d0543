package io.sifr.internal.sst.read;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sifr.config.ReadMode;
import io.sifr.error.CorruptionException;
import io.sifr.error.UnsupportedFormatException;
import io.sifr.internal.crypt.FileKeys;
import io.sifr.internal.entry.EntryIterator;
import io.sifr.internal.entry.Trailer;
import io.sifr.internal.format.Checksums;
import io.sifr.internal.format.FileHeader;
import io.sifr.internal.sst.format.BlockEntries;
import io.sifr.internal.sst.format.Footer;
import io.sifr.internal.sst.format.SstFormat;
import io.sifr.internal.sst.format.SstMeta;
import io.sifr.internal.sst.format.StoredBlock;
import io.sifr.internal.util.Bytes;
import io.sifr.testing.Entry;
import io.sifr.testing.SstMetas;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Files that a faulty or newer writer would make: all checksums are right. */
@ParameterizedClass
@EnumSource(
    value = ReadMode.class,
    names = {"MMAP", "DIRECT"})
class SstVerifierTest {
  private static final int PAGE = SstFormat.PAGE_BYTES;

  /** Where the words of the second block begin: its keys have "key-00" in common. */
  private static final int WORDS_AT = PAGE + BlockEntries.HEAD_BYTES + 6;

  private final SstFixture fixture;

  SstVerifierTest(ReadMode mode) {
    fixture = new SstFixture(mode);
  }

  @AfterEach
  void close() {
    fixture.close();
  }

  private SstMeta meta;
  private byte[] file;

  @BeforeEach
  void writeThreeBlocks() {
    List<Entry> entries = new ArrayList<>();
    for (int i = 0; i < 90; i++) {
      entries.add(SstFixture.put("key-%04d".formatted(i), 500 + i, "v".repeat(90)));
    }
    meta = fixture.write(entries);
    file = fixture.fs.content(SstFixture.path(meta));
    assertThat(file).hasSize(4 * PAGE);
    verify();
  }

  /** Makes the checksums right and reads the whole file. */
  private void verify() {
    for (int block = 0; block < 3; block++) {
      int offset = Math.max(block * PAGE, FileHeader.BYTES);
      SstFixture.resealBlock(file, offset, (block + 1) * PAGE - offset, SstFixture.UNIQUE_ID);
    }
    SstFixture.resealTail(file, SstFixture.UNIQUE_ID);
    fixture.fs.put(SstFixture.path(meta), file);
    try (SstReader reader = fixture.open(meta)) {
      reader.verify();
    }
  }

  private void assertFault(long offset, String message) {
    assertThatThrownBy(this::verify)
        .isInstanceOf(CorruptionException.class)
        .hasMessageContaining(message)
        .hasMessageContaining("at offset " + offset + ":");
  }

  private Footer footer() {
    return Footer.decode(SstFixture.path(meta), ByteBuffer.wrap(file), file.length, FileKeys.NONE);
  }

  private int u16(int at) {
    return (file[at] & 0xFF) << 8 | (file[at + 1] & 0xFF);
  }

  private void putU16(int at, int value) {
    file[at] = (byte) (value >> 8);
    file[at + 1] = (byte) value;
  }

  /** Where a key's last two digits stand, which no other entry of the block has with that rest. */
  private int find(String text, int from) {
    int found = new String(file, StandardCharsets.ISO_8859_1).indexOf(text, from);
    assertThat(found).isPositive();
    return found;
  }

  /** Where the offsets of the second block's entries begin. */
  private int offsetsAt() {
    assertThat(file[PAGE + 2]).as("bytes of a word, of a sequence number").isEqualTo((byte) 0x12);
    return WORDS_AT + 2 * u16(PAGE);
  }

  /** Where the entries of the second block end. */
  private int markAt() {
    return PAGE + u16(offsetsAt() + 2 * u16(PAGE));
  }

  /** Where the second entry of the second block begins. */
  private int secondEntry() {
    return PAGE + u16(offsetsAt() + 2);
  }

  @Test
  void paddingThatIsNotZero() {
    int at = 2 * PAGE - StoredBlock.BYTES - 1;
    assertThat(at).isGreaterThan(markAt());
    file[at] = 1;
    assertFault(at, "padding");
  }

  @Test
  void markOfAnotherKind() {
    int at = markAt();
    assertThat(file[at]).isEqualTo(BlockEntries.MARK);
    file[at] = 3;
    assertFault(at, "no entry can be read");
    file[at] = BlockEntries.MORE; // no group follows
    assertFault(at + 1, "no entry can be read");
  }

  @Test
  void zerosAfterAnEntry() {
    int entry = PAGE + u16(offsetsAt() + 2 * u16(PAGE) - 2);
    file[markAt()] = 0;
    assertFault(entry, "no entry can be read");
  }

  @Test
  void entriesOutOfOrder() {
    file[WORDS_AT + 2] = '!';
    assertFault(secondEntry(), "out of order");
  }

  @Test
  void twiceTheSameSequenceNumberOfAKey() {
    byte[] two = twoVersions();
    int second = new String(two, StandardCharsets.ISO_8859_1).indexOf("new") + 3;
    // Kind plus 1, and the sequence number, which is that of the block.
    assertThat(two[second]).isEqualTo((byte) 0x01);
    two[second] = 0x11;
    assertFaultOfTwo(two, second, "entries out of order");
  }

  @Test
  void wordThatIsNotFilledUp() {
    byte[] two = twoVersions();
    int second = new String(two, StandardCharsets.ISO_8859_1).indexOf("new") + 3;
    int words = FileHeader.BYTES + BlockEntries.HEAD_BYTES + 1;
    assertThat(Arrays.copyOfRange(two, words, words + 2)).containsOnly(0);
    two[words + 1] = 1;
    assertFaultOfTwo(two, second, "not filled up");
  }

  private byte[] twoVersions() {
    meta =
        fixture.write(List.of(SstFixture.put("k", 5, "new"), SstFixture.put("k", 4, "old")), 8, 1);
    return fixture.fs.content(SstFixture.path(meta));
  }

  private void assertFaultOfTwo(byte[] two, int offset, String message) {
    SstFixture.resealBlock(two, FileHeader.BYTES, PAGE - FileHeader.BYTES, 1);
    fixture.fs.put(SstFixture.path(meta), two);
    try (SstReader reader = fixture.open(meta)) {
      assertThatThrownBy(reader::verify)
          .isInstanceOf(CorruptionException.class)
          .hasMessageContaining("at offset " + offset + ":")
          .hasMessageContaining(message);
    }
  }

  @Test
  void entryWithoutAKind() {
    int entry = secondEntry();
    file[entry] = (byte) 0x10;
    assertFault(entry, "no entry can be read");
  }

  @Test
  void zeroInPlaceOfAnEntry() {
    file[secondEntry()] = 0;
    // The entry before is not followed by anything.
    assertFault(PAGE + u16(offsetsAt()), "no entry can be read");
  }

  @Test
  void entryOutsideTheBlock() {
    putU16(offsetsAt() + 4, PAGE);
    assertFault(offsetsAt(), "no entry can be read");
  }

  @Test
  void entryAmongTheOffsets() {
    putU16(offsetsAt(), u16(offsetsAt()) - 1);
    assertFault(offsetsAt(), "no entry can be read");
  }

  @Test
  void entryThatEndsBeforeItBegins() {
    putU16(offsetsAt() + 2, u16(offsetsAt() + 4) + 4);
    assertFault(offsetsAt(), "no entry can be read");
  }

  @Test
  void roomBeforeTheFirstEntry() {
    int first = u16(offsetsAt()) + 2;
    file[PAGE + first] = 1;
    putU16(offsetsAt(), first);
    assertFault(PAGE + first, "the first entry does not follow the offsets");
  }

  /** Under a right checksum, in the low four bits of an entry's first byte. */
  @ParameterizedTest
  @ValueSource(ints = {1, 2, 7, 14})
  void unknownKind(int kind) {
    int entry = secondEntry();
    byte[] key = keyOfSecondEntry();
    file[entry] += (byte) kind;
    String message = "an entry of kind " + kind + " with a value of 90 bytes";
    assertFault(entry, message);
    try (SstReader reader = fixture.open(meta);
        EntryIterator iterator = reader.iterator()) {
      assertThatThrownBy(() -> SstFixture.get(reader, key, Trailer.MAX_SEQUENCE))
          .isInstanceOf(CorruptionException.class)
          .hasMessageContaining("at offset " + entry + ": " + message);
      assertThatThrownBy(() -> SstFixture.readForwards(iterator))
          .isInstanceOf(CorruptionException.class)
          .hasMessageContaining("at offset " + entry + ": " + message);
      assertThat(iterator.valid()).isFalse();
    }
  }

  private byte[] keyOfSecondEntry() {
    try (SstReader reader = fixture.open(meta);
        EntryIterator iterator = reader.iterator()) {
      SstIterator at = (SstIterator) iterator;
      int entry = secondEntry();
      iterator.seekToFirst();
      while (at.entryOffset() != entry) {
        iterator.next();
      }
      return Arrays.copyOfRange(at.keyArray(), at.keyOffset(), at.keyOffset() + at.keyLength());
    }
  }

  @ParameterizedTest
  @ValueSource(ints = {0, 9, 15})
  void wordsOfASizeThatIsNotAllowed(int bytes) {
    file[PAGE + 2] = (byte) (0x10 | bytes);
    assertFault(PAGE, "words of " + bytes + " bytes");
  }

  @ParameterizedTest
  @ValueSource(ints = {8, 15})
  void sequenceNumbersOfASizeThatIsNotAllowed(int bytes) {
    file[PAGE + 2] = (byte) (bytes << 4 | 2);
    assertFault(PAGE, "sequence numbers of " + bytes);
  }

  @Test
  void moreEntriesThanFit() {
    putU16(PAGE, 0xFFFF);
    assertFault(PAGE, "65535 entries");
  }

  @Test
  void noEntries() {
    putU16(PAGE, 0);
    assertFault(PAGE, "0 entries");
  }

  @Test
  void prefixLongerThanTheBlock() {
    file[PAGE + 3] = (byte) 0xFF;
    assertFault(PAGE, "a prefix of 65286 in");
  }

  @Test
  void baseSequenceOutOfRange() {
    file[PAGE + 6] = -1;
    assertFault(PAGE, "base sequence number");
  }

  @Test
  void sequenceOutOfRange() {
    file[PAGE + 6] = 0x7F;
    Arrays.fill(file, PAGE + 7, PAGE + 13, (byte) -1);
    assertFault(secondEntry(), "sequence number out of range");
  }

  @Test
  void unknownCodec() {
    file[2 * PAGE - 5] = (byte) 100;
    assertThatThrownBy(this::verify)
        .isInstanceOf(UnsupportedFormatException.class)
        .hasMessageContaining("codec of the data block at offset 4096 is 100");
  }

  @Test
  void newerFormatVersion() {
    putU16(6, 2);
    Bytes.putInt(file, 28, Checksums.crc32c(file, 0, 28));
    assertThatThrownBy(this::verify)
        .isInstanceOf(UnsupportedFormatException.class)
        .hasMessageContaining("format version is 2");
  }

  @Test
  void footerOfAnotherVersion() {
    putU16(file.length - Footer.BYTES + 48, 2);
    assertThatThrownBy(this::verify)
        .isInstanceOf(UnsupportedFormatException.class)
        .hasMessageContaining("format version is 2");
  }

  @Test
  void headerOfAnotherFile() {
    Bytes.putLong(file, 16, SstFixture.UNIQUE_ID + 1);
    Bytes.putInt(file, 28, Checksums.crc32c(file, 0, 28));
    assertFault(0, "the footer says 0123456789abcdef");
  }

  @Test
  void storedLengthsThatDoNotFit() {
    Bytes.putInt(file, 2 * PAGE - 13, 100);
    assertFault(PAGE, "100 bytes of payload");
  }

  @Test
  void fenceAfterItsBlock() {
    int index = 3 * PAGE;
    int digit = find("key-", index) + 7;
    file[digit]++;
    assertThatThrownBy(this::verify)
        .isInstanceOf(CorruptionException.class)
        .hasMessageContaining("fence");
  }

  @Test
  void fenceWithinTheBlockBefore() {
    int digit = find("key-", 3 * PAGE) + 7;
    file[digit]--;
    assertThatThrownBy(this::verify)
        .isInstanceOf(CorruptionException.class)
        .hasMessageContaining("fence");
  }

  @Test
  void propertiesThatCountDifferently() {
    int properties = footer().propertiesOffset();
    assertThat(file[properties + 2]).isEqualTo((byte) 90);
    file[properties + 2] = 89;
    meta =
        SstMetas.of(
                meta.number(),
                meta.uniqueId(),
                meta.fileBytes(),
                89,
                meta.tombstones(),
                meta.rangeTombstones(),
                meta.rawBytes(),
                meta.baseSequence(),
                meta.minSequence(),
                meta.maxSequence(),
                meta.smallestKey(),
                meta.largestKey())
            .with(meta.times());
    assertFault(properties, "entries is 90, the properties say 89");
  }

  @Test
  void unknownPropertiesAreSkippedUnlessTheyMustBeUnderstood() {
    int footer = file.length - Footer.BYTES;
    int end = footer().propertiesEnd() - StoredBlock.BYTES;
    int length = footer().propertiesBytes();
    byte[] field = {26, 3, 'a', 'b', 'c'};
    System.arraycopy(file, end, file, end + field.length, StoredBlock.BYTES);
    System.arraycopy(field, 0, file, end, field.length);
    int raw = length - StoredBlock.BYTES + field.length;
    Bytes.putInt(file, end + field.length, raw);
    Bytes.putInt(file, end + field.length + 4, raw);
    Bytes.putInt(file, footer + 20, length + field.length);
    verify();

    file[end] = 27;
    assertThatThrownBy(this::verify)
        .isInstanceOf(UnsupportedFormatException.class)
        .hasMessageContaining("property 27");
  }

  @Test
  void aPropertyThatReachesPastTheEnd() {
    int properties = footer().propertiesOffset();
    file[properties + 1] = 127;
    assertThatThrownBy(this::verify)
        .isInstanceOf(CorruptionException.class)
        .hasMessageContaining("properties");
  }

  @Test
  void theFirstFaultIsNamed() {
    fixture.fs.put(SstFixture.path(meta), file);
    file[2 * PAGE + 100] ^= 1;
    file[PAGE + 5] ^= 1;
    try (SstReader reader = fixture.open(meta)) {
      assertThatThrownBy(reader::verify)
          .isInstanceOfSatisfying(
              CorruptionException.class, e -> assertThat(e.offset()).isEqualTo(PAGE));
    }
  }

  @Test
  void verifyLooksAgainAtWhatWasRightBefore() {
    try (SstReader reader = fixture.open(meta)) {
      reader.verify();
      byte[] mapped = file;
      fixture.fs.put(SstFixture.path(meta), mapped);
      try (SstReader second = fixture.open(meta)) {
        second.verify();
        mapped[50] ^= 1;
        assertThatThrownBy(second::verify).isInstanceOf(CorruptionException.class);
      }
    }
  }

  @Test
  void blocksAreListedForInspection() {
    List<SstFixture.Block> blocks = fixture.blocks(meta);
    assertThat(blocks)
        .extracting(block -> block.info().offset())
        .containsExactly(32L, 4096L, 8192L);
    assertThat(blocks).extracting(block -> block.info().pages()).containsExactly(1, 1, 1);
    assertThat(blocks.stream().mapToLong(block -> block.info().entries()).sum()).isEqualTo(90);
    for (SstFixture.Block block : blocks) {
      assertThat(block.entries()).hasSize((int) block.info().entries());
      assertThat(block.entries().get(0).key()).isEqualTo(block.info().firstKey());
    }
    try (SstReader reader = fixture.open(meta)) {
      assertThat(blocks.stream().flatMap(block -> block.entries().stream()).toList())
          .isEqualTo(SstFixture.readForwards(reader.iterator()));
    }
  }
}
