package io.sifr;

import com.google.errorprone.annotations.CanIgnoreReturnValue;
import io.sifr.config.StoreOptions;
import io.sifr.internal.crypt.FileKeys;
import io.sifr.internal.engine.load.SortedFiles;
import io.sifr.internal.io.DiskFileSystem;
import io.sifr.internal.io.KeyedFileSystem;
import io.sifr.internal.io.StoreFileSystem;
import io.sifr.internal.sst.format.BlockCodecs;
import io.sifr.internal.state.Extensions;
import io.sifr.internal.util.Bytes;
import io.sifr.spi.EncryptionKeys;
import java.nio.file.Path;
import java.util.List;

/**
 * Writes sorted entries to files that {@link Store#ingest} adds to a store, outside of any store:
 * by another process, perhaps on another machine.
 *
 * <pre>{@code
 * try (SstFileWriter writer = SstFileWriter.create(Path.of("new.sst"), StoreOptions.DEFAULT)) {
 *   writer.put(key, value); // in ascending order of the keys
 *   SstFileWriter.Result result = writer.finish();
 *   database.ingest(result.files());
 * }
 * }</pre>
 *
 * <p>To replace what a database holds in a range of keys, {@linkplain #deleteRange delete} the
 * range and put its new entries. Keys are compared byte by byte, unsigned. Files are in the format
 * of the SSTs of a store, and about as large: after {@link StoreOptions#splitUnitBytes} another one
 * is begun, whose name ends with {@code .1}, {@code .2} and so on. What is written is not in the
 * order of writes of any store; its place there is that of the ingest. The same files may be
 * ingested into any number of stores. Its values do not expire, whatever the database says that
 * they are added to.
 *
 * <p>A writer that is closed before it was finished deletes its files. For one thread at a time.
 */
public final class SstFileWriter implements AutoCloseable {
  private final SortedFiles files;

  private SstFileWriter(SortedFiles files) {
    this.files = files;
  }

  /**
   * Begins to write.
   *
   * @param file the name of the first file; there must be none, also none with the further names
   * @param options of the stores that the files are for: how large files are, how blocks are
   *     encoded, and how many bits per key filters have
   * @throws io.sifr.error.StoreIoException when the file cannot be created
   */
  public static SstFileWriter create(Path file, StoreOptions options) {
    return create(new DiskFileSystem(), file, options);
  }

  /**
   * Begins to write files for stores that are encrypted, which take no others.
   *
   * @param keys as for {@link Store.Builder#encryption}
   */
  public static SstFileWriter create(Path file, StoreOptions options, EncryptionKeys keys) {
    FileKeys ofFiles = FileKeys.of(Arguments.notNull("keys", keys));
    return create(new KeyedFileSystem(new DiskFileSystem(), ofFiles), file, options);
  }

  /** As above, in a file system; for tests. */
  static SstFileWriter create(StoreFileSystem fileSystem, Path file, StoreOptions options) {
    Path first = Arguments.path("file", file).toAbsolutePath();
    BlockCodecs codecs = Extensions.of(Arguments.notNull("options", options)).codecs();
    return new SstFileWriter(new SortedFiles(fileSystem, first, options, codecs));
  }

  /**
   * Appends an entry.
   *
   * @param key 0 to 65536 bytes, larger than all before, and not before the first key of a range
   * @param value 0 to 536870912 bytes
   * @throws IllegalArgumentException when the key is not larger than the one before, or key or
   *     value are too long; nothing is changed then
   * @throws io.sifr.error.StoreIoException when the platform fails; the writer can only be closed
   *     then
   */
  @CanIgnoreReturnValue
  public SstFileWriter put(byte[] key, byte[] value) {
    files.put(Arguments.notNull("key", key), Arguments.notNull("value", value));
    return this;
  }

  /**
   * Appends that a key has no value, whatever a database says of it before the ingest.
   *
   * @param key as for {@link #put}
   */
  @CanIgnoreReturnValue
  public SstFileWriter delete(byte[] key) {
    files.delete(Arguments.notNull("key", key));
    return this;
  }

  /**
   * Appends that no key of a range has a value, whatever a database says of them before the ingest:
   * as {@link Database#deleteRange} does, it takes a few bytes, whatever the range holds there. The
   * entries of this writer are newer than all ranges that it deletes: to replace what a range
   * holds, delete it, and put its new entries. If the range can hold no key, nothing is appended.
   *
   * @param range begins after all keys that were appended before, and not before the ranges; a
   *     bound may have up to 65536 bytes
   * @throws IllegalArgumentException when it begins before that, or a bound is too long; nothing is
   *     changed then
   * @throws io.sifr.error.StoreIoException as for {@link #put}
   */
  @CanIgnoreReturnValue
  public SstFileWriter deleteRange(KeyRange range) {
    byte[] from = Arguments.notNull("range", range).from();
    files.deleteRange(from == null ? Bytes.EMPTY : from, range.to());
    return this;
  }

  /** Entries so far, those of deleted keys included, but no ranges. */
  public long entries() {
    return files.entries();
  }

  /**
   * Ends the last file, and makes all files and their names durable. Nothing can be added
   * afterwards.
   *
   * @throws IllegalStateException when there is neither an entry nor a range, or the writer was
   *     finished or closed
   */
  public Result finish() {
    SortedFiles.Written written = files.finish();
    return new Result(
        written.files(), written.entries(), written.first(), written.last(), written.bytes());
  }

  /** Deletes the files, unless they were finished. */
  @Override
  public void close() {
    files.close();
  }

  /**
   * The result of a writer.
   *
   * @param files the files, in ascending order of their keys
   * @param entries entries, those of deleted keys included
   * @param firstKey the smallest key of entries and ranges
   * @param lastKey the largest one; where a range ends with a key that it does not contain, perhaps
   *     that
   * @param bytes of all files
   */
  @SuppressWarnings("ArrayRecordComponent") // never compared as a record
  public record Result(
      List<Path> files, long entries, byte[] firstKey, byte[] lastKey, long bytes) {}
}
