package io.sifr.architecture;

import static org.assertj.core.api.Assertions.assertThat;

import com.tngtech.archunit.core.domain.Dependency;
import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;

/**
 * The classes of a package use each other one way. Nested ones count as the class they are in, and
 * those that a sealed interface permits as the interface, which names them.
 *
 * <p>Classes that form a cycle can be understood, tested and moved only all together.
 */
class ClassCyclesTest {
  @Test
  void classesOfAPackageFormNoCycle() {
    Map<String, Map<String, Set<String>>> usesByPackage = new TreeMap<>();
    for (JavaClass user :
        new ClassFileImporter()
            .withImportOption(ImportOption.Predefined.DO_NOT_INCLUDE_TESTS)
            .importPackages("io.sifr")) {
      Set<String> used =
          usesByPackage
              .computeIfAbsent(user.getPackageName(), name -> new TreeMap<>())
              .computeIfAbsent(unitOf(user), name -> new TreeSet<>());
      user.getDirectDependenciesFromSelf().stream()
          .map(Dependency::getTargetClass)
          .filter(target -> target.getPackageName().equals(user.getPackageName()))
          .map(ClassCyclesTest::unitOf)
          .forEach(used::add);
    }
    assertThat(usesByPackage).hasSizeGreaterThan(10);

    Set<Set<String>> cycles = new LinkedHashSet<>();
    usesByPackage.values().forEach(uses -> cycles.addAll(new Cycles(uses).found));
    assertThat(cycles).as("classes that use each other in a cycle").isEmpty();
  }

  /** What a class is counted as. */
  private static String unitOf(JavaClass javaClass) {
    JavaClass outer = javaClass.getBaseComponentType();
    while (outer.getEnclosingClass().isPresent()) {
      outer = outer.getEnclosingClass().get();
    }
    for (Class<?> type : outer.reflect().getInterfaces()) {
      if (type.isSealed()) {
        return type.getName();
      }
    }
    return outer.getName();
  }

  /** Tarjan's strongly connected components, those of two and more. */
  private static final class Cycles {
    private final Map<String, Set<String>> uses;
    private final Map<String, Integer> index = new HashMap<>();
    private final Map<String, Integer> lowest = new HashMap<>();
    private final Deque<String> open = new ArrayDeque<>();
    private final List<Set<String>> found = new ArrayList<>();

    private Cycles(Map<String, Set<String>> uses) {
      this.uses = uses;
      for (String start : uses.keySet()) {
        if (!index.containsKey(start)) {
          visit(start);
        }
      }
    }

    private void visit(String user) {
      int mine = index.size();
      index.put(user, mine);
      lowest.put(user, mine);
      open.push(user);
      for (String used : uses.getOrDefault(user, Set.of())) {
        if (!index.containsKey(used)) {
          visit(used);
          lowest.merge(user, lowest.get(used), Math::min);
        } else if (open.contains(used)) {
          lowest.merge(user, index.get(used), Math::min);
        }
      }
      if (lowest.get(user) == mine) {
        Set<String> component = new TreeSet<>();
        do {
          component.add(open.pop());
        } while (!component.contains(user));
        if (component.size() > 1) {
          found.add(component);
        }
      }
    }
  }
}
