package io.sifr.internal.backup;

import io.sifr.error.CorruptionException;
import io.sifr.internal.manifest.Current;
import io.sifr.spi.BackupStorage.StoredObject;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Finds the points of a backup. There is a point when there is its list, which is put last. Where
 * calls may have their effect late, there has to be its CURRENT, too, which is deleted first when
 * an attempt is given up: so a list that comes late brings no point back.
 */
final class Points {
  private static final String CURRENT = String.valueOf(Current.path(Path.of("")));

  private Points() {}

  /** The object that is put before the list, and deleted before all others. */
  static String current(long number) {
    return ObjectNames.point(number) + CURRENT;
  }

  /** Whether a name is that of {@link #current} of some point. */
  static boolean isCurrent(String name) {
    return ObjectNames.pointOf(name).isPresent() && name.endsWith("/" + CURRENT);
  }

  /** Numbers of the points, ascending. */
  static List<Long> numbers(ObjectAccess objects) {
    return numbers(objects, ObjectNames.POINTS);
  }

  private static List<Long> numbers(ObjectAccess objects, String prefix) {
    Map<Long, Set<String>> names = new HashMap<>();
    for (StoredObject object : objects.list(prefix)) {
      ObjectNames.pointOf(object.name())
          .ifPresent(
              number ->
                  names.computeIfAbsent(number, unused -> new HashSet<>()).add(object.name()));
    }
    return names.entrySet().stream()
        .filter(point -> point.getValue().contains(ObjectNames.list(point.getKey())))
        .filter(point -> !objects.mayBeLate() || point.getValue().contains(current(point.getKey())))
        .map(Map.Entry::getKey)
        .sorted()
        .toList();
  }

  /** Whether there is a point of that number. */
  static boolean isComplete(ObjectAccess objects, long number) {
    return numbers(objects, ObjectNames.point(number)).contains(number);
  }

  /**
   * Reads the list of a point.
   *
   * @return null when there is none
   * @throws CorruptionException when it is damaged
   */
  static @Nullable BackupPoint readIfThere(ObjectAccess objects, long number) {
    String name = ObjectNames.list(number);
    byte[] content = objects.content(name, PointFile.MOST_BYTES);
    return content == null ? null : PointFile.decode(objects.path(name), content, number);
  }
}
