package io.sifr;

import static com.google.common.base.Preconditions.checkArgument;

import io.sifr.config.SearchScheme;
import io.sifr.error.SifrException;
import io.sifr.internal.engine.StoreEngine;
import io.sifr.internal.engine.read.ReadPath;
import io.sifr.internal.state.DatabaseHandle;
import io.sifr.internal.util.KeyText;
import io.sifr.internal.view.Snapshots;
import java.io.BufferedInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * The value of a key at one moment, to be read in parts: {@link Database#valueReader}. Whatever is
 * written meanwhile, it is the same value, until this is closed; until then the value and its file
 * stay. Of a value that is stored apart from its key ({@link
 * io.sifr.config.DatabaseOptions.Builder#separateValuesFrom}) only the part is read from disk, in
 * pieces of 16 KiB; of others the block that contains it.
 *
 * <p>Thread-safe. Throws {@link IllegalStateException} when it is closed, the store is closed or
 * the database dropped, and when the value is gone, since it has expired or its database keeps only
 * the newest data (the policy {@code fifo}).
 */
public final class ValueReader implements AutoCloseable {
  private static final int BUFFER_BYTES = 64 << 10;

  private final ReadPath reads;
  private final DatabaseHandle database;
  private final byte[] key;
  private final Snapshots.Handle moment;
  private final boolean isOwnMoment;
  private final @Nullable SearchScheme scheme;
  private final int length;

  private ValueReader(
      ReadPath reads,
      DatabaseHandle database,
      byte[] key,
      Snapshots.Handle moment,
      boolean isOwnMoment,
      @Nullable SearchScheme scheme,
      int length) {
    this.reads = reads;
    this.database = database;
    this.key = key;
    this.moment = moment;
    this.isOwnMoment = isOwnMoment;
    this.scheme = scheme;
    this.length = length;
  }

  /** Opens the value of a key; null when it has none. */
  static @Nullable ValueReader open(
      StoreEngine engine, DatabaseHandle database, byte[] key, ReadOptions options) {
    Snapshots.Handle given = Arguments.notNull("options", options).moment(engine);
    Snapshots.Handle moment = given == null ? engine.acquireSnapshot() : given;
    ReadPath reads = engine.reads();
    byte[] own = key.clone();
    int length = -1;
    try {
      length = reads.length(database, own, moment.sequence(), options.searchScheme());
    } finally {
      if (length < 0 && given == null) {
        moment.close();
      }
    }
    return length < 0
        ? null
        : new ValueReader(
            reads, database, own, moment, given == null, options.searchScheme(), length);
  }

  /** Bytes of the whole value. */
  public int length() {
    return length;
  }

  /**
   * Reads a part of the value.
   *
   * @param from its first byte, counted from 0
   * @param target receives it
   * @param offset where in the target
   * @param count bytes to be read
   * @throws IllegalArgumentException when the part is not within the value, or the target has no
   *     room for it
   * @throws io.sifr.error.CorruptionException when it is damaged
   */
  public void read(int from, byte[] target, int offset, int count) {
    int room = Arguments.notNull("target", target).length;
    checkArgument(
        from >= 0 && count >= 0 && count <= length - from,
        "%s bytes from byte %s on; allowed: within the %s bytes of the value",
        count,
        from,
        length);
    checkArgument(
        offset >= 0 && count <= room - offset,
        "%s bytes at offset %s of an array of %s bytes",
        count,
        offset,
        room);
    ReadPath.Part part = new ReadPath.Part(from, count, target, offset);
    if (reads.part(database, key, moment.sequence(), scheme, part) != length) {
      throw new IllegalStateException(
          "the value of key " + KeyText.of(key) + " is gone: it has expired, or was dropped");
    }
  }

  /**
   * The value from its first byte to its last, read in pieces of 64 KiB. Reading throws {@link
   * IOException} for what {@link #read} throws; closing the stream does not close this.
   */
  public InputStream stream() {
    return new BufferedInputStream(new Stream(), BUFFER_BYTES);
  }

  /** Releases the moment. It can be called more than once. */
  @Override
  public void close() {
    if (isOwnMoment) {
      moment.close();
    }
  }

  /** Not thread-safe. */
  private final class Stream extends InputStream {
    private int next;

    @Override
    public int read() throws IOException {
      byte[] one = new byte[1];
      return read(one, 0, 1) < 0 ? -1 : one[0] & 0xFF;
    }

    @Override
    public int read(byte[] target, int offset, int count) throws IOException {
      Objects.checkFromIndexSize(offset, count, target.length);
      if (count == 0) {
        return 0;
      }
      int read = Math.min(count, length - next);
      if (read == 0) {
        return -1;
      }
      try {
        ValueReader.this.read(next, target, offset, read);
      } catch (SifrException | IllegalStateException e) {
        throw new IOException(e.getMessage(), e);
      }
      next += read;
      return read;
    }

    @Override
    public long skip(long count) {
      int skipped = (int) Math.max(0, Math.min(count, length - next));
      next += skipped;
      return skipped;
    }

    @Override
    public int available() {
      return length - next;
    }
  }
}
