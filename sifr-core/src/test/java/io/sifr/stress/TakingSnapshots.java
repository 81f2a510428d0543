package io.sifr.stress;

import io.sifr.Database;
import io.sifr.ReadOptions;
import io.sifr.Snapshot;
import java.util.ArrayDeque;
import java.util.Arrays;
import java.util.Deque;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Holds some snapshots and asks each several times, until the oldest one goes. */
final class TakingSnapshots extends Actor {
  private static final int MOST_HELD = 6;
  private static final int KEYS = 300;
  private static final int ASKED_AT_ONCE = 50;
  private static final int TAKEN_ONE_IN = 40;

  private record Held(Snapshot snapshot, StressModel.Window window) {}

  private final List<Database> databases;
  private final Deque<Held> held = new ArrayDeque<>();

  TakingSnapshots(Stage stage) {
    super(stage);
    this.databases = StressModel.databases(stage.store());
  }

  @Override
  String name() {
    return "snapshot gets";
  }

  @Override
  void act() {
    if (held.isEmpty() || random.nextInt(TAKEN_ONE_IN) == 0) {
      take();
    }
    held.forEach(this::ask);
    if (held.size() > MOST_HELD) {
      held.removeFirst().snapshot().close();
    }
  }

  private void take() {
    int first = random.nextInt(model.keys() - KEYS);
    int[] oldest = model.oldest(first, KEYS);
    Snapshot snapshot = store.snapshot();
    held.addLast(new Held(snapshot, model.window(first, oldest)));
  }

  private void ask(Held asked) {
    StressModel.Window window = asked.window();
    for (int i = 0; i < ASKED_AT_ONCE; i++) {
      int key = window.firstKey() + random.nextInt(KEYS);
      byte[] left = databases.get(0).get(model.key(key), ReadOptions.at(asked.snapshot()));
      byte[] right = databases.get(1).get(model.key(key), ReadOptions.at(asked.snapshot()));
      model.check("snapshot", window, key, left);
      if (!Arrays.equals(left, right)) {
        throw new AssertionError("half a batch of key " + key + " in a snapshot");
      }
      // A snapshot shows one state: from now on it is known which.
      narrow(window, key, left);
    }
    count(ASKED_AT_ONCE);
  }

  private void narrow(StressModel.Window window, int key, byte @Nullable [] value) {
    for (int version = window.newest(key); value != null && version > 0; version--) {
      if (Arrays.equals(value, model.value(key, version))) {
        window.narrow(key, version);
        return;
      }
    }
  }

  @Override
  public void close() {
    held.forEach(one -> one.snapshot().close());
  }
}
