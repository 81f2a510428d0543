package io.sifr.kafka.streams;

import io.sifr.Database;
import io.sifr.Store;
import io.sifr.WriteBatch;
import io.sifr.error.SifrException;
import java.util.Collection;
import java.util.Map;
import java.util.function.Supplier;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.streams.errors.InvalidStateStoreException;
import org.apache.kafka.streams.errors.ProcessorStateException;
import org.apache.kafka.streams.processor.StateStore;
import org.apache.kafka.streams.processor.StateStoreContext;
import org.apache.kafka.streams.processor.internals.RecordBatchingStateRestoreCallback;
import org.apache.kafka.streams.query.Position;
import org.apache.kafka.streams.query.PositionBound;
import org.apache.kafka.streams.query.Query;
import org.apache.kafka.streams.query.QueryConfig;
import org.apache.kafka.streams.query.QueryResult;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * What all state stores have in common: opening, closing, committing, restoring and answering
 * queries. Its task calls all methods that change it; any thread may read.
 */
abstract class SifrStateStore implements StateStore {
  /** In the names of metrics, as {@code rocksdb} for Kafka's own stores. */
  static final String METRICS_SCOPE = "sifr";

  private static final Logger LOG = LoggerFactory.getLogger(SifrStateStore.class);

  private final String name;
  private final String form;
  private volatile @Nullable Opened opened;

  /**
   * A store that is not open yet.
   *
   * @param form what its values are
   */
  SifrStateStore(String name, String form) {
    this.name = name;
    this.form = form;
  }

  private record Opened(StateStoreContext context, LocalState state, StoreMetrics metrics) {}

  /** Called when the store was opened, before anything else. */
  abstract void opened(Store store, StateStoreContext context);

  /** Puts what records of the changelog say. */
  abstract void restore(Collection<ConsumerRecord<byte[], byte[]>> records);

  /** The kinds of queries that it answers. */
  abstract Queries queries();

  @Override
  public final String name() {
    return name;
  }

  @Override
  public final void init(StateStoreContext context, @Nullable StateStore root) {
    if (opened != null) {
      throw new IllegalStateException("The state store " + name + " is open already");
    }
    LocalState state = LocalState.open(name, form, context);
    try {
      opened(state.store(), context);
      opened =
          new Opened(
              context, state, StoreMetrics.register(name, METRICS_SCOPE, state.store(), context));
    } catch (RuntimeException | Error e) {
      close(state);
      throw e;
    }
    if (root != null) {
      // Batches, and with time stamps, which the public callback does not pass.
      RecordBatchingStateRestoreCallback callback =
          records -> doing("restoring", () -> restore(records));
      context.register(root, callback, () -> doing("committing", state::commitPosition));
    }
  }

  @Override
  public final boolean persistent() {
    return true;
  }

  @Override
  public final boolean isOpen() {
    return opened != null;
  }

  /** Deprecated only because all stores are to answer the same, some day. */
  @Override
  @SuppressWarnings("deprecation")
  public final boolean managesOffsets() {
    return true;
  }

  @Override
  public final void commit(Map<TopicPartition, Long> changelogOffsets) {
    Opened known = opened;
    if (known != null) {
      doing("committing", () -> known.state().commit(changelogOffsets));
    }
  }

  @Override
  public final @Nullable Long committedOffset(TopicPartition partition) {
    return get("reading the offset of", () -> open().state().committedOffset(partition));
  }

  @Override
  public final Position getPosition() {
    return open().state().position();
  }

  @Override
  public final <R> QueryResult<R> query(Query<R> query, PositionBound bound, QueryConfig config) {
    Opened known = open();
    return queries()
        .answer(
            query,
            bound,
            config,
            this,
            known.state().position(),
            known.context().taskId().partition());
  }

  @Override
  public final void close() {
    Opened known = opened;
    if (known == null) {
      return;
    }
    opened = null;
    known.metrics().close();
    close(known.state());
  }

  private void close(LocalState state) {
    try {
      state.close();
    } catch (SifrException e) {
      // It was not closed properly, and that is what its state says at the next opening.
      LOG.error("The state store {} could not be closed", name, e);
    }
  }

  /** The context of an open store. */
  final StateStoreContext context() {
    return open().context();
  }

  final void requireOpen() {
    open();
  }

  private Opened open() {
    Opened known = opened;
    if (known == null) {
      throw new InvalidStateStoreException("Store " + name + " is currently closed");
    }
    return known;
  }

  /** The largest time that the store has seen, also before a restart. */
  final StreamTime streamTime() {
    return open().state().streamTime();
  }

  /** Puts a value, or deletes the key if there is none, as Kafka Streams says it. */
  static void put(Database database, byte[] key, byte @Nullable [] value) {
    if (value == null) {
      database.delete(key);
    } else {
      database.put(key, value);
    }
  }

  /** The same in a batch. */
  static void add(WriteBatch batch, Database database, byte[] key, byte @Nullable [] value) {
    if (value == null) {
      batch.delete(database, key);
    } else {
      batch.put(database, key, value);
    }
  }

  final void write(WriteBatch batch) {
    open().state().store().write(batch);
  }

  /** Takes into the position the record that the task works on. */
  final void reached() {
    Opened known = open();
    known
        .context()
        .recordMetadata()
        .ifPresent(
            record -> {
              if (record.topic() != null) {
                known
                    .state()
                    .position()
                    .withComponent(record.topic(), record.partition(), record.offset());
              }
            });
  }

  /** Runs what may fail with an exception of the store, and says what it was. */
  final void doing(String what, Runnable work) {
    this.<@Nullable Void>get(
        what,
        () -> {
          work.run();
          return null;
        });
  }

  /** What a call returns that may fail with an exception of the store. */
  final <T extends @Nullable Object> T get(String what, Supplier<T> work) {
    try {
      return work.get();
    } catch (SifrException e) {
      throw new ProcessorStateException("Error while " + what + " store " + name, e);
    } catch (IllegalStateException e) {
      if (isOpen()) {
        throw e;
      }
      throw new InvalidStateStoreException("Store " + name + " is currently closed", e);
    }
  }
}
