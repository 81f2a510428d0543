package io.sifr.architecture;

import static com.tngtech.archunit.base.DescribedPredicate.describe;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static com.tngtech.archunit.library.dependencies.SlicesRuleDefinition.slices;
import static java.util.stream.Collectors.toCollection;
import static org.assertj.core.api.Assertions.assertThat;

import com.tngtech.archunit.base.DescribedPredicate;
import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import com.tngtech.archunit.library.dependencies.SliceAssignment;
import com.tngtech.archunit.library.dependencies.SliceIdentifier;
import io.sifr.error.SifrException;
import java.io.IOException;
import java.io.InputStream;
import java.lang.module.ModuleDescriptor;
import java.net.URI;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * The package map: a package may use those on lower lines, never one on its own line or above.
 *
 * <p>Arrows that run one way let a reader start anywhere and only look downwards; the first one
 * that points up again is the cheapest to remove, so it fails the build. The map is drawn in the
 * architecture document too: when they differ, one of the two is a bug.
 */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class PackageArrowsTest {

  /** Uppermost line first. A name with a dot in front is below {@code io.sifr.internal}. */
  private static final List<List<String>> LINES =
      List.of(
          List.of("io.sifr.jmx", "io.sifr.map"),
          List.of("io.sifr"),
          List.of("io.sifr.inspect.check", "io.sifr.inspect.dump", "io.sifr.inspect.salvage"),
          List.of("io.sifr.inspect"),
          List.of(".offline", ".backup", ".readonly", ".transaction"),
          List.of(".engine"),
          List.of(".engine.index"),
          List.of(".engine.changes", ".engine.conditions", ".engine.load"),
          List.of(".engine.read", ".engine.write"),
          List.of(".compaction.run"),
          List.of(".background"),
          List.of(".state"),
          List.of(".compaction.merge", ".search"),
          List.of(".compaction.cut", ".compaction.pick"),
          List.of(".manifest", ".view"),
          List.of(".forest"),
          List.of(".sst.write", ".sst.inspect"),
          List.of(".sst.read"),
          List.of(".sst.block"),
          List.of(".sst.format", ".wal"),
          List.of(".resources", ".filter", ".value", ".volume"),
          List.of(".memtable", ".format", ".io.memory"),
          List.of(".entry", ".io", ".cache", ".codec"),
          List.of(".entry.range", ".crypt"),
          List.of(".util"),
          List.of("io.sifr.event"),
          List.of("io.sifr.config"),
          List.of("io.sifr.spi"),
          List.of("io.sifr.error"));

  private static final Set<String> BELOW_VIEWS =
      Set.of(
          "io.sifr.internal.compaction.pick",
          "io.sifr.internal.compaction.cut",
          "io.sifr.internal.compaction.merge");
  private static final String VIEW = "io.sifr.internal.view";
  private static final String UTIL = "io.sifr.internal.util";
  private static final String ERROR = "io.sifr.error";

  private static final Set<String> MAPPED =
      LINES.stream()
          .flatMap(List::stream)
          .map(PackageArrowsTest::fullName)
          .collect(Collectors.toUnmodifiableSet());

  private final JavaClasses ours =
      new ClassFileImporter()
          .withImportOption(ImportOption.Predefined.DO_NOT_INCLUDE_TESTS)
          .importPackages("io.sifr");

  @Test
  void classesAreFound() {
    assertThat(ours.contain(SifrException.class)).isTrue();
  }

  @Test
  void everyClassHasAPlaceOnTheMap() {
    classes()
        .should()
        .resideInAnyPackage(
            allPackages().stream()
                .map(p -> isInternal(p) ? p + ".." : p)
                .distinct()
                .toArray(String[]::new))
        .because("a new package belongs on a line of the map before it gets classes")
        .check(ours);
  }

  @ParameterizedTest
  @MethodSource("allPackages")
  void packageUsesOnlyLowerLines(String user) {
    Set<String> allowed = allowedFor(user);
    noClasses()
        .that(liveIn(user))
        .should()
        .dependOnClassesThat(
            describe(
                "are ours and not on a line below " + user,
                used -> isOurs(used) && !allowed.contains(mapPackageOf(used))))
        .because("arrows of the package map point downwards only")
        .allowEmptyShould(true)
        .check(ours);
  }

  @Test
  void packagesFormNoCycle() {
    slices().assignedFrom(new MapPackages()).should().beFreeOfCycles().check(ours);
  }

  @Test
  void publicPackagesAndNoOthersAreExported() throws IOException {
    Set<String> publicPackages =
        ours.stream()
            .map(JavaClass::getPackageName)
            .filter(name -> !isInternal(name))
            .collect(toCollection(TreeSet::new));
    // A package that holds nothing but its package-info cannot be exported.
    publicPackages.removeIf(
        name ->
            ours.stream()
                .filter(c -> c.getPackageName().equals(name))
                .allMatch(c -> c.getSimpleName().equals("package-info")));

    assertThat(exportedPackages()).isEqualTo(publicPackages);
  }

  private List<String> allPackages() {
    return LINES.stream().flatMap(List::stream).map(PackageArrowsTest::fullName).toList();
  }

  private Set<String> allowedFor(String user) {
    Set<String> allowed = new TreeSet<>();
    boolean below = false;
    for (List<String> line : LINES) {
      List<String> names = line.stream().map(PackageArrowsTest::fullName).toList();
      if (below) {
        allowed.addAll(names);
      }
      below |= names.contains(user);
    }
    if (BELOW_VIEWS.contains(user)) {
      // What decides and merges hands its results up; who publishes views is not its concern.
      allowed.remove(VIEW);
    }
    if (user.equals(UTIL)) {
      allowed.retainAll(Set.of(ERROR));
    }
    allowed.add(user);
    return allowed;
  }

  private DescribedPredicate<JavaClass> liveIn(String mapPackage) {
    return describe("live in " + mapPackage, c -> mapPackageOf(c).equals(mapPackage));
  }

  /** The package of the map that a class belongs to: the innermost one that holds it. */
  private static String mapPackageOf(JavaClass javaClass) {
    String name = javaClass.getPackageName();
    while (isInternal(name) && !MAPPED.contains(name)) {
      name = name.substring(0, name.lastIndexOf('.'));
    }
    return name;
  }

  private static boolean isOurs(JavaClass javaClass) {
    String name = javaClass.getPackageName();
    return name.equals("io.sifr") || name.startsWith("io.sifr.");
  }

  private static boolean isInternal(String packageName) {
    return packageName.equals("io.sifr.internal") || packageName.startsWith("io.sifr.internal.");
  }

  private static String fullName(String nameOnMap) {
    return nameOnMap.startsWith(".") ? "io.sifr.internal" + nameOnMap : nameOnMap;
  }

  private static Set<String> exportedPackages() throws IOException {
    String path = SifrException.class.getName().replace('.', '/') + ".class";
    String location = SifrException.class.getClassLoader().getResource(path).toString();
    URI descriptor = URI.create(location.replace(path, "module-info.class"));
    try (InputStream in = descriptor.toURL().openStream()) {
      return ModuleDescriptor.read(in).exports().stream()
          .filter(export -> !export.isQualified())
          .map(ModuleDescriptor.Exports::source)
          .collect(toCollection(TreeSet::new));
    }
  }

  private static final class MapPackages implements SliceAssignment {
    @Override
    public SliceIdentifier getIdentifierOf(JavaClass javaClass) {
      return isOurs(javaClass)
          ? SliceIdentifier.of(mapPackageOf(javaClass))
          : SliceIdentifier.ignore();
    }

    @Override
    public String getDescription() {
      return "packages of the map";
    }
  }
}
