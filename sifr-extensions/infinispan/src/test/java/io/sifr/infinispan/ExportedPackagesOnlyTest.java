package io.sifr.infinispan;

import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;

import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import org.junit.jupiter.api.Test;

/** The module stands on what every user can reach; otherwise it would hide what the API lacks. */
class ExportedPackagesOnlyTest {

  @Test
  void nothingInternalIsUsed() {
    JavaClasses ours =
        new ClassFileImporter()
            .withImportOption(ImportOption.Predefined.DO_NOT_INCLUDE_TESTS)
            .importPackages("io.sifr.infinispan");

    noClasses()
        .should()
        .dependOnClassesThat()
        .resideInAPackage("io.sifr.internal..")
        .because("these packages are not exported and change without notice")
        .check(ours);
  }
}
