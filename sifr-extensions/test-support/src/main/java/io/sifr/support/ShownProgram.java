package io.sifr.support;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import javax.tools.ToolProvider;

/**
 * A program that a document shows, and the text that the document says it prints.
 *
 * @param source one class with a {@code main}
 * @param text what it prints to standard output
 */
public record ShownProgram(String source, String text) {
  private static final Pattern PACKAGE = Pattern.compile("(?m)^package ([\\w.]+);");
  private static final Pattern CLASS = Pattern.compile("\\bclass (\\w+)");

  /**
   * The programs of a document: each is followed by a block of text.
   *
   * @param document with lines that end as on Linux
   * @param kind of the blocks that are programs, as it stands behind the three backquotes
   */
  public static List<ShownProgram> of(String document, String kind) {
    Pattern program =
        Pattern.compile(
            "```" + Pattern.quote(kind) + "\n(.*?)```.*?```text\n(.*?)```", Pattern.DOTALL);
    return program
        .matcher(document)
        .results()
        .map(shown -> new ShownProgram(shown.group(1), shown.group(2)))
        .toList();
  }

  private String name() {
    Matcher matcher = CLASS.matcher(source);
    assertThat(matcher.find()).as("a class in%n%s", source).isTrue();
    return matcher.group(1);
  }

  /**
   * Compiles it and runs it in a process of its own, with the class path of this one.
   *
   * @param directory in which it runs
   * @param environment variables beside those of this process
   */
  public void assertPrintsItsText(Path directory, Map<String, String> environment)
      throws IOException, InterruptedException {
    String name = name();
    Matcher inPackage = PACKAGE.matcher(source);
    String main = inPackage.find() ? inPackage.group(1) + "." + name : name;
    Path file = Files.writeString(directory.resolve(name + ".java"), source);
    String classPath = System.getProperty("java.class.path");
    int compiled =
        ToolProvider.getSystemJavaCompiler()
            .run(
                null,
                null,
                null,
                "-parameters",
                "-proc:none",
                "-cp",
                classPath,
                "-d",
                directory.toString(),
                file.toString());
    assertThat(compiled).isZero();

    Path out = directory.resolve("out");
    Path err = directory.resolve("err");
    ProcessBuilder java =
        new ProcessBuilder(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-XX:TieredStopAtLevel=1", // it is over before more would be worth its time
                "-XX:+UseSerialGC",
                "-cp",
                directory + File.pathSeparator + classPath,
                main)
            .directory(directory.toFile())
            .redirectOutput(out.toFile())
            .redirectError(err.toFile());
    java.environment().putAll(environment);
    Process running = java.start();
    assertThat(running.waitFor()).as(Files.readString(err)).isZero();
    assertThat(out).content(UTF_8).isEqualToNormalizingNewlines(text);
  }

  @Override
  public String toString() {
    return name();
  }
}
