package io.sifr.kafka.streams;

import io.sifr.Database;
import io.sifr.error.SifrException;
import java.util.Collection;
import java.util.Map;
import java.util.Objects;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.common.IsolationLevel;
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
 * The common part of all state stores: opening, closing, committing, restoring and answering
 * queries. Its task calls all methods that change it; any thread may read.
 */
abstract class SifrStateStore implements StateStore {
  /** In the names of metrics, as {@code rocksdb} for Kafka's own stores. */
  static final String METRICS_SCOPE = "sifr";

  private static final Logger LOG = LoggerFactory.getLogger(SifrStateStore.class);

  private final String name;
  private final String form;

  /** The store that this is a view of, null if it is the store itself. */
  private final @Nullable SifrStateStore viewed;

  private volatile @Nullable Opened opened;

  /**
   * A store that is not open yet.
   *
   * @param form what its values are
   */
  SifrStateStore(String name, String form) {
    this.name = name;
    this.form = form;
    this.viewed = null;
  }

  /**
   * A view of what is committed to a store, for reading, until it is closed.
   *
   * @throws InvalidStateStoreException when the store is not open
   */
  SifrStateStore(SifrStateStore viewed) {
    this.name = viewed.name;
    this.form = viewed.form;
    this.viewed = viewed;
    this.opened = viewed.open();
  }

  private record Opened(StateStoreContext context, LocalState state, StoreMetrics metrics) {}

  /** Called when the store was opened, before anything else. */
  abstract void opened(LocalState state, StateStoreContext context, @Nullable StateStore root);

  /** Called after each commit. */
  void committed() {}

  /** A view of what is committed, of the same kind. */
  abstract SifrStateStore committedView();

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
      opened(state, context, root);
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
          records -> doing("restoring", () -> state.restoring(() -> restore(records)));
      context.register(root, callback, () -> doing("committing", state::commitPosition));
    }
  }

  @Override
  public final boolean persistent() {
    return true;
  }

  @Override
  public final boolean isOpen() {
    Opened known = opened;
    return known != null && (viewed == null || known.equals(viewed.opened));
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
      doing(
          "committing",
          () -> {
            requireStore();
            known.state().commit(changelogOffsets);
            committed();
          });
    }
  }

  /**
   * About the bytes that the next commit writes: Kafka Streams since 4.4 queries them, and commits
   * early when they are many.
   */
  public final long approximateNumUncommittedBytes() {
    Opened known = opened;
    return known == null ? 0 : known.state().heldBackBytes();
  }

  /** Whether readers of an isolation level see what this store shows. */
  final boolean isVisible(IsolationLevel isolationLevel) {
    return Objects.requireNonNull(isolationLevel, "isolationLevel cannot be null")
            == IsolationLevel.READ_UNCOMMITTED
        || !open().state().isTransactional();
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
    boolean isCommittedOnly = open().state().isTransactional() && Isolation.isCommitted(config);
    SifrStateStore source = isCommittedOnly ? committedView() : this;
    return source
        .queries()
        .answer(
            query, bound, config, this, source.view().position(), context().taskId().partition());
  }

  @Override
  public final void close() {
    Opened known = opened;
    if (known == null || viewed != null) {
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
    if (known == null || !isOpen()) {
      throw new InvalidStateStoreException("Store " + name + " is currently closed");
    }
    return known;
  }

  private void requireStore() {
    if (viewed != null) {
      throw new UnsupportedOperationException(
          "This shows what is committed to the store " + name + "; it takes no writes");
    }
  }

  /** What is read of it. */
  final View view() {
    LocalState state = open().state();
    return viewed == null ? state.everything() : state.committed();
  }

  /** The largest time that the store has seen, also before a restart. */
  final StreamTime streamTime() {
    return open().state().streamTime();
  }

  /** Puts a value, or deletes the key if there is none, as Kafka Streams says it. */
  final void put(Database database, byte[] key, byte @Nullable [] value) {
    requireStore();
    open().state().put(database, key, value);
  }

  /** Writes together what the caller adds. */
  final void write(Consumer<Writes> adding) {
    requireStore();
    open().state().write(adding);
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

  /** What a read returns; null if it cannot because the database was dropped meanwhile. */
  final <T> @Nullable T unlessDropped(Supplier<@Nullable T> read) {
    try {
      return read.get();
    } catch (IllegalStateException e) {
      if (isOpen()) {
        return null;
      }
      throw new InvalidStateStoreException("The state store is closed", e);
    }
  }
}
