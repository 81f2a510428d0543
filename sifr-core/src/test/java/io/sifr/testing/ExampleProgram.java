package io.sifr.testing;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import javax.tools.ToolProvider;

/**
 * A program that a document shows: one class with a {@code main}.
 *
 * @param name of the class
 * @param source the program
 */
public record ExampleProgram(String name, String source) {
  private static final Pattern CLASS = Pattern.compile("\\bclass (\\w+)");

  /**
   * How a program has ended.
   *
   * @param exitCode of its process
   * @param out what it has printed to standard output, with lines that end as on Linux
   * @param err what it has printed to standard error, the same
   */
  public record Result(int exitCode, String out, String err) {}

  /** The program of a text, named as its first class is. */
  public static ExampleProgram of(String source) {
    Matcher name = CLASS.matcher(source);
    assertThat(name.find()).as("a class in%n%s", source).isTrue();
    return new ExampleProgram(name.group(1), source);
  }

  /**
   * Compiles the program, and runs it in a JVM of its own, as a new project would.
   *
   * @param directory an empty one, in which it runs
   */
  public Result run(Path directory) throws IOException, InterruptedException {
    Path file = Files.writeString(directory.resolve(name + ".java"), source);
    Path classes = Files.createDirectory(directory.resolve("classes"));
    String classPath = classPathWithoutLogging();
    int compiled =
        ToolProvider.getSystemJavaCompiler()
            .run(null, null, null, "-cp", classPath, "-d", classes.toString(), file.toString());
    assertThat(compiled).isZero();

    Path out = directory.resolve("out");
    Path err = directory.resolve("err");
    int exitCode =
        new ProcessBuilder(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-XX:TieredStopAtLevel=1", // it is over before more would be worth its time
                "-XX:+UseSerialGC",
                "-cp",
                classes + File.pathSeparator + classPath,
                name)
            .directory(directory.toFile())
            .redirectOutput(out.toFile())
            .redirectError(err.toFile())
            .start()
            .waitFor();
    return new Result(exitCode, text(out), text(err));
  }

  private static String text(Path file) throws IOException {
    return Files.readString(file).replace("\r\n", "\n");
  }

  /** The tests have a provider for SLF4J, a new project has none. */
  private static String classPathWithoutLogging() {
    return Arrays.stream(System.getProperty("java.class.path").split(File.pathSeparator, -1))
        .map(entry -> Path.of(entry).toAbsolutePath())
        .filter(entry -> !entry.getFileName().toString().startsWith("logback-"))
        .map(Path::toString)
        .collect(Collectors.joining(File.pathSeparator));
  }
}
