package io.sifr.support;

import static java.util.stream.Collectors.toCollection;
import static org.assertj.core.api.Assertions.assertThat;

import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.domain.JavaCodeUnit;
import com.tngtech.archunit.core.domain.JavaField;
import com.tngtech.archunit.core.domain.JavaMember;
import com.tngtech.archunit.core.domain.JavaModifier;
import com.tngtech.archunit.core.domain.ThrowsDeclaration;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.TreeSet;
import java.util.jar.JarFile;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/**
 * A module takes the place of a library: of what programs can see of that, each class, superclass,
 * field, constructor, method and exception is there, or a table in the module's README says why
 * not. And each row of the table has something to explain.
 *
 * <p>A row begins with names in backquotes: {@code package.Class} for a class, {@code
 * package.Class#member} for a part of one, with {@code *} for any text but a {@code #}.
 */
public abstract class ReplacedLibrary {
  private static final Pattern ROW = Pattern.compile("(?m)^\\| (`org\\.[^|]*`) \\|");
  private static final Pattern NAME = Pattern.compile("`([^`]*)`");

  private final Path original;
  private final String[] packages;

  /**
   * The test of the module in the current directory.
   *
   * @param original the jar of the library
   * @param packages those in which it has classes
   */
  protected ReplacedLibrary(Path original, String... packages) {
    this.original = original;
    this.packages = packages.clone();
  }

  @Test
  void whatDiffersIsExplained() throws IOException {
    Set<String> differences = differences();
    List<Pattern> explained = explained();
    Set<String> unexplained = new TreeSet<>(differences);
    unexplained.removeIf(each -> explained.stream().anyMatch(row -> row.matcher(each).matches()));
    assertThat(unexplained).as("differs, and no row of the README says why").isEmpty();
    assertThat(explained)
        .as("explained in the README")
        .isNotEmpty()
        .allSatisfy(row -> assertThat(differences).anyMatch(row.asMatchPredicate()));
  }

  private static List<Pattern> explained() throws IOException {
    List<Pattern> rows = new ArrayList<>();
    Matcher row = ROW.matcher(ModuleReadmeTest.readme());
    while (row.find()) {
      Matcher name = NAME.matcher(row.group(1));
      while (name.find()) {
        rows.add(Pattern.compile("\\Q" + name.group(1).replace("*", "\\E[^#]*\\Q") + "\\E"));
      }
    }
    return rows;
  }

  private Set<String> differences() throws IOException {
    JavaClasses theirs;
    try (JarFile jar = new JarFile(original.toFile())) {
      theirs = new ClassFileImporter().importJar(jar);
    }
    JavaClasses ours = new ClassFileImporter().importPackages(packages);
    assertThat(theirs).isNotEmpty();
    Set<String> differences = new TreeSet<>();
    for (JavaClass their : theirs) {
      if (isSeen(their)) {
        String name = their.getName();
        if (ours.contain(name)) {
          compare(their, ours.get(name), differences);
        } else {
          differences.add(name);
        }
      }
    }
    return differences;
  }

  /** Whether a program can name a class. */
  private static boolean isSeen(JavaClass each) {
    return isSeen(each.getModifiers())
        && each.getEnclosingClass().map(ReplacedLibrary::isSeen).orElse(true);
  }

  private static boolean isSeen(Set<JavaModifier> modifiers) {
    return (modifiers.contains(JavaModifier.PUBLIC) || modifiers.contains(JavaModifier.PROTECTED))
        && !modifiers.contains(JavaModifier.SYNTHETIC);
  }

  private static void compare(JavaClass their, JavaClass our, Set<String> differences) {
    String prefix = their.getName() + "#";
    if (!isSeen(our)) {
      differences.add(prefix + "visibility");
    }
    for (JavaModifier modifier : List.of(JavaModifier.FINAL, JavaModifier.ABSTRACT)) {
      if (our.getModifiers().contains(modifier) && !their.getModifiers().contains(modifier)) {
        differences.add(prefix + modifier.name().toLowerCase(Locale.ROOT));
      }
    }
    if (our.isInterface() != their.isInterface()) {
      differences.add(prefix + "interface");
    }
    Set<String> supertypes = supertypes(our);
    supertypes(their).stream()
        .filter(each -> !supertypes.contains(each))
        .forEach(each -> differences.add(prefix + "extends " + each));
    Set<String> members = members(our);
    members(their).stream()
        .filter(each -> !members.contains(each))
        .forEach(each -> differences.add(prefix + each));
  }

  private static Set<String> supertypes(JavaClass of) {
    return Stream.concat(of.getAllRawSuperclasses().stream(), of.getAllRawInterfaces().stream())
        .map(JavaClass::getName)
        .collect(toCollection(TreeSet::new));
  }

  /** Each with all by which a program that is compiled finds it, and what it may have to catch. */
  private static Set<String> members(JavaClass of) {
    return of.getAllMembers().stream()
        .filter(each -> isSeen(each.getModifiers()) && isOf(each, of))
        .map(ReplacedLibrary::described)
        .collect(toCollection(TreeSet::new));
  }

  private static boolean isOf(JavaMember member, JavaClass of) {
    JavaClass owner = member.getOwner();
    return owner.equals(of)
        || (!owner.getPackageName().startsWith("java.") && !member.getName().equals("<init>"));
  }

  private static String described(JavaMember member) {
    StringBuilder text = new StringBuilder();
    if (member.getModifiers().contains(JavaModifier.STATIC)) {
      text.append("static ");
    }
    if (member.getModifiers().contains(JavaModifier.PROTECTED)) {
      text.append("protected ");
    }
    if (member instanceof JavaField field) {
      return text.append(field.getRawType().getName())
          .append(' ')
          .append(field.getName())
          .toString();
    }
    JavaCodeUnit code = (JavaCodeUnit) member;
    text.append(code.getRawReturnType().getName()).append(' ').append(code.getName());
    text.append(code.getRawParameterTypes().stream().map(JavaClass::getName).toList());
    code.getThrowsClause().stream()
        .map(ThrowsDeclaration::getRawType)
        .filter(type -> !type.isAssignableTo(RuntimeException.class))
        .map(JavaClass::getName)
        .sorted()
        .forEach(type -> text.append(" throws ").append(type));
    return text.toString();
  }
}
