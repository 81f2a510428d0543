package io.sifr.testing;

import io.sifr.spi.BackupStorage;
import java.io.ByteArrayInputStream;
import java.io.EOFException;
import java.io.FilterInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.NoSuchFileException;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Deque;
import java.util.List;
import java.util.Random;
import java.util.TreeMap;
import java.util.function.BiPredicate;
import java.util.function.Consumer;

/**
 * A storage on the heap, whose calls fail as those of a remote one do. Listings are shuffled.
 * Thread-safe.
 */
public final class HeapStorage implements BackupStorage {
  /** What a call does. */
  public enum Operation {
    PUT,
    GET,
    LIST,
    DELETE
  }

  /** How a call fails. */
  public enum Fault {
    /** Without any effect. What is read breaks off at its beginning. */
    BEFORE,
    /** When it had its effect: the answer is lost. What is read breaks off in the middle. */
    AFTER,
    /** It has its effect later, during another call or in {@link #settle}. */
    LATE
  }

  private static final class Stored {
    private final byte[] content;
    private final Instant modified;

    Stored(byte[] content, Instant modified) {
      this.content = content;
      this.modified = modified;
    }
  }

  private final InstantSource clock;
  private final Random random;

  /** All below: guarded by this. */
  private final TreeMap<String, Stored> objects = new TreeMap<>();

  private final Deque<Runnable> late = new ArrayDeque<>();
  private final List<String> calls = new ArrayList<>();
  private BiPredicate<Operation, String> failing = (operation, name) -> false;
  private Fault fault = Fault.BEFORE;
  private int failAfter;
  private boolean hasFailed;
  private boolean isLateForLong;
  private Consumer<String> beforeEachCall = call -> {};

  /** An empty one, which takes the time of its objects from a clock. */
  public HeapStorage(InstantSource clock, Random random) {
    this.clock = clock;
    this.random = random;
  }

  /** Has one of the calls that follow fail: the first of those after so many of the kind. */
  public synchronized void failOnce(BiPredicate<Operation, String> which, int after, Fault how) {
    failing = which;
    failAfter = after;
    fault = how;
    hasFailed = false;
  }

  /** What is late has no effect during other calls. */
  public synchronized void lateForLong() {
    isLateForLong = true;
  }

  /** No more calls fail. Returns whether one did. */
  public synchronized boolean heal() {
    failing = (operation, name) -> false;
    return hasFailed;
  }

  /** Has something done before each call, without a lock; it is told operation and name. */
  public synchronized void beforeEachCall(Consumer<String> action) {
    beforeEachCall = action;
  }

  /** Lets all have its effect that has not yet. */
  public synchronized void settle() {
    while (!late.isEmpty()) {
      late.remove().run();
    }
  }

  /** Calls so far: operation and name. */
  public synchronized List<String> calls() {
    return List.copyOf(calls);
  }

  /** Names of the objects. */
  public synchronized List<String> names() {
    return List.copyOf(objects.keySet());
  }

  /** Replaces an object, as damage does. */
  public synchronized void damage(String name, byte[] content) {
    objects.put(name, new Stored(content.clone(), clock.instant()));
  }

  /** Deletes an object behind the back of everybody. */
  public synchronized void lose(String name) {
    objects.remove(name);
  }

  private void begin(Operation operation, String name) {
    Consumer<String> before;
    synchronized (this) {
      before = beforeEachCall;
      calls.add(operation + " " + name);
      if (!isLateForLong && !late.isEmpty() && random.nextInt(4) == 0) {
        late.remove().run();
      }
    }
    before.accept(operation + " " + name);
  }

  private synchronized boolean fails(Operation operation, String name) {
    if (!failing.test(operation, name) || failAfter-- > 0) {
      return false;
    }
    failing = (any, other) -> false;
    hasFailed = true;
    return true;
  }

  private synchronized void change(Operation operation, String name, Runnable effect)
      throws IOException {
    if (!fails(operation, name)) {
      effect.run();
      return;
    }
    if (fault == Fault.AFTER) {
      effect.run();
    } else if (fault == Fault.LATE) {
      late.add(effect);
    }
    throw new IOException("drawn: " + fault + " " + operation + " " + name);
  }

  @Override
  public void put(String name, Content content) throws IOException {
    begin(Operation.PUT, name);
    byte[] bytes;
    try (InputStream in = content.open()) {
      bytes = in.readAllBytes();
    }
    if (bytes.length != content.bytes()) {
      throw new EOFException(bytes.length + " bytes, not " + content.bytes());
    }
    change(Operation.PUT, name, () -> objects.put(name, new Stored(bytes, clock.instant())));
  }

  @Override
  public InputStream get(String name) throws IOException {
    begin(Operation.GET, name);
    synchronized (this) {
      boolean fails = fails(Operation.GET, name);
      Stored stored = objects.get(name);
      if (stored == null) {
        throw new NoSuchFileException(name);
      }
      if (fails && fault == Fault.BEFORE) {
        throw new IOException("drawn: GET " + name);
      }
      InputStream in = new ByteArrayInputStream(stored.content);
      return fails ? breaking(in, stored.content.length / 2) : in;
    }
  }

  private static InputStream breaking(InputStream in, int after) {
    return new FilterInputStream(in) {
      private int left = after;

      @Override
      public int read() throws IOException {
        byte[] one = new byte[1];
        return read(one, 0, 1) < 0 ? -1 : one[0] & 0xFF;
      }

      @Override
      public int read(byte[] target, int offset, int length) throws IOException {
        if (left == 0) {
          throw new IOException("drawn: it breaks off");
        }
        int count = in.read(target, offset, Math.min(left, length));
        left -= Math.max(0, count);
        return count;
      }
    };
  }

  @Override
  public void list(String prefix, Consumer<StoredObject> found) throws IOException {
    begin(Operation.LIST, prefix);
    List<StoredObject> listed = new ArrayList<>();
    boolean fails;
    synchronized (this) {
      fails = fails(Operation.LIST, prefix);
      objects.forEach(
          (name, stored) -> {
            if (name.startsWith(prefix)) {
              listed.add(new StoredObject(name, stored.content.length, stored.modified));
            }
          });
      Collections.shuffle(listed, random);
    }
    if (fails) {
      listed.subList(0, fault == Fault.BEFORE ? 0 : listed.size() / 2).forEach(found);
      throw new IOException("drawn: LIST " + prefix);
    }
    listed.forEach(found);
  }

  @Override
  public void delete(String name) throws IOException {
    begin(Operation.DELETE, name);
    change(Operation.DELETE, name, () -> objects.remove(name));
  }

  @Override
  public String toString() {
    return "heap";
  }
}
