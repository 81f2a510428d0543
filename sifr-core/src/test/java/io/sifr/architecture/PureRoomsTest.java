package io.sifr.architecture;

import static com.tngtech.archunit.base.DescribedPredicate.describe;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.methods;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;

import com.tngtech.archunit.core.domain.JavaAccess;
import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.domain.JavaModifier;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import java.util.Set;
import org.junit.jupiter.api.Test;

/**
 * Which trees are compacted, and where files begin and end, is decided by pure functions: a test
 * draws a forest and sees the decision. So these packages know no thread, lock, clock or file, nor
 * the state of the store.
 */
class PureRoomsTest {
  private static final String[] PURE = {
    "io.sifr.internal.compaction.pick..", "io.sifr.internal.compaction.cut.."
  };

  private static final String[] IMPURE = {
    "java.util.concurrent..",
    "java.nio.file..",
    "java.nio.channels..",
    "java.io..",
    "java.time..",
    "io.sifr.internal.io..",
    "io.sifr.internal.wal..",
    "io.sifr.internal.state..",
    "io.sifr.internal.background..",
    "io.sifr.internal.resources.."
  };

  private static final Set<String> IMPURE_CLASSES =
      Set.of("java.lang.System", "java.lang.Thread", "java.lang.ThreadLocal", "java.util.Random");

  private final JavaClasses ours =
      new ClassFileImporter()
          .withImportOption(ImportOption.Predefined.DO_NOT_INCLUDE_TESTS)
          .importPackages("io.sifr.internal.compaction");

  @Test
  void decisionsUseNoThreadClockOrFile() {
    noClasses()
        .that()
        .resideInAnyPackage(PURE)
        .should()
        .dependOnClassesThat()
        .resideInAnyPackage(IMPURE)
        .check(ours);
    noClasses()
        .that()
        .resideInAnyPackage(PURE)
        .should()
        .callCodeUnitWhere(describe("is of a thread, a clock or chance", PureRoomsTest::isImpure))
        .check(ours);
  }

  @Test
  void decisionsTakeNoLock() {
    methods()
        .that()
        .areDeclaredInClassesThat()
        .resideInAnyPackage(PURE)
        .should()
        .notHaveModifier(JavaModifier.SYNCHRONIZED)
        .check(ours);
    noClasses()
        .that()
        .resideInAnyPackage(PURE)
        .should()
        .callMethod(Object.class, "wait")
        .orShould()
        .callMethod(Object.class, "notifyAll")
        .check(ours);
  }

  /** Copying an array is all that is pure of {@link System}. */
  private static boolean isImpure(JavaAccess<?> call) {
    return IMPURE_CLASSES.contains(call.getTargetOwner().getName())
        && !call.getName().equals("arraycopy");
  }
}
