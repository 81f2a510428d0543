package io.sifr.leveldb.importer.table;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sifr.importer.SourceException;
import io.sifr.leveldb.importer.manifest.TableFile;
import io.sifr.leveldb.importer.source.Entry;
import io.sifr.leveldb.importer.source.MaskedChecksum;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Tables whose checksums are right, and that no LevelDB writes. */
class TableEntriesTest {
  private static final long MAGIC = 0xdb4775248b80fb57L;
  private static final long SEQUENCE = 7;

  private final ByteArrayOutputStream table = new ByteArrayOutputStream();

  @TempDir Path directory;

  private record Handle(long offset, long bytes) {}

  private static byte[] internal(String key) {
    byte[] bytes = key.getBytes(UTF_8);
    return ByteBuffer.allocate(bytes.length + Long.BYTES)
        .order(ByteOrder.LITTLE_ENDIAN)
        .put(bytes)
        .putLong((SEQUENCE << 8) | 1)
        .array();
  }

  private static void putVarint(ByteArrayOutputStream out, long value) {
    long left = value;
    for (; left >>> 7 != 0; left >>>= 7) {
      out.write((int) (left & 0x7f) | 0x80);
    }
    out.write((int) left);
  }

  private static byte[] fixed(long value, int bytes) {
    ByteBuffer buffer = ByteBuffer.allocate(Long.BYTES).order(ByteOrder.LITTLE_ENDIAN);
    return Arrays.copyOf(buffer.putLong(value).array(), bytes);
  }

  private static void addEntry(ByteArrayOutputStream block, long shared, byte[] key, byte[] value) {
    putVarint(block, shared);
    putVarint(block, key.length);
    putVarint(block, value.length);
    block.writeBytes(key);
    block.writeBytes(value);
  }

  private static byte[] block(String... keys) {
    ByteArrayOutputStream block = new ByteArrayOutputStream();
    for (String key : keys) {
      addEntry(block, 0, internal(key), new byte[] {1});
    }
    return end(block, 1);
  }

  private static byte[] end(ByteArrayOutputStream block, long restarts) {
    block.writeBytes(fixed(0, Integer.BYTES));
    block.writeBytes(fixed(restarts, Integer.BYTES));
    return block.toByteArray();
  }

  private Handle add(byte[] block) {
    Handle handle = new Handle(table.size(), block.length);
    byte[] stored = Arrays.copyOf(block, block.length + 1);
    table.writeBytes(stored);
    table.writeBytes(fixed(MaskedChecksum.of(stored, 0, stored.length), Integer.BYTES));
    return handle;
  }

  /** The keys of a table with an index of these blocks, between the keys a and z. */
  private List<String> read(Handle... blocks) throws IOException {
    ByteArrayOutputStream index = new ByteArrayOutputStream();
    for (Handle block : blocks) {
      ByteArrayOutputStream value = new ByteArrayOutputStream();
      putVarint(value, block.offset());
      putVarint(value, block.bytes());
      addEntry(index, 0, internal("z"), value.toByteArray());
    }
    return readWithIndex(add(end(index, 1)));
  }

  private List<String> readWithIndex(Handle index) throws IOException {
    ByteArrayOutputStream footer = new ByteArrayOutputStream();
    for (long number : new long[] {0, 0, index.offset(), index.bytes()}) {
      putVarint(footer, number);
    }
    table.writeBytes(Arrays.copyOf(footer.toByteArray(), 40));
    table.writeBytes(fixed(MAGIC, Long.BYTES));
    Path file = Files.write(directory.resolve("000001.ldb"), table.toByteArray());
    Entry first = Entry.put("a".getBytes(UTF_8), SEQUENCE, new byte[0]);
    Entry last = Entry.put("z".getBytes(UTF_8), SEQUENCE, new byte[0]);
    List<String> keys = new ArrayList<>();
    try (TableEntries entries =
        TableEntries.open(file, new TableFile(1, first, last), Comparator.naturalOrder())) {
      for (Entry entry = entries.next(); entry != null; entry = entries.next()) {
        keys.add(new String(entry.key(), UTF_8));
      }
    }
    return keys;
  }

  private void assertDamaged(String what, Handle... blocks) {
    assertThatThrownBy(() -> read(blocks))
        .isInstanceOf(SourceException.class)
        .hasMessageContaining("000001.ldb is damaged at offset ")
        .hasMessageContaining(what);
  }

  @Test
  void blocksAreReadInTheirOrder() throws IOException {
    assertThat(read(add(block("a", "b")), add(block("c", "z"))))
        .containsExactly("a", "b", "c", "z");
  }

  @Test
  void noBlockIsReadTwice() {
    Handle first = add(block("a", "b"));
    assertDamaged("an index whose blocks do not follow each other", first, first);
  }

  @Test
  void aBlockIsWithinTheTable() {
    Handle first = add(block("a", "z"));
    for (long bytes : new long[] {1 << 20, Integer.MAX_VALUE, Long.MAX_VALUE}) {
      table.reset();
      add(block("a", "z"));
      assertDamaged("cannot be there", new Handle(first.offset(), bytes));
      table.reset();
      add(block("a", "z"));
      assertDamaged("cannot be there", new Handle(bytes, 10));
    }
  }

  @Test
  void theIndexIsWithinTheTable() {
    assertThatThrownBy(() -> readWithIndex(new Handle(Long.MAX_VALUE, Long.MAX_VALUE)))
        .isInstanceOf(SourceException.class)
        .hasMessageContaining("cannot be there");
  }

  @Test
  void entriesAscend() {
    assertDamaged("do not ascend", add(block("a", "c", "b", "z")));
    table.reset();
    assertDamaged("do not ascend", add(block("a", "c")), add(block("c", "z")));
  }

  @Test
  void entriesAreThoseThatTheManifestKnows() {
    assertDamaged("the first entry is another one", add(block("b", "z")));
    table.reset();
    assertDamaged("the last entry is another one", add(block("a", "b")));
  }

  @Test
  void lengthsInABlockAreChecked() {
    assertDamaged("places to begin at", add(end(new ByteArrayOutputStream(), 0xffffffffL)));
    table.reset();
    assertDamaged("a block of 3 bytes", add(new byte[3]));
    table.reset();
    ByteArrayOutputStream shared = new ByteArrayOutputStream();
    addEntry(shared, 1, internal("a"), new byte[0]);
    assertDamaged("an entry of a block goes beyond it", add(end(shared, 1)));
    table.reset();
    ByteArrayOutputStream value = new ByteArrayOutputStream();
    putVarint(value, 0);
    putVarint(value, 1);
    putVarint(value, Long.MAX_VALUE);
    value.write('a');
    assertDamaged("an entry of a block goes beyond it", add(end(value, 1)));
    table.reset();
    ByteArrayOutputStream noSequence = new ByteArrayOutputStream();
    addEntry(noSequence, 0, new byte[7], new byte[0]);
    assertDamaged("a key of 7 bytes, which has no room", add(end(noSequence, 1)));
  }
}
