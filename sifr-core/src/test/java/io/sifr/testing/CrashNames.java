package io.sifr.testing;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * The names of files and directories: as they are durable, and the changes since, in their order.
 * Not thread-safe.
 *
 * @param <F> what is named
 */
final class CrashNames<F> {
  /**
   * A change that happens wholly or not at all.
   *
   * @param removed the name that goes, null when none does
   * @param added the name that comes, whatever it stood for before, null when none does
   * @param file what the new name stands for
   */
  private record Change<F>(@Nullable Path removed, @Nullable Path added, @Nullable F file) {
    boolean isIn(Path directory) {
      return isIn(directory, removed) || isIn(directory, added);
    }

    private static boolean isIn(Path directory, @Nullable Path name) {
      return name != null && directory.equals(name.getParent());
    }

    /**
     * For a rename: that the change before it may be lost leaves a file with one name all the same.
     */
    void applyTo(Map<Path, F> names) {
      if (removed != null) {
        names.remove(removed);
      }
      if (added != null && file != null) {
        if (removed != null) {
          names.values().removeIf(other -> other == file);
          moveContent(names, removed, added);
        }
        names.put(added, file);
      }
    }

    /** What is in a directory comes with it. */
    private static <F> void moveContent(Map<Path, F> names, Path from, Path to) {
      for (Path name : List.copyOf(names.keySet())) {
        if (name.startsWith(from) && !name.equals(from)) {
          F moved = names.remove(name);
          if (moved != null) {
            names.put(to.resolve(from.relativize(name)), moved);
          }
        }
      }
    }

    <G> Change<G> map(Function<F, G> translation) {
      return new Change<>(removed, added, file == null ? null : translation.apply(file));
    }
  }

  // In the order of their coming, so that a random choice among them can be made again.
  private final Map<Path, F> durable;
  private final Map<Path, F> current;
  private final List<Change<F>> pending;

  CrashNames() {
    this(new LinkedHashMap<>(), new LinkedHashMap<>(), new ArrayList<>());
  }

  private CrashNames(Map<Path, F> durable, Map<Path, F> current, List<Change<F>> pending) {
    this.durable = durable;
    this.current = current;
    this.pending = pending;
  }

  @Nullable F get(Path name) {
    return current.get(name);
  }

  /** All names there are, also those of directories. */
  Collection<Path> names() {
    return current.keySet();
  }

  /** What has a name. */
  Collection<F> files() {
    return current.values();
  }

  void create(Path name, F file) {
    change(new Change<>(null, name, file));
  }

  /** Gives a file that has a name another one. */
  void link(Path name, F file) {
    create(name, file);
  }

  void rename(Path source, Path target, F file) {
    change(new Change<>(source, target, file));
  }

  void delete(Path name) {
    change(new Change<>(name, null, null));
  }

  private void change(Change<F> change) {
    pending.add(change);
    change.applyTo(current);
  }

  /** Makes the names in a directory durable. */
  void sync(Path directory) {
    sync(directory, Integer.MAX_VALUE);
  }

  /** Makes the first half of the changes in a directory durable. */
  void syncHalf(Path directory) {
    sync(directory, (int) pending.stream().filter(change -> change.isIn(directory)).count() / 2);
  }

  private void sync(Path directory, int most) {
    int left = most;
    for (Iterator<Change<F>> changes = pending.iterator(); changes.hasNext() && left > 0; ) {
      Change<F> change = changes.next();
      if (change.isIn(directory)) {
        change.applyTo(durable);
        changes.remove();
        left--;
      }
    }
  }

  /** Makes all names durable. */
  void syncAll() {
    pending.forEach(change -> change.applyTo(durable));
    pending.clear();
  }

  /** The same for other things that are named. */
  <G> CrashNames<G> map(Function<F, G> translation) {
    List<Change<G>> changes = new ArrayList<>(pending.size());
    pending.forEach(change -> changes.add(change.map(translation)));
    return new CrashNames<>(map(durable, translation), map(current, translation), changes);
  }

  private static <F, G> Map<Path, G> map(Map<Path, F> names, Function<F, G> translation) {
    Map<Path, G> translated = new LinkedHashMap<>();
    names.forEach((name, file) -> translated.put(name, translation.apply(file)));
    return translated;
  }

  /** Whether a crash cannot tell the two apart. */
  boolean isSame(CrashNames<F> other) {
    return durable.equals(other.durable)
        && current.equals(other.current)
        && pending.equals(other.pending);
  }

  /**
   * Names that a power loss may leave: each change that is not durable has happened or not; what
   * lies in a directory without a name is gone.
   */
  CrashNames<F> afterPowerLoss(Random random, FrozenFile.Luck luck) {
    Map<Path, F> left = new LinkedHashMap<>(durable);
    for (Change<F> change : pending) {
      if (luck.keeps(random)) {
        change.applyTo(left);
      }
    }
    left.keySet().removeIf(name -> !isReachable(left, name));
    return new CrashNames<>(left, new LinkedHashMap<>(left), new ArrayList<>());
  }

  private static boolean isReachable(Map<Path, ?> names, Path name) {
    for (Path parent = name.getParent(); parent != null; parent = parent.getParent()) {
      if (parent.getParent() != null && !names.containsKey(parent)) {
        return false;
      }
    }
    return true;
  }
}
