package io.sifr.ratis;

import io.sifr.error.SifrException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.locks.Lock;
import java.util.concurrent.locks.ReadWriteLock;
import java.util.concurrent.locks.ReentrantReadWriteLock;
import org.apache.ratis.proto.RaftProtos.LogEntryProto;
import org.apache.ratis.protocol.Message;
import org.apache.ratis.protocol.RaftClientRequest;
import org.apache.ratis.protocol.RaftGroupId;
import org.apache.ratis.server.RaftServer;
import org.apache.ratis.server.protocol.TermIndex;
import org.apache.ratis.server.raftlog.RaftLog;
import org.apache.ratis.server.storage.RaftStorage;
import org.apache.ratis.statemachine.StateMachineStorage;
import org.apache.ratis.statemachine.TransactionContext;
import org.apache.ratis.statemachine.impl.BaseStateMachine;
import org.apache.ratis.thirdparty.com.google.protobuf.ByteString;
import org.apache.ratis.util.FileUtils;
import org.apache.ratis.util.LifeCycle;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A state machine whose state is a Sifr store: each committed entry of Raft's log is a batch, and a
 * snapshot is a checkpoint. The store is in the directory {@code store} of the group.
 *
 * <p>A store that was not closed is as good as one that was: it says itself which entry it contains
 * last. When a server starts, Ratis hands out the entries after the newest snapshot again; those
 * that the store contains change nothing.
 *
 * <p>An entry that cannot be applied, for lack of space for instance, stops the server: if it went
 * on with the next one, its store would differ from the others. Ratis changes it by one thread;
 * queries may come from any.
 */
public final class SifrStateMachine extends BaseStateMachine {
  private static final Logger log = LoggerFactory.getLogger(SifrStateMachine.class);

  private final Snapshots snapshots = new Snapshots();

  /** Queries share it; whoever exchanges the store has it alone. */
  private final ReadWriteLock lock = new ReentrantReadWriteLock();

  private @Nullable Path directory;
  private @Nullable Replica replica;

  /** A state machine for one server; Ratis initializes it. */
  public SifrStateMachine() {}

  /**
   * Opens the store, or makes it of the newest snapshot if that is newer.
   *
   * @throws IOException when the snapshot is damaged, contains another entry last than it is named
   *     by, or cannot be copied; the store that there was is as it was
   * @throws SifrException when the store cannot be opened
   */
  @Override
  public void initialize(RaftServer server, RaftGroupId group, RaftStorage storage)
      throws IOException {
    getLifeCycle()
        .startAndTransition(
            () -> {
              super.initialize(server, group, storage);
              snapshots.init(storage);
              directory = storage.getStorageDir().getRoot().toPath().resolve("store");
              load();
            });
  }

  /** Ratis is about to publish a snapshot that the leader has sent, and to reinitialize. */
  @Override
  public void pause() {
    getLifeCycle().transition(LifeCycle.State.PAUSING);
    getLifeCycle().transition(LifeCycle.State.PAUSED);
  }

  /** Makes the store of the snapshot that the leader has sent, as {@link #initialize} does. */
  @Override
  public void reinitialize() throws IOException {
    load();
    getLifeCycle().transition(LifeCycle.State.STARTING);
    getLifeCycle().transition(LifeCycle.State.RUNNING);
  }

  private void load() throws IOException {
    lock.writeLock().lock();
    try {
      closeReplica();
      Path place = Objects.requireNonNull(directory);
      Replica opened = Replica.open(place);
      replica = opened;
      TermIndex last = snapshots.last();
      if (last.getIndex() > opened.applied().getIndex()) {
        opened.close();
        replica = replaceBySnapshot(place, last);
        log.info("{} is made of the snapshot {}", place, last);
      } else if (last.getIndex() < 0 && opened.applied().getIndex() >= 0) {
        // No snapshot yet; or it was lost when the server was killed while Ratis exchanged the
        // directory of them. Ratis would look for all entries then, which the log may not have.
        snapshots.take(opened);
        last = opened.applied();
      }
      // Ratis goes on from here, even if the store is further.
      setLastAppliedTermIndex(last);
    } finally {
      lock.writeLock().unlock();
    }
  }

  /** The old store goes only when the new one is complete, and is missing if that is cut off. */
  private Replica replaceBySnapshot(Path place, TermIndex last) throws IOException {
    Path copy = place.resolveSibling("store.tmp");
    snapshots.copyNewest(copy);
    try (Replica loaded = Replica.open(copy)) {
      if (!loaded.applied().equals(last)) {
        throw new IOException("snapshot " + last + " contains the log up to " + loaded.applied());
      }
    } catch (SifrException e) {
      throw new IOException("no store can be made of the snapshot " + last, e);
    }
    FileUtils.deleteFully(place.toFile());
    Files.move(copy, place, StandardCopyOption.ATOMIC_MOVE);
    return Replica.open(place);
  }

  /** Refuses what no server could apply, before it is in the log. */
  @Override
  public TransactionContext startTransaction(RaftClientRequest request) throws IOException {
    TransactionContext transaction = super.startTransaction(request);
    try {
      Command command = Command.of(request.getMessage().getContent());
      if (!command.kind().isChange()) {
        transaction.setException(new IllegalArgumentException(command.kind() + " is no change"));
      }
    } catch (IllegalArgumentException e) {
      transaction.setException(e);
    }
    return transaction;
  }

  /**
   * Applies an entry of the log, unless the store contains it.
   *
   * @throws SifrException when the store does not take it; Ratis stops the server then
   */
  @Override
  public CompletableFuture<Message> applyTransaction(TransactionContext transaction) {
    LogEntryProto entry = Objects.requireNonNull(transaction.getLogEntry());
    TermIndex at = TermIndex.valueOf(entry);
    replica().apply(at, Command.of(entry.getStateMachineLogEntry().getLogData()));
    updateLastAppliedTermIndex(at);
    return CompletableFuture.completedFuture(Message.EMPTY);
  }

  /** Notes an entry that is Raft's own: of its configuration, or of what is committed. */
  @Override
  public void notifyTermIndexUpdated(long term, long index) {
    TermIndex at = TermIndex.valueOf(term, index);
    replica().pass(at);
    updateLastAppliedTermIndex(at);
  }

  /** Answers a get or a scan with what this server's store has now. Safe for any thread. */
  @Override
  public CompletableFuture<Message> query(Message request) {
    Lock reading = lock.readLock();
    reading.lock();
    try {
      Command command = Command.of(request.getContent());
      List<ByteString> found =
          switch (command.kind()) {
            case GET -> replica().get(command.key());
            case SCAN -> replica().scan(command.key());
            default -> throw new IllegalArgumentException(command.kind() + " is no query");
          };
      return CompletableFuture.completedFuture(Parts.message(found));
    } catch (RuntimeException e) {
      return CompletableFuture.failedFuture(e);
    } finally {
      reading.unlock();
    }
  }

  /**
   * Makes a checkpoint of the store; it is durable when the call returns.
   *
   * @return the index of the last entry that it contains; {@link RaftLog#INVALID_LOG_INDEX} when
   *     there is nothing new, and as long as the store is ahead of what Ratis hands out again
   */
  @Override
  public long takeSnapshot() throws IOException {
    TermIndex applied = replica().applied();
    if (applied.getIndex() < 0 || getLastAppliedTermIndex().getIndex() < applied.getIndex()) {
      return RaftLog.INVALID_LOG_INDEX;
    }
    try {
      snapshots.take(replica());
    } catch (SifrException e) {
      // Not made this time: no reason to stop.
      throw new IOException("no snapshot of " + applied, e);
    }
    return applied.getIndex();
  }

  @Override
  public StateMachineStorage getStateMachineStorage() {
    return snapshots;
  }

  @Override
  public void close() {
    getLifeCycle()
        .checkStateAndClose(
            () -> {
              lock.writeLock().lock();
              try {
                closeReplica();
              } finally {
                lock.writeLock().unlock();
              }
            });
  }

  private void closeReplica() {
    if (replica != null) {
      replica.close();
      replica = null;
    }
  }

  private Replica replica() {
    if (replica == null) {
      throw new IllegalStateException("the store is not open");
    }
    return replica;
  }
}
