package io.sifr.bench.experiment;

import io.sifr.bench.store.StoreKind;
import io.sifr.bench.store.Terms;
import io.sifr.bench.workload.Shape;
import java.nio.file.Path;

/** The forms of stores that are compared on a {@link SlowDisk}. */
enum Form {
  /** The split forest. */
  FOREST("sifr", StoreKind.SIFR, Rows.NONE),
  /** The same, whose first stage is a container of rows on the fast disk. */
  ROWS("sifr, rows", StoreKind.SIFR, Rows.SMALL_LEVEL),
  /** Leveled. */
  LEVELED("sifr-leveled", StoreKind.SIFR_LEVELED, Rows.NONE),
  /** Leveled, with such a container, and a first level of a few flushes. */
  SMALL_LEVEL("sifr-leveled, rows, small level", StoreKind.SIFR_LEVELED, Rows.SMALL_LEVEL),
  /** The same with a first level that is as large as the container, as MatrixKV has. */
  COLUMNS("sifr-leveled, rows", StoreKind.SIFR_LEVELED, Rows.LARGE_LEVEL),
  /** RocksDB with leveled compaction. */
  ROCKSDB("rocksdb", StoreKind.ROCKSDB, Rows.NONE);

  private enum Rows {
    NONE,
    SMALL_LEVEL,
    LARGE_LEVEL
  }

  /** The container in write buffers: 16 rows are 0.6 of it, when it is compacted. */
  private static final int CONTAINER_BUFFERS = 22;

  /** A write buffer is this part of the data, so that there are several stages, … */
  private static final int DATA_BUFFERS = 64;

  /** … but no smaller than that. */
  private static final long LEAST_BUFFER_BYTES = 256 << 10;

  private final String label;
  private final StoreKind kind;
  private final Rows rows;

  Form(String label, StoreKind kind, Rows rows) {
    this.label = label;
    this.kind = kind;
    this.rows = rows;
  }

  String label() {
    return label;
  }

  StoreKind kind() {
    return kind;
  }

  /**
   * Its terms. What flushes and compactions write bypasses the page cache, which would take all of
   * it at once while there is little data.
   *
   * @param fast where its rows are, if it has any
   */
  Terms terms(Scale scale, Path fast) {
    long buffer = bufferBytes(scale);
    Terms terms =
        Laboratory.TERMS
            .withWriteBufferBytes(buffer)
            .withDirectReads(true)
            .withSetting("splitUnitBytes", Long.toString(sstBytes(scale)));
    if (rows != Rows.NONE) {
      terms =
          terms
              .withSetting("fastDirectory", fast.toString())
              .withSetting("fastBytes", Long.toString(containerBytes(scale)));
    }
    if (rows == Rows.LARGE_LEVEL) {
      terms = terms.withSetting("compaction", "leveled:firstLevel=" + containerBytes(scale));
    }
    return terms.keptBy(kind);
  }

  /** Bytes that the rows may take. */
  static long containerBytes(Scale scale) {
    return CONTAINER_BUFFERS * bufferBytes(scale);
  }

  /** Size aimed at for an SST: two of them are a write buffer. */
  static long sstBytes(Scale scale) {
    return bufferBytes(scale) / 2;
  }

  private static long bufferBytes(Scale scale) {
    long data = (long) (scale.entries() * Shape.PAPER.averageEntryBytes());
    return Math.min(
        Laboratory.WRITE_BUFFER_BYTES, Math.max(LEAST_BUFFER_BYTES, data / DATA_BUFFERS));
  }
}
