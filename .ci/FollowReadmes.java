import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.TreeSet;
import java.util.regex.MatchResult;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * Does what the READMEs say, to the letter, as somebody would who has a checkout and nothing else: in
 * an empty directory for each, with a local Maven repository that has nothing of this project.
 *
 * <pre>java .ci/FollowReadmes.java [README...]</pre>
 *
 * <p>Without arguments it follows all that have a dependency to declare. Blocks are followed one after
 * the other, by the word behind their fence and what is in them:
 *
 * <ul>
 *   <li>{@code sh checkout}: run in the checkout, of which this takes a copy
 *   <li>{@code xml pom.xml}: the project file; another {@code xml} that begins with a dependency is
 *       added to the dependencies of the project file, which is that of the first program if the
 *       README has none
 *   <li>{@code java}: a source file, if it has a public class
 *   <li>{@code properties}: the file {@code application.properties} among the resources
 *   <li>{@code kotlin}: the same dependencies in Gradle's words, which are compared
 *   <li>{@code sh}: run in the project
 *   <li>{@code text} behind that: lines which that has printed, one after the other
 * </ul>
 *
 * <p>MAVEN_OPTS may have further options of Maven. The exit code is 1 if anything is not as it is said.
 */
class FollowReadmes {
  private static final Pattern BLOCK =
      Pattern.compile("^```(\\w+)(?: (\\S+))?\n(.*?)^```$", Pattern.DOTALL | Pattern.MULTILINE);
  private static final Pattern PACKAGE = Pattern.compile("(?m)^package ([\\w.]+);");
  private static final Pattern PUBLIC_CLASS = Pattern.compile("(?m)^public (?:final )?class (\\w+)");
  private static final Pattern COORDINATES =
      Pattern.compile(
          "<groupId>(.*?)</groupId>\\s*<artifactId>(.*?)</artifactId>\\s*<version>(.*?)</version>");
  private static final Pattern GRADLE = Pattern.compile("implementation\\(\"(.*?)\"\\)");

  private final Path checkout;
  private final Path repository;
  private final Path readme;
  private final Path project;
  private String output = "";
  private TreeSet<String> declared = new TreeSet<>();

  private FollowReadmes(Path checkout, Path repository, Path readme, Path project) {
    this.checkout = checkout;
    this.repository = repository;
    this.readme = readme;
    this.project = project;
  }

  public static void main(String[] arguments) throws Exception {
    int code = 0;
    Path here = Path.of("").toAbsolutePath();
    Path temporary = Files.createTempDirectory("follow-readmes");
    try {
      Path checkout = copyOfCheckout(here, temporary.resolve("checkout"));
      Path repository = repositoryWithoutSifr(temporary.resolve("repository"));
      List<String> readmes = arguments.length > 0 ? List.of(arguments) : readmes(here);
      int number = 0;
      for (String readme : readmes) {
        long start = System.nanoTime();
        Path project = Files.createDirectory(temporary.resolve("project-" + number++));
        new FollowReadmes(checkout, repository, checkout.resolve(readme), project).follow();
        System.out.printf("followed %s, %d s%n", readme, (System.nanoTime() - start) / 1_000_000_000);
      }
    } catch (Surprise e) {
      System.err.println(e.getMessage());
      code = 1;
    } finally {
      delete(temporary);
    }
    System.exit(code);
  }

  /** Something is not as a README says. */
  private static final class Surprise extends RuntimeException {
    private static final long serialVersionUID = 1;

    Surprise(String message) {
      super(message);
    }
  }

  /** The files that are tracked, as they are now. */
  private static Path copyOfCheckout(Path here, Path copy) throws Exception {
    Files.createDirectory(copy);
    run(here, "git ls-files -z | xargs -0 cp --parents -t '" + copy + "'", List.of());
    return copy;
  }

  /** What was downloaded before need not be again. The files are linked, not copied. */
  private static Path repositoryWithoutSifr(Path copy) throws Exception {
    Path usual = Path.of(System.getProperty("user.home"), ".m2", "repository");
    Path known = Path.of(System.getProperty("maven.repo.local", usual.toString()));
    Files.createDirectory(copy);
    if (Files.isDirectory(known)) {
      run(
          known,
          "cp -alf . '" + copy + "' 2>/dev/null || cp -a . '" + copy + "'; rm -rf '" + copy + "/io/sifr'",
          List.of());
    }
    return copy;
  }

  private static List<String> readmes(Path here) throws IOException {
    List<String> readmes = new ArrayList<>(List.of("README.md"));
    try (Stream<Path> extensions = Files.list(here.resolve("sifr-extensions"))) {
      for (Path extension : extensions.sorted().toList()) {
        Path readme = extension.resolve("README.md");
        if (Files.exists(readme) && Files.readString(readme).contains("```xml\n<dependency>")) {
          readmes.add(here.relativize(readme).toString());
        }
      }
    }
    return readmes;
  }

  private void follow() throws Exception {
    List<MatchResult> blocks = blocks(readme);
    for (MatchResult block : blocks) {
      String kind = block.group(1) + (block.group(2) == null ? "" : " " + block.group(2));
      String text = block.group(3);
      switch (kind) {
        case "sh checkout" -> run(checkout, text, mavenOptions());
        case "sh" -> output = run(project, text, mavenOptions());
        case "xml pom.xml" -> write("pom.xml", text);
        case "xml" -> declare(text);
        case "java" -> source(text);
        case "properties" -> write("src/main/resources/application.properties", text);
        case "kotlin" -> compareWithGradle(text);
        case "text" -> compareWithOutput(text);
        default -> {}
      }
    }
  }

  private static List<MatchResult> blocks(Path readme) throws IOException {
    return BLOCK.matcher(Files.readString(readme)).results().toList();
  }

  private List<String> mavenOptions() {
    return List.of("-Dmaven.repo.local=" + repository, "-Dstyle.color=never");
  }

  private void declare(String dependencies) throws IOException {
    if (!dependencies.startsWith("<dependency>")) {
      return;
    }
    Path pom = project.resolve("pom.xml");
    String project =
        Files.exists(pom)
            ? Files.readString(pom)
            : blocks(checkout.resolve("README.md")).stream()
                .filter(block -> "pom.xml".equals(block.group(2)))
                .findFirst()
                .orElseThrow()
                .group(3);
    declared = coordinates(dependencies);
    write("pom.xml", project.replaceFirst("(?=</dependencies>)", Matcher.quoteReplacement(dependencies)));
  }

  private static TreeSet<String> coordinates(String dependencies) {
    TreeSet<String> coordinates = new TreeSet<>();
    COORDINATES
        .matcher(dependencies)
        .results()
        .forEach(one -> coordinates.add(one.group(1) + ":" + one.group(2) + ":" + one.group(3)));
    return coordinates;
  }

  private void compareWithGradle(String text) {
    TreeSet<String> gradle = new TreeSet<>();
    GRADLE.matcher(text).results().forEach(one -> gradle.add(one.group(1)));
    if (!gradle.equals(declared)) {
      throw surprise("Maven has " + declared + ", and Gradle " + gradle);
    }
  }

  private void source(String text) throws IOException {
    Matcher name = PUBLIC_CLASS.matcher(text);
    if (name.find()) {
      Matcher inPackage = PACKAGE.matcher(text);
      String directory = inPackage.find() ? inPackage.group(1).replace('.', '/') + "/" : "";
      write("src/main/java/" + directory + name.group(1) + ".java", text);
    }
  }

  private void write(String file, String text) throws IOException {
    Path path = project.resolve(file);
    Files.createDirectories(path.getParent());
    Files.writeString(path, text);
  }

  private void compareWithOutput(String text) {
    if (!output.isEmpty() && !("\n" + output).contains("\n" + text)) {
      throw surprise("it says\n" + text + "and what is printed is\n" + output);
    }
    output = "";
  }

  private Surprise surprise(String what) {
    return new Surprise(checkout.relativize(readme) + ": " + what);
  }

  /** Runs commands, and returns what they print; ends at the first that fails. */
  private static String run(Path directory, String commands, List<String> mavenOptions)
      throws IOException, InterruptedException {
    Path errors = Files.createTempFile("follow-readmes", ".err");
    ProcessBuilder shell =
        new ProcessBuilder("bash", "-e", "-c", commands)
            .directory(directory.toFile())
            .redirectError(errors.toFile());
    String options = System.getenv().getOrDefault("MAVEN_OPTS", "");
    shell.environment().put("MAVEN_OPTS", options + " " + String.join(" ", mavenOptions));
    Process process = shell.start();
    String output = new String(process.getInputStream().readAllBytes(), UTF_8);
    int code = process.waitFor();
    String messages = Files.readString(errors);
    Files.delete(errors);
    if (code != 0) {
      throw new Surprise(
          "exit code " + code + " of\n" + commands + "which printed\n" + output + messages);
    }
    return output;
  }

  private static void delete(Path directory) throws IOException {
    try (Stream<Path> files = Files.walk(directory)) {
      files
          .sorted((one, other) -> other.compareTo(one))
          .forEach(
              file -> {
                try {
                  Files.delete(file);
                } catch (IOException e) {
                  throw new UncheckedIOException(e);
                }
              });
    }
  }
}
