package io.sifr.cli;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.sifr.Store;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.jar.Attributes;
import java.util.jar.JarOutputStream;
import java.util.jar.Manifest;
import java.util.stream.Collectors;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;

/**
 * Runs {@code bin/sifr} as a process of its own. The script stands in a copy of the module whose
 * jar only points to the classes under test, so that nothing has to be packaged first.
 */
@EnabledOnOs({OS.LINUX, OS.MAC})
class StartScriptTest {
  private static final String JAVA_HOME = System.getProperty("java.home");

  /** Not the user's: what is set there must not matter. */
  private static final String SYSTEM_PATH = "/usr/local/bin:/usr/bin:/bin";

  @TempDir private Path temporary;
  private Path script;
  private Path jar;
  private Path store;

  @BeforeEach
  void copyModule() throws IOException {
    Path module = Files.createDirectories(temporary.resolve("repository/sifr-cli"));
    Files.createDirectories(module.resolve("bin"));
    script = Files.copy(Path.of("bin", "sifr"), module.resolve("bin/sifr"));
    makeExecutable(script);
    Files.copy(Path.of("bin", "launcher.sh"), module.resolve("bin/launcher.sh"));
    jar = Files.createDirectories(module.resolve("target")).resolve("sifr-cli.jar");
    store = temporary.resolve("store");
  }

  private static void makeExecutable(Path file) throws IOException {
    Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rwxr-xr-x"));
  }

  private void writeJar() throws IOException {
    Manifest manifest = new Manifest();
    Attributes attributes = manifest.getMainAttributes();
    attributes.put(Attributes.Name.MANIFEST_VERSION, "1.0");
    attributes.put(Attributes.Name.MAIN_CLASS, SifrCommand.class.getName());
    attributes.put(
        Attributes.Name.CLASS_PATH,
        Arrays.stream(System.getProperty("java.class.path").split(":", -1))
            .map(entry -> Path.of(entry).toUri().toString())
            .collect(Collectors.joining(" ")));
    new JarOutputStream(Files.newOutputStream(jar), manifest).close();
  }

  private Path script(String name, String content) throws IOException {
    Path file = temporary.resolve(name);
    Files.createDirectories(file.getParent());
    Files.writeString(file, content);
    makeExecutable(file);
    return file;
  }

  private ProcessBuilder process(Map<String, String> environment, String... command) {
    ProcessBuilder builder = new ProcessBuilder(command);
    builder.environment().clear();
    builder.environment().put("PATH", SYSTEM_PATH);
    builder.environment().put("JAVA_HOME", JAVA_HOME);
    builder.environment().putAll(environment);
    return builder;
  }

  private Cli.Result run(Map<String, String> environment, String... command)
      throws IOException, InterruptedException {
    Path err = temporary.resolve("err");
    Process process = process(environment, command).redirectError(err.toFile()).start();
    process.getOutputStream().close();
    byte[] out = process.getInputStream().readAllBytes();
    return new Cli.Result(process.waitFor(), out, Files.readString(err));
  }

  private Cli.Result sifr(String... arguments) throws IOException, InterruptedException {
    List<String> command = new ArrayList<>(List.of(script.toString()));
    command.addAll(Arrays.asList(arguments));
    return run(Map.of(), command.toArray(String[]::new));
  }

  @Test
  void commandsRunWithExitCodesAndNothingElseOnTheStreams() throws Exception {
    writeJar();

    Cli.Result put = sifr("put", "--db", store.toString(), "Größe", "länger");
    assertThat(put.exitCode()).describedAs(put.toString()).isZero();
    assertThat(put.out()).isEmpty();
    assertThat(put.err()).isEmpty();

    // In the POSIX locale, too, arguments are UTF-8.
    assertThat(Cli.run(store, "get", "Größe").out()).isEqualTo("länger\n");

    Cli.Result get = sifr("get", "--db", store.toString(), "nothing");
    assertThat(get.exitCode()).isEqualTo(ExitCodes.NOT_FOUND);
    assertThat(get.err()).isEqualTo("sifr: not found: nothing\n");
  }

  @Test
  void theScriptIsFoundThroughLinks() throws Exception {
    writeJar();
    Path link = Files.createSymbolicLink(temporary.resolve("sifr"), script);

    assertThat(run(Map.of(), link.toString(), "--version").out()).startsWith("sifr ");
  }

  @Test
  void aMissingJarIsBuilt() throws Exception {
    script("tools/mvn", "#!/bin/sh\necho \"$PWD: mvn $*\"\nexit 1\n");

    Cli.Result result =
        run(Map.of("PATH", temporary.resolve("tools") + ":" + SYSTEM_PATH), script.toString());

    assertThat(result.exitCode()).isEqualTo(127);
    assertThat(result.err())
        .contains(
            temporary.toRealPath().resolve("repository")
                + ": mvn -q -pl sifr-cli -am -DskipTests package\n")
        .endsWith("sifr: the build failed\n");
    assertThat(result.out()).isEmpty();
  }

  @Test
  void anOldJavaIsPassedOver() throws Exception {
    writeJar();
    Path old = script("old/bin/java", "#!/bin/sh\necho 'must not run' >&2\nexit 1\n");
    Files.writeString(temporary.resolve("old/release"), "JAVA_VERSION=\"11.0.2\"\n");
    String oldHome = temporary.resolve("old").toString();

    Cli.Result other =
        run(
            Map.of("JAVA_HOME", oldHome, "PATH", JAVA_HOME + "/bin:" + SYSTEM_PATH),
            script.toString(),
            "--version");
    assertThat(other.out()).describedAs(other.toString()).startsWith("sifr ");

    // Tools of the script, but no java.
    for (String tool : new String[] {"bash", "dirname", "readlink", "sed"}) {
      Path path = Path.of("/usr/bin", tool);
      path = Files.exists(path) ? path : Path.of("/bin", tool);
      script("no-java/" + tool, "#!/bin/sh\nexec " + path + " \"$@\"\n");
    }
    Cli.Result none =
        run(
            Map.of("JAVA_HOME", oldHome, "PATH", temporary.resolve("no-java").toString()),
            script.toString(),
            "--version");
    assertThat(none.exitCode()).isEqualTo(127);
    assertThat(none.err())
        .contains("Java 17 or newer is needed", old + " is Java 11", "Set JAVA_HOME")
        .hasLineCount(1);
  }

  /** A store whose scan is longer than any pipe holds. */
  private void fill() {
    try (Store opened = Store.open(store)) {
      for (int i = 0; i < 200; i++) {
        opened.database().put(("key" + i).getBytes(UTF_8), "v".repeat(10_000).getBytes(UTF_8));
      }
    }
  }

  @Test
  void aReaderWhoHasEnoughEndsAScanQuietly() throws Exception {
    writeJar();
    fill();

    Cli.Result result =
        run(
            Map.of(),
            "bash",
            "-c",
            "\"$0\" scan --db \"$1\" | head -n 1; exit \"${PIPESTATUS[0]}\"",
            script.toString(),
            store.toString());

    assertThat(result.exitCode()).isEqualTo(ExitCodes.OUTPUT_CLOSED);
    assertThat(result.out()).startsWith("key0\tv").hasLineCount(1);
    assertThat(result.err()).isEmpty();
  }

  @Test
  void anInterruptEndsACommandQuietly() throws Exception {
    writeJar();
    fill();
    Path err = temporary.resolve("err");
    // The build may run where interrupts are ignored, and children inherit that.
    String[] scanning = {
      "env", "--default-signal=INT", script.toString(), "scan", "--db", store.toString()
    };
    Process scan = process(Map.of(), scanning).redirectError(err.toFile()).start();
    try (BufferedReader out =
        new BufferedReader(new InputStreamReader(scan.getInputStream(), UTF_8))) {
      // It is in the middle of its work, and will be until somebody reads on.
      assertThat(out.readLine()).startsWith("key0\t");

      Process kill = new ProcessBuilder("kill", "-INT", Long.toString(scan.pid())).start();
      assertThat(kill.waitFor()).isZero();
      assertThat(scan.waitFor(1, TimeUnit.MINUTES)).isTrue();
    }

    assertThat(scan.exitValue()).isEqualTo(ExitCodes.STOPPED);
    assertThat(err).isEmptyFile();
    assertThat(Cli.run(store, "get", "key1").exitCode()).isZero();
  }
}
