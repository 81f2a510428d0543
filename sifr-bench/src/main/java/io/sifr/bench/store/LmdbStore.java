package io.sifr.bench.store;

import static java.nio.ByteBuffer.allocateDirect;

import io.sifr.config.Durability;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.Deque;
import java.util.concurrent.ConcurrentLinkedDeque;
import org.jspecify.annotations.Nullable;
import org.lmdbjava.ByteBufferProxy;
import org.lmdbjava.Cursor;
import org.lmdbjava.Dbi;
import org.lmdbjava.Env;
import org.lmdbjava.EnvFlags;
import org.lmdbjava.GetOp;
import org.lmdbjava.SeekOp;
import org.lmdbjava.Txn;

/**
 * LMDB: a copy-on-write B+tree in one mapping; each write is a transaction of its own. Keys have 1
 * to 511 bytes. It has no log that could be switched off: its alternative, writing into the
 * mapping, also survives a killed process, and makes the file as large as the mapping.
 */
final class LmdbStore implements BenchStore {
  private static final long GIB = 1L << 30;
  // A tree filled in random order has pages of two thirds; freed pages wait for their last reader.
  private static final int ROOM = 4;
  private static final int MAX_READERS = 1024;

  private final Env<ByteBuffer> env;
  private final Dbi<ByteBuffer> entries;
  // Objects that no call uses now; as many as there ever were concurrent calls.
  private final Deque<Workplace> idle = new ConcurrentLinkedDeque<>();

  private LmdbStore(Env<ByteBuffer> env) {
    this.env = env;
    this.entries = env.openDbi((String) null);
  }

  static BenchStore open(Path directory, Terms terms, long expectedBytes) {
    Env.Builder<ByteBuffer> builder =
        Env.create(ByteBufferProxy.PROXY_OPTIMAL)
            .setMaxReaders(MAX_READERS)
            .setMapSize(Math.addExact(Math.multiplyExact(expectedBytes, ROOM), GIB));
    return new LmdbStore(
        terms.durability() == Durability.SYNC
            ? builder.open(directory.toFile(), EnvFlags.MDB_NOTLS)
            : builder.open(directory.toFile(), EnvFlags.MDB_NOTLS, EnvFlags.MDB_NOSYNC));
  }

  /**
   * The reusable objects of a call: a read transaction, which is cheaper to renew than to begin,
   * and native memory for LMDB. Belongs to one call at a time, on any thread.
   */
  private final class Workplace implements AutoCloseable {
    private final Txn<ByteBuffer> reader;
    private ByteBuffer key = allocateDirect(64);
    private ByteBuffer value = allocateDirect(256);

    Workplace() {
      reader = env.txnRead();
      reader.reset();
    }

    ByteBuffer key(byte[] bytes) {
      key = filled(key, bytes);
      return key;
    }

    ByteBuffer value(byte[] bytes) {
      value = filled(value, bytes);
      return value;
    }

    private static ByteBuffer filled(ByteBuffer buffer, byte[] bytes) {
      ByteBuffer roomy = buffer.capacity() < bytes.length ? allocateDirect(bytes.length) : buffer;
      return roomy.clear().put(bytes).flip();
    }

    /** Returns it for reuse. */
    @Override
    public void close() {
      idle.push(this);
    }
  }

  private Workplace workplace() {
    Workplace workplace = idle.poll();
    return workplace == null ? new Workplace() : workplace;
  }

  @Override
  public void put(byte[] key, byte[] value) {
    try (Workplace workplace = workplace();
        Txn<ByteBuffer> writer = env.txnWrite()) {
      entries.put(writer, workplace.key(key), workplace.value(value));
      writer.commit();
    }
  }

  @Override
  public void delete(byte[] key) {
    try (Workplace workplace = workplace();
        Txn<ByteBuffer> writer = env.txnWrite()) {
      entries.delete(writer, workplace.key(key));
      writer.commit();
    }
  }

  @Override
  public byte @Nullable [] get(byte[] key) {
    try (Workplace workplace = workplace()) {
      workplace.reader.renew();
      try {
        ByteBuffer found = entries.get(workplace.reader, workplace.key(key));
        return found == null ? null : copy(found);
      } finally {
        workplace.reader.reset();
      }
    }
  }

  @Override
  public int scan(byte[] from, int limit, EntryVisitor visitor) {
    try (Workplace workplace = workplace()) {
      workplace.reader.renew();
      try (Cursor<ByteBuffer> cursor = entries.openCursor(workplace.reader)) {
        int visited = 0;
        boolean found = limit > 0 && cursor.get(workplace.key(from), GetOp.MDB_SET_RANGE);
        while (found) {
          visitor.visit(copy(cursor.key()), copy(cursor.val()));
          visited++;
          found = visited < limit && cursor.seek(SeekOp.MDB_NEXT);
        }
        return visited;
      } finally {
        workplace.reader.reset();
      }
    }
  }

  private static byte[] copy(ByteBuffer buffer) {
    byte[] bytes = new byte[buffer.remaining()];
    buffer.get(bytes);
    return bytes;
  }

  /** Nothing to do: there are no buffered writes and no background work. */
  @Override
  public void drain() {}

  @Override
  public StoreFigures figures() {
    return StoreFigures.ONE_TREE;
  }

  @Override
  public void close() {
    idle.forEach(workplace -> workplace.reader.close());
    env.close();
  }
}
