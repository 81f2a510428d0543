package io.sifr.architecture;

import static org.assertj.core.api.Assertions.assertThat;

import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import java.lang.reflect.Constructor;
import java.lang.reflect.Modifier;
import java.util.Set;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;

/**
 * No constructor, and so no record, has more than seven parts: in a longer list two of one type are
 * easily swapped, and nobody sees it. Parts that belong together are a record with a name.
 */
class SevenPartsTest {
  private static final int MOST = 7;

  @Test
  void constructorsHaveSevenPartsAtMost() {
    int constructors = 0;
    Set<String> longer = new TreeSet<>();
    for (JavaClass type :
        new ClassFileImporter()
            .withImportOption(ImportOption.Predefined.DO_NOT_INCLUDE_TESTS)
            .importPackages("io.sifr")) {
      Class<?> loaded = type.reflect();
      if (loaded.isAnonymousClass() || loaded.isLocalClass() || loaded.isSynthetic()) {
        continue; // the compiler adds what they use of the method around them
      }
      for (Constructor<?> constructor : loaded.getDeclaredConstructors()) {
        constructors++;
        int parts = constructor.getParameterCount() - added(loaded);
        if (parts > MOST && !constructor.isSynthetic()) {
          longer.add(type.getName() + ": " + parts);
        }
      }
    }
    assertThat(constructors).isGreaterThan(500);
    assertThat(longer).as("constructors with more than %d parts", MOST).isEmpty();
  }

  /** What the compiler adds: name and number of an enum's constant, or the outer object. */
  private static int added(Class<?> type) {
    if (type.isEnum()) {
      return 2;
    }
    return type.isMemberClass() && !Modifier.isStatic(type.getModifiers()) ? 1 : 0;
  }
}
