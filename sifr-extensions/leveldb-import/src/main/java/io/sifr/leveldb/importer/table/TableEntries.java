package io.sifr.leveldb.importer.table;

import io.sifr.importer.SourceException;
import io.sifr.leveldb.importer.manifest.TableFile;
import io.sifr.leveldb.importer.source.Entry;
import io.sifr.leveldb.importer.source.EntrySource;
import io.sifr.leveldb.importer.source.Fields;
import io.sifr.leveldb.importer.source.SourceFile;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Comparator;
import org.jspecify.annotations.Nullable;

/**
 * The entries of a table in their order. One block is in memory at a time, and the index. It is
 * checked that blocks follow each other, so that none is read twice, that entries ascend, and that
 * the first and the last are those that the MANIFEST knows.
 */
public final class TableEntries implements EntrySource {
  private static final int FOOTER = 48;
  private static final long MAGIC = 0xdb4775248b80fb57L;

  private final SourceFile file;
  private final TableFile table;
  private final @Nullable Comparator<Entry> order;
  private final BlockReader blocks;
  private final BlockEntries index;
  private final long indexOffset;
  private long dataEnd;
  private @Nullable BlockEntries block;
  private @Nullable Entry last;

  private TableEntries(SourceFile file, TableFile table, @Nullable Comparator<Entry> order)
      throws IOException {
    this.file = file;
    this.table = table;
    this.order = order;
    this.blocks = new BlockReader(file);
    long end = file.size() - FOOTER;
    if (end < 0) {
      throw file.damaged(0, "a table of " + file.size() + " bytes");
    }
    Fields footer = new Fields(file, end, file.read(end, FOOTER));
    BlockHandle.read(footer); // of the block that names filters
    BlockHandle indexHandle = BlockHandle.read(footer);
    footer.skip(footer.left() - Long.BYTES);
    if (footer.readFixed64() != MAGIC) {
      throw footer.damaged("it does not end as a table does");
    }
    this.indexOffset = indexHandle.offset();
    this.index = blocks.read(indexHandle, end);
  }

  /**
   * Opens a table.
   *
   * @param order of its entries; null when it is not known
   */
  public static TableEntries open(Path path, TableFile table, @Nullable Comparator<Entry> order)
      throws IOException {
    SourceFile file = SourceFile.open(path);
    try {
      return new TableEntries(file, table, order);
    } catch (IOException | RuntimeException | Error e) {
      file.close();
      throw e;
    }
  }

  /** Whether blocks that were read so far were compressed. */
  public boolean hasCompressedBlocks() {
    return blocks.hasCompressed();
  }

  @Override
  public @Nullable Entry next() throws IOException {
    while (block == null || !block.next()) {
      if (!index.next()) {
        requireTheSame(table.largest(), last, "last");
        return null;
      }
      block = readBlock();
    }
    Entry entry =
        Entry.ofInternalKey(block.key(), block.keyLength(), block.value(), block.fields());
    if (last == null) {
      requireTheSame(table.smallest(), entry, "first");
    } else if (order != null && order.compare(last, entry) >= 0) {
      throw block.fields().damaged("entries of a block that do not ascend");
    }
    last = entry;
    return entry;
  }

  private BlockEntries readBlock() throws IOException {
    Fields value = new Fields(file, indexOffset, index.value());
    BlockHandle handle = BlockHandle.read(value);
    if (handle.offset() < dataEnd) {
      throw value.damaged("an index whose blocks do not follow each other");
    }
    BlockEntries read = blocks.read(handle, file.size() - FOOTER);
    dataEnd = handle.offset() + handle.bytes() + BlockReader.TRAILER;
    return read;
  }

  private void requireTheSame(Entry known, @Nullable Entry found, String which)
      throws SourceException {
    if (found == null || !found.isOfKeyOf(known) || found.sequence() != known.sequence()) {
      throw file.damaged(0, "the " + which + " entry is another one than the MANIFEST says");
    }
  }

  @Override
  public void close() throws IOException {
    file.close();
  }
}
