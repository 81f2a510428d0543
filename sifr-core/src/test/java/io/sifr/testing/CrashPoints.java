package io.sifr.testing;

import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import io.sifr.internal.io.CrashPoint;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;

/** All crash points that the packages of the store declare. */
public final class CrashPoints {
  private CrashPoints() {}

  /**
   * Finds them in the compiled classes, so that none can be left out.
   *
   * @throws IllegalStateException when two have the same name, by which images of crashes tell them
   *     apart
   */
  public static List<CrashPoint> all() {
    List<CrashPoint> points =
        new ClassFileImporter()
                .withImportOption(ImportOption.Predefined.DO_NOT_INCLUDE_TESTS)
                .importPackages("io.sifr.internal")
                .stream()
                .filter(found -> found.isEnum() && found.isAssignableTo(CrashPoint.class))
                .map(JavaClass::reflect)
                .flatMap(CrashPoints::constants)
                .toList();
    Set<String> names = new HashSet<>();
    for (CrashPoint point : points) {
      if (!names.add(point.name())) {
        throw new IllegalStateException("two crash points are named " + point.name());
      }
    }
    return points;
  }

  private static Stream<CrashPoint> constants(Class<?> type) {
    return Arrays.stream(type.getEnumConstants()).map(CrashPoint.class::cast);
  }
}
