package io.sifr.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** The start scripts for Windows, as far as they can be tested elsewhere: as texts. */
class WindowsScriptTest {
  private static final Path ROOT = Path.of("..");

  /** What a script and that for Windows must both say: a group, where only that is the same. */
  private static final Pattern SHARED =
      Pattern.compile(
          "(?m)^(?:program|module)=(\\S+)"
              + "|-XX:\\+?\\w+(?:=\\d+)?"
              + "|-D[\\w.]+=[\\w,]+"
              + "|-pl [\\w,/-]+"
              + "|\\b(?:io\\.sifr|site\\.ycsb)(?:\\.\\w+)+"
              + "|\\$\\{\\d:-(\\w+)}");

  /** The scripts in all directories that are called bin. */
  static Stream<Path> scripts() throws IOException {
    List<Path> found = new ArrayList<>();
    Files.walkFileTree(
        ROOT,
        new SimpleFileVisitor<>() {
          @Override
          public FileVisitResult preVisitDirectory(Path directory, BasicFileAttributes attributes) {
            String name = directory.getFileName().toString();
            boolean isOther =
                !directory.equals(ROOT) && (name.equals("target") || name.startsWith("."));
            return isOther ? FileVisitResult.SKIP_SUBTREE : FileVisitResult.CONTINUE;
          }

          @Override
          public FileVisitResult visitFile(Path file, BasicFileAttributes attributes) {
            if (Objects.requireNonNull(file.getParent()).endsWith("bin")
                && !file.toString().contains("launcher")) {
              found.add(file);
            }
            return FileVisitResult.CONTINUE;
          }
        });
    return found.stream().filter(file -> !file.toString().endsWith(".cmd")).sorted();
  }

  private static Path forWindows(Path script) {
    return script.resolveSibling(script.getFileName() + ".cmd");
  }

  @ParameterizedTest
  @MethodSource("scripts")
  void everyScriptHasOneThatStartsTheSame(Path script) throws IOException {
    String windows = Files.readString(forWindows(script));
    List<MatchResult> said = SHARED.matcher(Files.readString(script)).results().toList();

    assertThat(said).hasSizeGreaterThan(1);
    for (MatchResult match : said) {
      String same = match.group(1) != null ? match.group(1) : match.group(2);
      assertThat(windows).contains(same == null ? match.group() : same);
    }
    assertThat(windows).startsWith("@echo off\r\n").contains("\r\nsetlocal\r\n");
    assertThat(windows.replace("\r\n", "")).doesNotContain("\n", "\r");
    // The exit code of the program, or what is made of it.
    assertThat(windows).containsPattern("exit /b (%errorlevel%|%status%|1)\r\n");
    // Paths with blanks.
    assertThat(windows).doesNotContainPattern("(?<![\"@])%(java|jar|class_path|directory)%(?!\")");
    if (windows.contains("launcher.cmd\"")) {
      Path launcher =
          script.resolveSibling(
              windows.replaceAll("(?s).*call \"%~dp0([^\"]*)\".*", "$1").replace('\\', '/'));
      assertThat(launcher).isRegularFile();
      assertThat(windows)
          .contains("call \"%~dp0")
          .contains("launcher.cmd\"\r\nif errorlevel 1 exit /b 127\r\n");
    }
  }

  @Test
  void allScriptsAreFound() throws IOException {
    assertThat(scripts().map(script -> script.getFileName().toString()))
        .contains("sifr", "sifr-bench", "sifr-ycsb", "sifr-import-leveldb", "start-cluster");
  }

  @Test
  void theRepositoryKeepsTheirLineEnds() throws IOException {
    assertThat(Files.readString(ROOT.resolve(".gitattributes")))
        .contains("\n*.cmd text eol=crlf\n");
  }

  @Test
  void theLauncherBuildsTheSame() throws IOException {
    String build = "mvn -B -Pprograms-only -DskipChecks -Dprograms.suffix=.part -pl ";
    assertThat(Files.readString(ROOT.resolve("sifr-cli/bin/launcher.sh")).replace("\\\n    ", ""))
        .contains(build + "\"$module\" -am package");
    assertThat(Files.readString(ROOT.resolve("sifr-cli/bin/launcher.cmd")))
        .contains(build + "%module% -am package")
        .contains("%project_dir%\\%module:/=\\%\\target\\%%~nxm.jar");
  }
}
