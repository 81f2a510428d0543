package io.sifr.support;

import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;

import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import org.junit.jupiter.api.Test;

/** A module stands on what every user can reach; otherwise it would hide what the API lacks. */
public abstract class ExportedPackagesOnly {
  private final String ofModule;

  /** The test of the module with a package. */
  protected ExportedPackagesOnly(String ofModule) {
    this.ofModule = ofModule;
  }

  @Test
  void nothingInternalIsUsed() {
    JavaClasses ours =
        new ClassFileImporter()
            .withImportOption(ImportOption.Predefined.DO_NOT_INCLUDE_TESTS)
            .importPackages(ofModule);

    noClasses()
        .should()
        .dependOnClassesThat()
        .resideInAPackage("io.sifr.internal..")
        .because("these packages are not exported and change without notice")
        .check(ours);
  }
}
