package io.sifr.internal.value;

import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/**
 * Value files that somebody holds, each once. One thread at a time adds and closes; any thread may
 * look meanwhile.
 */
public final class HeldValueFiles implements AutoCloseable {
  private final ValueFiles files;
  private final Set<Long> held = ConcurrentHashMap.newKeySet();

  /** Holds none. */
  public HeldValueFiles(ValueFiles files) {
    this.files = files;
  }

  /** Holds a file, which somebody else holds during the call. */
  public void add(long number) {
    if (held.add(number)) {
      files.hold(number);
    }
  }

  /** Holds the same once more; this is not closed during the call. */
  public HeldValueFiles copy() {
    HeldValueFiles copy = new HeldValueFiles(files);
    held.forEach(copy::add);
    return copy;
  }

  /** Their numbers. */
  public Set<Long> numbers() {
    return Set.copyOf(held);
  }

  /** Lets go of all. */
  @Override
  public synchronized void close() {
    List<Long> all = new ArrayList<>(held);
    held.clear();
    all.forEach(files::letGo);
  }
}
