package io.sifr.ycsb;

import io.sifr.Cursor;
import io.sifr.Database;
import io.sifr.KeyRange;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;
import java.util.Vector;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import site.ycsb.ByteIterator;
import site.ycsb.DB;
import site.ycsb.DBException;
import site.ycsb.Status;

/**
 * One client thread of YCSB on the store that all client threads of the process share. A table is a
 * named database, created when it is first used; a record is one value, see {@link RecordCodec}.
 *
 * <p>The properties {@code sifr.*} set the directory and the options of the store, see {@link
 * StoreProperties}.
 *
 * <p>Inserts, updates and deletes of one record are atomic with respect to each other: an update of
 * some fields reads the record and writes it again while holding a lock of its key. Reads and scans
 * take no lock. A call that fails logs the cause and returns {@link Status#ERROR}; nothing is
 * thrown. As YCSB requires, each object is used by one thread.
 */
public final class SifrClient extends DB {
  private static final Logger LOG = LoggerFactory.getLogger(SifrClient.class);

  private static final int LOGGED_KEY_CHARACTERS = 64;

  /** A run of a million calls on a full disk must not log a million stack traces. */
  private static final AtomicBoolean STACK_TRACE_LOGGED = new AtomicBoolean();

  private final RecordCodec codec = new RecordCodec();
  private @Nullable SharedStore store;

  /** A client that {@link #init} connects to the store. */
  public SifrClient() {}

  /**
   * Opens the store, or shares the one that other clients have opened.
   *
   * @throws DBException when a property is wrong, the store cannot be opened, or other clients of
   *     the process use a store with other properties; the message says which
   */
  @Override
  public void init() throws DBException {
    if (store != null) {
      throw new DBException("this client is initialised already");
    }
    try {
      store = SharedStore.acquire(StoreProperties.of(getProperties()));
    } catch (RuntimeException e) {
      throw new DBException(e.getMessage(), e);
    }
  }

  /**
   * Releases the store; the last client closes it. Does nothing when {@link #init} did not succeed.
   *
   * @throws DBException when closing it failed
   */
  @Override
  public void cleanup() throws DBException {
    SharedStore left = store;
    store = null;
    if (left == null) {
      return;
    }
    try {
      left.release();
    } catch (RuntimeException e) {
      throw new DBException("closing the store failed: " + e.getMessage(), e);
    }
  }

  @Override
  public Status read(
      String table, String key, @Nullable Set<String> fields, Map<String, ByteIterator> result) {
    return answer(
        "read",
        table,
        key,
        shared -> {
          byte[] record = shared.table(table).get(bytes(key));
          if (record == null) {
            return Status.NOT_FOUND;
          }
          codec.decode(record, fields, result);
          return Status.OK;
        });
  }

  @Override
  @SuppressWarnings("NonApiType") // the signature is YCSB's
  public Status scan(
      String table,
      String startkey,
      int recordcount,
      @Nullable Set<String> fields,
      Vector<HashMap<String, ByteIterator>> result) {
    return answer(
        "scan",
        table,
        startkey,
        shared -> {
          KeyRange range = KeyRange.atLeast(bytes(startkey));
          try (Cursor cursor = shared.table(table).cursor(range)) {
            for (int left = recordcount; left > 0 && cursor.next(); left--) {
              HashMap<String, ByteIterator> record = new HashMap<>();
              codec.decode(cursor.value(), fields, record);
              result.add(record);
            }
          }
          return Status.OK;
        });
  }

  @Override
  public Status insert(String table, String key, Map<String, ByteIterator> values) {
    return answer(
        "insert",
        table,
        key,
        shared -> {
          byte[] record = codec.encode(values);
          synchronized (shared.lockOf(table, key)) {
            shared.table(table).put(bytes(key), record);
          }
          return Status.OK;
        });
  }

  @Override
  public Status update(String table, String key, Map<String, ByteIterator> values) {
    return answer(
        "update",
        table,
        key,
        shared -> {
          Database database = shared.table(table);
          byte[] keyBytes = bytes(key);
          synchronized (shared.lockOf(table, key)) {
            byte[] before = database.get(keyBytes);
            if (before == null) {
              return Status.NOT_FOUND;
            }
            Map<String, ByteIterator> record = new LinkedHashMap<>();
            codec.decode(before, null, record);
            record.putAll(values);
            database.put(keyBytes, codec.encode(record));
          }
          return Status.OK;
        });
  }

  /** Removes a record; as in the store, a missing record is no error. */
  @Override
  public Status delete(String table, String key) {
    return answer(
        "delete",
        table,
        key,
        shared -> {
          synchronized (shared.lockOf(table, key)) {
            shared.table(table).delete(bytes(key));
          }
          return Status.OK;
        });
  }

  private Status answer(String verb, String table, String key, Operation operation) {
    SharedStore shared = store;
    try {
      if (shared == null) {
        throw new IllegalStateException("the client is not initialised");
      }
      return operation.on(shared);
    } catch (RuntimeException e) {
      String shown = key.substring(0, Math.min(key.length(), LOGGED_KEY_CHARACTERS));
      if (STACK_TRACE_LOGGED.compareAndSet(false, true)) {
        LOG.error("cannot {} {} of table {}", verb, shown, table, e);
      } else {
        LOG.error("cannot {} {} of table {}: {}", verb, shown, table, e.toString());
      }
      return Status.ERROR;
    }
  }

  private static byte[] bytes(String key) {
    return key.getBytes(StandardCharsets.UTF_8);
  }

  private interface Operation {
    Status on(SharedStore shared);
  }
}
