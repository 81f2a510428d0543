package io.sifr.internal.backup;

import io.sifr.error.CorruptionException;
import io.sifr.internal.backup.BackupPoint.CopiedFile;
import io.sifr.internal.backup.BackupPoint.SharedFile;
import io.sifr.internal.backup.BackupSite.Turn;
import io.sifr.spi.BackupStorage.StoredObject;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.Set;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Deletes what no point holds. As long as a point cannot be read, it is not known what it holds,
 * and all SSTs stay; as long as somebody else adds a point, all stays that this one may need.
 *
 * <p>Objects are listed first, then it is asked who else is there, then points are read. So whoever
 * has put one of the objects is found, or has finished, and the point is found.
 */
final class Cleaning {
  private static final Logger LOG = LoggerFactory.getLogger(Cleaning.class);

  private final ObjectAccess objects;
  private final List<StoredObject> all;
  private final boolean isAlone;
  private final Set<Long> numbers;

  /** Names of the objects that points hold. */
  private final Set<String> held = new HashSet<>();

  /** Numbers of the points that could not be read. */
  private final Set<Long> unknown = new HashSet<>();

  private final Map<String, SharedFile> shared = new HashMap<>();
  private final Map<String, Long> sizes = new HashMap<>();
  private int deleted;

  /**
   * The state after a cleaning.
   *
   * @param shared SSTs and value files that points hold, by their identity
   * @param sizes of objects, by name
   * @param deleted how many objects were deleted
   */
  record Result(Map<String, SharedFile> shared, Map<String, Long> sizes, int deleted) {
    /** Whether the object of a file is there, with the size that it has in the list of a point. */
    boolean isThere(SharedFile file) {
      return Long.valueOf(file.bytes()).equals(sizes.get(ObjectNames.SSTS + file.name()));
    }
  }

  private Cleaning(Turn turn) {
    this.objects = turn.objects();
    this.all = objects.list("");
    this.isAlone = turn.isAlone();
    this.numbers = Set.copyOf(Points.numbers(objects));
  }

  /**
   * Cleans up.
   *
   * @param givenUp number of a point that is none any more: its own files go in any case
   */
  static Result run(Turn turn, long givenUp) {
    Cleaning cleaning = new Cleaning(turn);
    cleaning.readPoints();
    cleaning.deleteOwnFiles(givenUp);
    cleaning.deleteShared();
    cleaning.deleted += turn.tidy(cleaning.all, cleaning.isAlone);
    return cleaning.result();
  }

  private void readPoints() {
    all.forEach(object -> sizes.put(object.name(), object.bytes()));
    for (long number : numbers) {
      try {
        BackupPoint point = Points.readIfThere(objects, number);
        if (point != null) { // else it was deleted meanwhile
          hold(point);
        }
      } catch (CorruptionException e) {
        LOG.warn("nothing that point {} may hold is deleted: {}", number, e.getMessage());
        unknown.add(number);
      }
    }
  }

  private void hold(BackupPoint point) {
    held.add(ObjectNames.list(point.number()));
    for (CopiedFile file : point.files()) {
      held.add(ObjectNames.point(point.number()) + file.name());
    }
    for (SharedFile file : point.shared()) {
      held.add(ObjectNames.SSTS + file.name());
      shared.merge(
          file.identity(), file, (first, second) -> result().isThere(first) ? first : second);
    }
  }

  private Result result() {
    return new Result(shared, sizes, deleted);
  }

  /** What decides that a point is none goes first. */
  private void deleteOwnFiles(long givenUp) {
    List<String> left =
        all.stream()
            .map(StoredObject::name)
            .filter(name -> name.startsWith(ObjectNames.POINTS) && !held.contains(name))
            .filter(name -> mayDelete(ObjectNames.pointOf(name), givenUp))
            .toList();
    left.stream().filter(Points::isCurrent).forEach(this::delete);
    left.stream().filter(name -> !Points.isCurrent(name)).forEach(this::delete);
  }

  private boolean mayDelete(OptionalLong point, long givenUp) {
    if (point.isEmpty()) {
      return isAlone;
    }
    long number = point.getAsLong();
    return number == givenUp || (isAlone && !unknown.contains(number));
  }

  private void deleteShared() {
    if (isAlone && unknown.isEmpty()) {
      all.stream()
          .map(StoredObject::name)
          .filter(name -> name.startsWith(ObjectNames.SSTS) && !held.contains(name))
          .forEach(this::delete);
    }
  }

  private void delete(String name) {
    objects.delete(name);
    deleted++;
  }
}
