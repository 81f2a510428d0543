package io.sifr.internal.background;

import static org.assertj.core.api.Assertions.assertThat;

import io.sifr.internal.entry.EntryKind;
import io.sifr.internal.entry.Trailer;
import io.sifr.internal.forest.Forest;
import io.sifr.internal.memtable.Memtable;
import io.sifr.internal.state.DatabaseHandle;
import io.sifr.internal.state.Lifecycle;
import io.sifr.internal.view.StoreView;
import io.sifr.internal.view.WriteBuffer;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class FlushQueueTest {
  private final Lifecycle store = new Lifecycle();
  private final List<DatabaseHandle> databases = new ArrayList<>();
  private int asked;
  private final FlushSchedule.Queue queue =
      new FlushSchedule.Queue(
          () -> {
            asked++;
            return databases;
          });
  private long sequence;

  /** A database whose active buffer holds an entry that is newer than those of all others. */
  private DatabaseHandle database() {
    int id = databases.size() + 1;
    String name = "database" + id;
    StoreView view = new StoreView(buffer(), List.of(), Forest.empty(id, name));
    DatabaseHandle database = new DatabaseHandle(store, id, name, new StoreView.Holder(view));
    databases.add(database);
    return database;
  }

  private WriteBuffer buffer() {
    WriteBuffer buffer = new WriteBuffer(new Memtable(1024));
    byte[] bytes = {1};
    buffer.memtable().add(Trailer.of(++sequence, EntryKind.PUT), bytes, 0, 1, bytes, 0, 1);
    return buffer;
  }

  private void rotate(DatabaseHandle database) {
    database.view().update(view -> view.rotated(buffer()));
  }

  private static void tie(DatabaseHandle... databases) {
    List<WriteBuffer> buffers = new ArrayList<>();
    for (DatabaseHandle database : databases) {
      buffers.add(database.view().get().active());
    }
    WriteBuffer.flushTogether(buffers);
  }

  private List<List<DatabaseHandle>> ready() {
    return queue.ready().stream()
        .map(group -> group.stream().map(FlushRun.Waiting::database).toList())
        .toList();
  }

  @Test
  void theOldestComesFirstAndOfEachDatabaseItsOldest() {
    assertThat(queue.isDue()).isFalse();
    DatabaseHandle a = database();
    DatabaseHandle b = database();
    database();
    WriteBuffer oldest = b.view().get().active();
    rotate(b);
    rotate(b);
    assertThat(queue.isDue()).isTrue();
    rotate(a);
    assertThat(ready()).containsExactly(List.of(a), List.of(b));
    assertThat(queue.ready().get(1).get(0).buffer()).isSameAs(oldest);
    a.markDropped();
    assertThat(ready()).containsExactly(List.of(b));
  }

  @Test
  void thoseThatAreTiedWaitForEachOther() {
    DatabaseHandle a = database();
    DatabaseHandle b = database();
    DatabaseHandle c = database();
    rotate(b);
    tie(a, b);
    rotate(a);
    assertThat(ready()).as("one is active").containsExactly(List.of(b));
    rotate(b);
    assertThat(ready()).as("one is behind another").containsExactly(List.of(b));
    b.view().update(view -> view.flushed(view.immutables().get(1), view.forest()));
    rotate(c);
    assertThat(ready()).containsExactly(List.of(a, b), List.of(c));
    databases.remove(b);
    assertThat(ready()).as("one was dropped").containsExactly(List.of(a), List.of(c));
  }

  /** A writer waits for this. */
  @Test
  void theDatabasesAreGoneOverTwiceHoweverManyAreTied() {
    for (int i = 0; i < 100; i++) {
      DatabaseHandle a = database();
      DatabaseHandle b = database();
      tie(a, b);
      rotate(a);
      rotate(b);
    }
    asked = 0;
    assertThat(ready()).hasSize(100).allMatch(group -> group.size() == 2);
    assertThat(asked).isEqualTo(2);
  }
}
