package io.sifr.internal.sst.read;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sifr.config.ReadMode;
import io.sifr.error.CorruptionException;
import io.sifr.error.UnsupportedFormatException;
import io.sifr.internal.entry.EntryIterator;
import io.sifr.internal.entry.Trailer;
import io.sifr.internal.format.Checksums;
import io.sifr.internal.format.FileHeader;
import io.sifr.internal.sst.format.Footer;
import io.sifr.internal.sst.format.SstFormat;
import io.sifr.internal.sst.format.SstMeta;
import io.sifr.internal.sst.format.StoredBlock;
import io.sifr.internal.sst.format.StoredBlock.BlockTrailer;
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
  private static final int RESTARTS_AT_END = BlockTrailer.BYTES + StoredBlock.BYTES;

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
    return Footer.decode(SstFixture.path(meta), ByteBuffer.wrap(file), file.length);
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

  private int restartsAt(int block) {
    int end = (block + 1) * PAGE;
    return end - RESTARTS_AT_END - 2 * u16(end - RESTARTS_AT_END);
  }

  /** Where the second entry of the second block begins. */
  private int secondEntry() {
    return find("v".repeat(90), PAGE) + 90;
  }

  @Test
  void paddingThatIsNotZero() {
    int at = restartsAt(1) - 1;
    file[at] = 1;
    assertFault(at, "padding");
  }

  @Test
  void entriesOutOfOrder() {
    int entry = secondEntry();
    // shared and flag, value length (two bytes), delta, one digit of the key
    file[entry + 4] = '!';
    assertFault(entry, "out of order");
  }

  @Test
  void twiceTheSameSequenceNumberOfAKey() {
    meta =
        fixture.write(List.of(SstFixture.put("k", 5, "new"), SstFixture.put("k", 4, "old")), 8, 1);
    byte[] two = fixture.fs.content(SstFixture.path(meta));
    // shared and flag, value length, delta: the second entry's header has three bytes.
    int delta = new String(two, StandardCharsets.ISO_8859_1).indexOf("new") + 3 + 2;
    assertThat(two[delta]).isEqualTo((byte) 1);
    two[delta] = 0;
    SstFixture.resealBlock(two, FileHeader.BYTES, PAGE - FileHeader.BYTES, 1);
    fixture.fs.put(SstFixture.path(meta), two);
    try (SstReader reader = fixture.open(meta)) {
      assertThatThrownBy(reader::verify)
          .isInstanceOf(CorruptionException.class)
          .hasMessageContaining("at offset " + (delta - 2) + ": entries out of order");
    }
  }

  @Test
  void sharesMoreThanTheKeyBeforeHas() {
    int entry = secondEntry();
    file[entry] = 0x7F;
    assertFault(entry, "no entry can be read");
  }

  @Test
  void valueReachesIntoTheTrailer() {
    int entry = secondEntry();
    file[entry + 2] = (byte) 0xFF;
    file[entry + 3] = 0x7F;
    assertFault(entry, "no entry can be read");
  }

  /** Under a right checksum, in the low four bits of the field that has the value's length. */
  @ParameterizedTest
  @ValueSource(ints = {1, 2, 7, 15})
  void unknownKind(int kind) {
    int entry = secondEntry();
    byte[] key = keyOfSecondEntry();
    file[entry + 1] |= (byte) kind;
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

  @Test
  void restartPointBetweenEntries() {
    int at = restartsAt(1) + 2;
    putU16(at, u16(at) + 1);
    assertThatThrownBy(this::verify).isInstanceOf(CorruptionException.class);
  }

  @Test
  void restartPointsOutOfOrder() {
    int at = restartsAt(1) + 4;
    putU16(at, u16(at - 2));
    assertFault(at, "restart points out of order");
  }

  @Test
  void firstEntryIsNoRestartPoint() {
    int at = restartsAt(0);
    putU16(at, 1);
    assertFault(at, "first entry");
  }

  @Test
  void tooFewRestartPoints() {
    int end = 2 * PAGE;
    int restarts = u16(end - RESTARTS_AT_END);
    // The last one goes, its two bytes become padding.
    int at = restartsAt(1);
    System.arraycopy(file, at, file, at + 2, 2 * (restarts - 1));
    putU16(at, 0);
    putU16(end - 25, restarts - 1);
    putU16(end - 23, u16(end - 23) + 2);
    assertThatThrownBy(this::verify)
        .isInstanceOf(CorruptionException.class)
        .hasMessageContaining("9 entries from one restart point on");
  }

  @Test
  void restartPointThatNeedsTheKeyBefore() {
    int restart = PAGE + u16(restartsAt(1) + 4);
    int shared = file[restart] >> 1;
    assertThat(shared).isEqualTo("key-00".length());
    file[restart] = (byte) ((shared + 1) << 1);
    // The key has a byte too many now: it becomes the value's first.
    file[restart + 1] = 1;
    file[restart + 2] = (byte) (file[restart + 2] + 16);
    assertFault(restart, "a restart point that depends on the previous entry");
  }

  @Test
  void paddingLongerThanTheBlock() {
    putU16(2 * PAGE - 23, PAGE);
    assertFault(PAGE, "padding leaves no room");
  }

  @Test
  void moreRestartPointsThanFit() {
    putU16(2 * PAGE - 25, 0xFFFF);
    assertFault(PAGE, "65535 restart points");
  }

  @Test
  void baseSequenceOutOfRange() {
    Bytes.putLong(file, 2 * PAGE - 21, -1);
    assertFault(PAGE, "base sequence number");
  }

  @Test
  void sequenceOutOfRange() {
    Bytes.putLong(file, 2 * PAGE - 21, (1L << 55) - 1);
    assertFault(secondEntry(), "sequence number out of range");
  }

  @Test
  void unknownCodec() {
    file[2 * PAGE - 5] = (byte) 200;
    assertThatThrownBy(this::verify)
        .isInstanceOf(UnsupportedFormatException.class)
        .hasMessageContaining("codec of the data block at offset 4096 is 200");
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
    byte[] field = {22, 3, 'a', 'b', 'c'};
    System.arraycopy(file, end, file, end + field.length, StoredBlock.BYTES);
    System.arraycopy(field, 0, file, end, field.length);
    int raw = length - StoredBlock.BYTES + field.length;
    Bytes.putInt(file, end + field.length, raw);
    Bytes.putInt(file, end + field.length + 4, raw);
    Bytes.putInt(file, footer + 20, length + field.length);
    verify();

    file[end] = 23;
    assertThatThrownBy(this::verify)
        .isInstanceOf(UnsupportedFormatException.class)
        .hasMessageContaining("property 23");
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
