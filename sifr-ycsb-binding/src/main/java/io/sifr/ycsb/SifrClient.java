package io.sifr.ycsb;

import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;
import java.util.Vector;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import site.ycsb.ByteArrayByteIterator;
import site.ycsb.ByteIterator;
import site.ycsb.DB;
import site.ycsb.DBException;
import site.ycsb.Status;

/**
 * One client thread of YCSB on the records that all client threads of the process share: those of a
 * store of this process, or of an Infinispan cluster. A record is one value, see {@link
 * RecordCodec}.
 *
 * <p>The properties {@code sifr.*} say which, see {@link Target}.
 *
 * <p>Inserts, updates and deletes of one record are atomic with respect to each other: an update of
 * some fields reads the record and writes it again, unless it has changed meanwhile. A call that
 * fails logs the cause and returns {@link Status#ERROR}; nothing is thrown. As YCSB requires, each
 * object is used by one thread.
 */
public final class SifrClient extends DB {
  private static final Logger LOG = LoggerFactory.getLogger(SifrClient.class);

  private static final int LOGGED_KEY_CHARACTERS = 64;

  /** A run of a million calls on a full disk must not log a million stack traces. */
  private static final AtomicBoolean STACK_TRACE_LOGGED = new AtomicBoolean();

  private final RecordCodec codec = new RecordCodec();
  private @Nullable SharedRecords shared;

  /** A client that {@link #init} connects to the store or the cluster. */
  public SifrClient() {}

  /**
   * Opens the store or connects to the cluster, or shares what other clients have opened.
   *
   * @throws DBException when a property is wrong, the store or the connection cannot be opened, or
   *     other clients of the process use one with other properties; the message says which
   */
  @Override
  public void init() throws DBException {
    if (shared != null) {
      throw new DBException("this client is initialised already");
    }
    try {
      shared = SharedRecords.acquire(Target.of(getProperties()));
    } catch (RuntimeException e) {
      throw new DBException(e.getMessage(), e);
    }
  }

  /**
   * Releases them; the last client closes the store or the connection. Does nothing when {@link
   * #init} did not succeed.
   *
   * @throws DBException when closing it failed
   */
  @Override
  public void cleanup() throws DBException {
    SharedRecords left = shared;
    shared = null;
    if (left == null) {
      return;
    }
    try {
      left.release();
    } catch (RuntimeException e) {
      throw new DBException("closing failed: " + e.getMessage(), e);
    }
  }

  @Override
  public Status read(
      String table, String key, @Nullable Set<String> fields, Map<String, ByteIterator> result) {
    return answer(
        "read",
        table,
        key,
        records -> {
          byte[] record = records.read(table, key);
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
        records -> {
          records.scan(
              table,
              startkey,
              recordcount,
              record -> {
                HashMap<String, ByteIterator> read = new HashMap<>();
                codec.decode(record, fields, read);
                result.add(read);
              });
          return Status.OK;
        });
  }

  @Override
  public Status insert(String table, String key, Map<String, ByteIterator> values) {
    return answer(
        "insert",
        table,
        key,
        records -> {
          records.insert(table, key, codec.encode(values));
          return Status.OK;
        });
  }

  @Override
  public Status update(String table, String key, Map<String, ByteIterator> values) {
    // Once: the values that YCSB gives can be read only once, and a change may be tried again.
    Map<String, byte[]> changed = new LinkedHashMap<>();
    values.forEach((field, value) -> changed.put(field, value.toArray()));
    return answer(
        "update",
        table,
        key,
        records ->
            records.update(table, key, before -> with(before, changed))
                ? Status.OK
                : Status.NOT_FOUND);
  }

  private byte[] with(byte[] before, Map<String, byte[]> changed) {
    Map<String, ByteIterator> record = new LinkedHashMap<>();
    codec.decode(before, null, record);
    changed.forEach((field, value) -> record.put(field, new ByteArrayByteIterator(value)));
    return codec.encode(record);
  }

  /** Removes a record; as in the store, a missing record is no error. */
  @Override
  public Status delete(String table, String key) {
    return answer(
        "delete",
        table,
        key,
        records -> {
          records.delete(table, key);
          return Status.OK;
        });
  }

  private Status answer(String verb, String table, String key, Operation operation) {
    SharedRecords joined = shared;
    try {
      if (joined == null) {
        throw new IllegalStateException("the client is not initialised");
      }
      return operation.on(joined.records());
    } catch (UnsupportedOperationException e) {
      LOG.error("cannot {} in table {}: {}", verb, table, e.getMessage());
      return Status.NOT_IMPLEMENTED;
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

  private interface Operation {
    Status on(Records records);
  }
}
