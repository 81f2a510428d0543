package io.sifr.internal.background;

import io.sifr.event.StoreListener;
import io.sifr.internal.background.WorkParts.TaskEnvironments;
import io.sifr.internal.compaction.merge.FlushTask;
import io.sifr.internal.memtable.Memtable;
import io.sifr.internal.sst.format.SstMeta;
import io.sifr.internal.sst.read.Sst;
import io.sifr.internal.state.DatabaseHandle;
import io.sifr.internal.state.Setup;
import io.sifr.internal.state.StoreState;
import io.sifr.internal.util.Failures;
import io.sifr.internal.value.HeldValueFiles;
import io.sifr.internal.view.WriteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.Executor;
import java.util.stream.Collectors;
import jdk.jfr.Category;
import jdk.jfr.DataAmount;
import jdk.jfr.Event;
import jdk.jfr.Label;
import jdk.jfr.Name;
import jdk.jfr.StackTrace;

/**
 * One flush from beginning to end, of write buffers of one or several databases: the SSTs of each
 * are written and synced, the log is synced where other writes may be older or share batches with
 * these, the edits are made durable as one group, the new views are published, and the log and the
 * memory release what they held of the buffers.
 */
public final class FlushRun {
  private final Setup setup;
  private final StoreState state;
  private final TaskEnvironments tasks;
  private final Commits commits;
  private final BackgroundThreads threads;
  private final ObsoleteFiles obsoleteFiles;

  public FlushRun(WorkParts parts) {
    this.setup = parts.setup();
    this.state = parts.state();
    this.tasks = parts.tasks();
    this.commits = parts.commits();
    this.threads = parts.threads();
    this.obsoleteFiles = parts.obsoleteFiles();
  }

  /** A write buffer to be flushed: the oldest immutable one of its database. */
  record Waiting(DatabaseHandle database, WriteBuffer buffer) {}

  /** The SSTs that were written of a buffer. */
  private record Written(Waiting of, List<Sst> ssts, JfrEvent event, long start) {}

  /**
   * Flushes at most one write buffer of each database; those that were dropped are left out.
   *
   * @throws CancellationException when one was dropped that cannot be left out yet
   */
  void flush(List<Waiting> buffers) {
    setup.fileSystem().reached(BackgroundCrashPoint.FLUSH_BEGUN);
    state.counters().reads.workBegins();
    try {
      flushAll(buffers);
    } finally {
      state.counters().reads.workEnds();
    }
  }

  private void flushAll(List<Waiting> buffers) {
    // First: if that fails, there are no SSTs yet.
    buffers.forEach(waiting -> finishValues(waiting.buffer()));
    // What may be lost with a directory has to be in the log before it is no longer in memory.
    boolean isLogged =
        setup.options().fastIsVolatile() && state.log().isRetained() && state.log().makeDurable();
    List<Written> written = writeAll(buffers, isLogged);
    if (written.isEmpty()) {
      return;
    }
    Set<WriteBuffer> flushed =
        written.stream().map(each -> each.of().buffer()).collect(Collectors.toSet());
    Set<DatabaseHandle> databases =
        written.stream().map(each -> each.of().database()).collect(Collectors.toSet());
    long firstNeeded = state.log().firstNeededWithout(flushed);
    state.log().syncForOthers(databases, flushed);
    commits.commit(
        Commits.Step.FLUSH,
        written.stream().map(this::change).toList(),
        state.log().editsOfRelease(firstNeeded));
    state.log().released().release(firstNeeded);
    state.log().space().measure();
    flushed.forEach(buffer -> buffer.memtable().release());
    flushed.forEach(buffer -> obsoleteFiles.letGo(buffer.valueFiles()));
    written.forEach(each -> each.of().database().wastedReads().flushed(bytes(each.ssts())));
    setup.fileSystem().reached(BackgroundCrashPoint.FLUSH_LOG_RELEASED);
    written.forEach(this::tell);
  }

  /** What SSTs are about to refer to is made durable, and does not change any more. */
  private void finishValues(WriteBuffer buffer) {
    HeldValueFiles values = buffer.valueFiles();
    if (values != null) {
      state.databases().values().finish(values.numbers());
    }
  }

  private List<Written> writeAll(List<Waiting> buffers, boolean isLogged) {
    Executor writers = threads.writers(buffers.size());
    List<CompletableFuture<Written>> begun =
        buffers.stream()
            .map(waiting -> CompletableFuture.supplyAsync(() -> write(waiting, isLogged), writers))
            .toList();
    List<Written> written = new ArrayList<>();
    Failures failures = new Failures();
    for (int i = 0; i < begun.size(); i++) {
      try {
        written.add(begun.get(i).join());
      } catch (CompletionException e) {
        Throwable cause = e.getCause();
        if (!(cause instanceof CancellationException && isLeftOut(buffers.get(i)))) {
          failures.collect(
              () -> {
                throw Failures.unchecked(cause);
              });
        }
      }
    }
    if (!failures.isEmpty()) {
      written.forEach(each -> commits.discard(each.ssts()));
      failures.throwFirst();
    }
    return written;
  }

  /**
   * Whether the others are flushed without it. Its companions are not, before it is certain that no
   * crash restores its database.
   */
  private static boolean isLeftOut(Waiting waiting) {
    return waiting.database().isDropped() && waiting.buffer().companions().isEmpty();
  }

  private Written write(Waiting waiting, boolean isLogged) {
    JfrEvent event = new JfrEvent();
    event.begin();
    long start = System.nanoTime();
    DatabaseHandle database = waiting.database();
    Memtable memtable = waiting.buffer().memtable();
    // Not what follows the last flush: of the log before its own first write, others may be given
    // back meanwhile. A buffer that was read from the log may have begun before that was retained.
    long first = memtable.minSequence();
    SstMeta.Logged logged =
        isLogged && state.log().isRetainedFrom(first)
            ? new SstMeta.Logged(first - 1, memtable.maxSequence())
            : null;
    List<Sst> ssts =
        new FlushTask(
                tasks.ofFlush(database, logged),
                memtable,
                waiting.buffer().deadSpans(),
                state.writes().snapshots().sequences(),
                database.view().get().forest().byPriority())
            .run();
    state.counters().flushBytes.add(writtenBytes(ssts));
    return new Written(waiting, ssts, event, start);
  }

  private Commits.Change change(Written written) {
    DatabaseHandle database = written.of().database();
    WriteBuffer buffer = written.of().buffer();
    return new Commits.Change(
        database,
        state.catalog().editsOfFlush(database.id(), buffer.memtable(), written.ssts()),
        written.ssts(),
        (current, forest) -> current.flushed(buffer, forest));
  }

  /** With the values that the SSTs refer to: a flush has written them itself. */
  private static long writtenBytes(List<Sst> ssts) {
    return bytes(ssts) + ssts.stream().mapToLong(sst -> sst.meta().valueBytes()).sum();
  }

  private static long bytes(List<Sst> ssts) {
    return ssts.stream().mapToLong(sst -> sst.meta().fileBytes()).sum();
  }

  private void tell(Written written) {
    state.counters().flushes.increment();
    JfrEvent event = written.event();
    event.database = written.of().database().toString();
    event.entries = written.ssts().stream().mapToLong(sst -> sst.meta().entries()).sum();
    event.ssts = written.ssts().size();
    event.bytes = writtenBytes(written.ssts());
    event.commit();
    setup
        .listener()
        .flushed(
            new StoreListener.FlushEvent(
                event.database,
                event.entries,
                new StoreListener.Ssts(event.ssts, event.bytes),
                System.nanoTime() - written.start()));
  }

  /** A write buffer was flushed to a tree of stage 1. */
  @Name("io.sifr.Flush")
  @Label("Flush")
  @Category("Sifr")
  @StackTrace(false)
  private static final class JfrEvent extends Event {
    @Label("Database")
    String database = "";

    @Label("Entries")
    long entries;

    @Label("SSTs written")
    int ssts;

    @Label("Bytes written")
    @DataAmount
    long bytes;
  }
}
