package io.sifr.architecture;

import static java.util.stream.Collectors.toCollection;
import static org.assertj.core.api.Assertions.assertThat;

import com.tngtech.archunit.core.domain.Dependency;
import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.domain.JavaField;
import com.tngtech.archunit.core.domain.JavaModifier;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;

/**
 * Every class serves the library: it is public, or what is public leads to it. Nested classes count
 * as the class they are in. Tests and microbenchmarks do not count, so a class that only they use
 * is unused; nothing is found by its name at run time, as there are no services.
 */
class UnusedClassesTest {
  private static final String INTERNAL = "io.sifr.internal";

  private final JavaClasses ours =
      new ClassFileImporter()
          .withImportOption(ImportOption.Predefined.DO_NOT_INCLUDE_TESTS)
          .importPackages("io.sifr");

  @Test
  void publicClassesLeadToAllOthers() {
    Map<String, Set<String>> uses = new TreeMap<>();
    Set<String> published = new TreeSet<>();
    for (JavaClass user : ours) {
      String unit = unitOf(user);
      Set<String> used = uses.computeIfAbsent(unit, name -> new TreeSet<>());
      user.getDirectDependenciesFromSelf().stream()
          .map(Dependency::getTargetClass)
          .map(UnusedClassesTest::unitOf)
          .forEach(used::add);
      if (!isInternal(user) && user.getModifiers().contains(JavaModifier.PUBLIC)) {
        published.add(unit);
      }
    }
    assertThat(published).hasSizeGreaterThan(50);

    Set<String> unused = new TreeSet<>(uses.keySet());
    unused.removeAll(reachedFrom(published, uses));
    unused.removeIf(UnusedClassesTest::isPackageInfo);
    unused.removeAll(holdersOfConstants());
    assertThat(unused).as("classes to which no public class leads").isEmpty();
  }

  private static Set<String> reachedFrom(Set<String> starts, Map<String, Set<String>> uses) {
    Set<String> reached = new TreeSet<>(starts);
    Deque<String> next = new ArrayDeque<>(starts);
    while (!next.isEmpty()) {
      for (String used : uses.getOrDefault(next.remove(), Set.of())) {
        if (reached.add(used)) {
          next.add(used);
        }
      }
    }
    return reached;
  }

  /**
   * The compiler copies constants to where they are used: the class files do not name the class.
   */
  private Set<String> holdersOfConstants() {
    return ours.stream()
        .filter(c -> c.getMethods().isEmpty() && !c.getFields().isEmpty())
        .filter(c -> c.getFields().stream().allMatch(UnusedClassesTest::isConstant))
        .map(UnusedClassesTest::unitOf)
        .collect(toCollection(TreeSet::new));
  }

  private static boolean isConstant(JavaField field) {
    return field.getModifiers().contains(JavaModifier.STATIC)
        && field.getModifiers().contains(JavaModifier.FINAL)
        && field.getRawType().isPrimitive();
  }

  private static String unitOf(JavaClass javaClass) {
    JavaClass outer = javaClass.getBaseComponentType();
    while (outer.getEnclosingClass().isPresent()) {
      outer = outer.getEnclosingClass().get();
    }
    return outer.getName();
  }

  private static boolean isInternal(JavaClass javaClass) {
    return javaClass.getPackageName().startsWith(INTERNAL);
  }

  private static boolean isPackageInfo(String name) {
    return name.endsWith(".package-info") || name.equals("module-info");
  }
}
