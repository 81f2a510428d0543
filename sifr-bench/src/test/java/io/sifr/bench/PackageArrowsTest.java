package io.sifr.bench;

import static com.tngtech.archunit.library.Architectures.layeredArchitecture;

import com.tngtech.archunit.base.DescribedPredicate;
import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import com.tngtech.archunit.lang.syntax.ArchRuleDefinition;
import org.junit.jupiter.api.Test;

/** Holds the map of packages: arrows run one way. */
class PackageArrowsTest {
  private static final JavaClasses CLASSES =
      new ClassFileImporter()
          .withImportOption(new ImportOption.DoNotIncludeTests())
          .importPackages("io.sifr.bench");

  @Test
  void arrowsRunOneWay() {
    layeredArchitecture()
        .consideringOnlyDependenciesInLayers()
        .layer("commands")
        .definedBy("io.sifr.bench")
        .layer("experiment")
        .definedBy("io.sifr.bench.experiment")
        .layer("compare")
        .definedBy("io.sifr.bench.compare")
        .layer("process")
        .definedBy("io.sifr.bench.process")
        .layer("driver")
        .definedBy("io.sifr.bench.driver")
        .layer("workload")
        .definedBy("io.sifr.bench.workload")
        .layer("store")
        .definedBy("io.sifr.bench.store")
        .layer("measure")
        .definedBy("io.sifr.bench.measure")
        .layer("report")
        .definedBy("io.sifr.bench.report")
        .layer("micro")
        .definedBy("io.sifr.bench.micro..")
        .whereLayer("commands")
        .mayNotBeAccessedByAnyLayer()
        .whereLayer("experiment")
        .mayOnlyBeAccessedByLayers("commands")
        .whereLayer("compare")
        .mayOnlyBeAccessedByLayers("commands")
        .whereLayer("process")
        .mayOnlyBeAccessedByLayers("commands", "experiment", "compare")
        .whereLayer("driver")
        .mayOnlyBeAccessedByLayers("commands", "experiment", "compare", "process")
        .whereLayer("workload")
        .mayOnlyBeAccessedByLayers("commands", "experiment", "driver")
        .whereLayer("store")
        .mayOnlyBeAccessedByLayers(
            "commands", "experiment", "compare", "process", "driver", "workload")
        .whereLayer("measure")
        .mayOnlyBeAccessedByLayers("commands", "experiment", "compare", "process", "driver")
        .whereLayer("report")
        .mayOnlyBeAccessedByLayers("commands", "experiment", "compare")
        .whereLayer("micro")
        .mayOnlyBeAccessedByLayers("commands")
        .check(CLASSES);
  }

  @Test
  void onlyMicrobenchmarksKnowTheInsideOfTheStore() {
    ArchRuleDefinition.noClasses()
        .that()
        .resideOutsideOfPackage("io.sifr.bench.micro..")
        .should()
        .dependOnClassesThat()
        .resideInAPackage("io.sifr.internal..")
        .check(CLASSES);
  }

  /** Of the command line tool they share its terminal alone, and none of its commands. */
  @Test
  void ofTheCommandLineToolOnlyTheTerminalIsUsed() {
    ArchRuleDefinition.noClasses()
        .should()
        .dependOnClassesThat(
            JavaClass.Predicates.resideInAPackage("io.sifr.cli..")
                .and(
                    DescribedPredicate.not(
                        JavaClass.Predicates.resideInAPackage("io.sifr.cli.terminal"))))
        .check(CLASSES);
  }
}
