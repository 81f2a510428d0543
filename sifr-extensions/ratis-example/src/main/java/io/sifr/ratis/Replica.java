package io.sifr.ratis;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.sifr.Cursor;
import io.sifr.Database;
import io.sifr.KeyRange;
import io.sifr.Store;
import io.sifr.WriteBatch;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.apache.ratis.server.protocol.TermIndex;
import org.apache.ratis.thirdparty.com.google.protobuf.ByteString;

/**
 * The store of one server, and how far of Raft's log it has got. Both are written in one batch, so
 * they never differ, whenever the process is killed. One thread changes it; any number may read.
 */
final class Replica implements AutoCloseable {
  /** The most entries that a scan returns. */
  static final int LONGEST_SCAN = 1_000;

  private static final String BOOKKEEPING = "raft";
  private static final byte[] APPLIED = "applied".getBytes(UTF_8);

  private final Store store;
  private final Database data;
  private final Database bookkeeping;
  private volatile TermIndex applied;

  private Replica(Store store) {
    this.store = store;
    this.data = store.database();
    this.bookkeeping = store.openOrCreateDatabase(BOOKKEEPING);
    byte[] last = bookkeeping.get(APPLIED);
    this.applied = last == null ? TermIndex.INITIAL_VALUE : termIndex(last);
  }

  /** Opens the store in a directory; makes one if there is none. */
  static Replica open(Path directory) {
    Store store = Store.open(directory);
    try {
      return new Replica(store);
    } catch (RuntimeException e) {
      store.close();
      throw e;
    }
  }

  /** The last entry of the log that the store contains. */
  TermIndex applied() {
    return applied;
  }

  /**
   * Carries out an entry of the log, unless the store contains it. The write does not wait for the
   * disk: after a power loss the store may be older, with its index, and Raft's log has the rest.
   */
  void apply(TermIndex entry, Command command) {
    byte[] key = command.key().toByteArray();
    WriteBatch batch = new WriteBatch();
    switch (command.kind()) {
      case PUT -> batch.put(data, key, command.value().toByteArray());
      case DELETE -> batch.delete(data, key);
      default -> throw new IllegalArgumentException(command.kind() + " is no change");
    }
    write(entry, batch);
  }

  /** As {@link #apply}, of an entry that is only Raft's own. */
  void pass(TermIndex entry) {
    write(entry, new WriteBatch());
  }

  private void write(TermIndex entry, WriteBatch batch) {
    if (entry.getIndex() <= applied.getIndex()) {
      return;
    }
    store.write(batch.put(bookkeeping, APPLIED, bytes(entry)));
    applied = entry;
  }

  /** Key and value, if the key has one. */
  List<ByteString> get(ByteString key) {
    byte[] value = data.get(key.toByteArray());
    return value == null ? List.of() : List.of(key, ByteString.copyFrom(value));
  }

  /** Keys and values, by turns, of the first {@link #LONGEST_SCAN} keys with a prefix. */
  List<ByteString> scan(ByteString prefix) {
    List<ByteString> entries = new ArrayList<>();
    try (Cursor cursor = data.cursor(KeyRange.prefix(prefix.toByteArray()))) {
      while (cursor.next() && entries.size() < 2 * LONGEST_SCAN) {
        entries.add(ByteString.copyFrom(cursor.key()));
        entries.add(ByteString.copyFrom(cursor.value()));
      }
    }
    return entries;
  }

  /** Makes a durable copy, which shares the large files with the store. */
  void checkpoint(Path directory) {
    store.checkpoint(directory);
  }

  @Override
  public void close() {
    store.close();
  }

  private static byte[] bytes(TermIndex entry) {
    return ByteBuffer.allocate(2 * Long.BYTES)
        .putLong(entry.getTerm())
        .putLong(entry.getIndex())
        .array();
  }

  private static TermIndex termIndex(byte[] bytes) {
    ByteBuffer both = ByteBuffer.wrap(bytes);
    return TermIndex.valueOf(both.getLong(), both.getLong());
  }
}
