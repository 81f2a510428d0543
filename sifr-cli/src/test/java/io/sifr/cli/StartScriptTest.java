package io.sifr.cli;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.sifr.Store;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.LockSupport;
import java.util.jar.Attributes;
import java.util.jar.JarOutputStream;
import java.util.jar.Manifest;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import java.util.zip.ZipEntry;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;

/**
 * Runs {@code bin/sifr} as a process of its own. The script stands in a copy of the module whose
 * jar only points to the classes under test, so that nothing has to be packaged first.
 */
@Tag("process")
@EnabledOnOs({OS.LINUX, OS.MAC})
class StartScriptTest {
  private static final String JAVA_HOME = System.getProperty("java.home");

  /** Not the user's: what is set there must not matter. */
  private static final String SYSTEM_PATH = "/usr/local/bin:/usr/bin:/bin";

  @TempDir private Path temporary;
  private Path script;
  private Path target;
  private Path jar;
  private Path store;

  @BeforeEach
  void copyModule() throws IOException {
    Path module = Files.createDirectories(temporary.resolve("repository/sifr-cli"));
    Files.createDirectories(module.resolve("bin"));
    script = Files.copy(Path.of("bin", "sifr"), module.resolve("bin/sifr"));
    makeExecutable(script);
    Files.copy(Path.of("bin", "launcher.sh"), module.resolve("bin/launcher.sh"));
    target = Files.createDirectories(module.resolve("target"));
    jar = target.resolve("sifr-cli.jar");
    store = temporary.resolve("store");
  }

  private static void makeExecutable(Path file) throws IOException {
    Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rwxr-xr-x"));
  }

  private void writeJar() throws IOException {
    List<Path> entries =
        Arrays.stream(System.getProperty("java.class.path").split(":", -1)).map(Path::of).toList();
    new JarOutputStream(Files.newOutputStream(jar), manifest(entries)).close();
  }

  private static Manifest manifest(List<Path> classPath) {
    Manifest manifest = new Manifest();
    Attributes attributes = manifest.getMainAttributes();
    attributes.put(Attributes.Name.MANIFEST_VERSION, "1.0");
    attributes.put(Attributes.Name.MAIN_CLASS, SifrCommand.class.getName());
    attributes.put(
        Attributes.Name.CLASS_PATH,
        classPath.stream().map(entry -> entry.toUri().toString()).collect(Collectors.joining(" ")));
    return manifest;
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

  /** Puts a Maven of ours before the others. */
  private Map<String, String> withMaven(String content) throws IOException {
    script("tools/mvn", "#!/bin/bash\n" + content);
    return Map.of("PATH", temporary.resolve("tools") + ":" + SYSTEM_PATH);
  }

  /** What Maven does, when it builds the jar: takes its time, and writes it under another name. */
  private String buildOfJar() throws IOException {
    writeJar();
    Path built = Files.move(jar, temporary.resolve("built.jar"));
    return "echo \"$PWD: mvn $*\" >>'%s'; touch '%2$s.part'; sleep 0.5; cp '%3$s' '%2$s.part'\n"
        .formatted(temporary.resolve("calls"), jar, built);
  }

  @Test
  void aMissingJarIsBuiltWithoutTestsAndChecks() throws Exception {
    Map<String, String> environment = withMaven(buildOfJar());

    Cli.Result result = run(environment, script.toString(), "--version");

    assertThat(result.exitCode()).describedAs(result.toString()).isZero();
    assertThat(result.out()).startsWith("sifr ").hasLineCount(1);
    assertThat(result.err())
        .startsWith("sifr: building " + jar.toRealPath())
        .contains("sifr: built in ")
        .hasLineCount(2);
    assertThat(Files.readString(temporary.resolve("calls")))
        .isEqualTo(
            temporary.toRealPath().resolve("repository")
                + ": mvn -B -Pprograms-only -DskipChecks -Dprograms.suffix=.part"
                + " -pl sifr-cli -am package\n");

    assertThat(run(environment, script.toString(), "--version").err()).isEmpty();
  }

  @Test
  void onATerminalABuildShowsWhatItDoes() throws Exception {
    Map<String, String> environment = new HashMap<>(withMaven(buildOfJar()));
    script(
        "tools/mvn",
        """
        #!/bin/bash
        echo '[INFO] --- maven-compiler-plugin:3.16.0:compile (default-compile) @ sifr-core ---'
        echo '[INFO] Downloaded from central: https://host/a/a-1.pom (1 kB at 2 kB/s)'
        echo '[INFO] Downloading from central: https://host/guava/33/guava-33.jar'
        sleep 2
        exit 1
        """);
    environment.put("TERM", "xterm");

    Cli.Result result =
        run(
            environment,
            "script",
            "-qec",
            script + " --version",
            temporary.resolve("typescript").toString());

    assertThat(result.out())
        .contains("s, 1 files fetched: fetching guava-33.jar")
        .contains("sifr: the build failed; its log is ");
  }

  @Test
  void commandsThatStartTogetherBuildOnce() throws Exception {
    Map<String, String> environment = withMaven(buildOfJar());

    Cli.Result result =
        run(
            environment,
            "bash",
            "-c",
            "for i in 1 2 3; do \"$0\" --version & done; wait",
            script.toString());

    assertThat(result.out().lines()).hasSize(3).allMatch(line -> line.startsWith("sifr "));
    assertThat(Files.readAllLines(temporary.resolve("calls"))).hasSize(1);
    assertThat(result.err().lines().filter(line -> line.startsWith("sifr: built in"))).hasSize(1);
  }

  @Test
  void aBuildThatFailsIsToldWithItsLog() throws Exception {
    Cli.Result result =
        run(
            withMaven("echo '[ERROR] Failed to execute goal: Unknown host repository'; exit 1\n"),
            script.toString());

    Path log = jar.resolveSibling("build.log").toRealPath();
    assertThat(result.exitCode()).isEqualTo(127);
    assertThat(result.err())
        .contains("sifr: Maven cannot fetch what the build needs")
        .contains("[ERROR] Failed to execute goal")
        .endsWith("sifr: the build failed; its log is " + log + "\n");
    assertThat(log).content().contains("Unknown host repository");
    assertThat(result.out()).isEmpty();
    assertThat(Files.isSymbolicLink(jar.resolveSibling("build.lock"))).isFalse();
  }

  @Test
  void aBuildWhoseProcessDiedIsTakenOver() throws Exception {
    Map<String, String> environment = withMaven(buildOfJar());
    Process dead = new ProcessBuilder("true").start();
    assertThat(dead.waitFor()).isZero();
    Files.createSymbolicLink(jar.resolveSibling("build.lock"), Path.of(Long.toString(dead.pid())));

    Cli.Result result = run(environment, script.toString(), "--version");

    assertThat(result.out()).startsWith("sifr ");
    assertThat(result.err()).contains("sifr: built in ").doesNotContain("waiting");
  }

  /** The JVM keeps classes of jars only: those under test are packed into one. */
  private void writePackedJar() throws IOException {
    List<Path> directories = new ArrayList<>();
    List<Path> jars = new ArrayList<>();
    for (String entry : System.getProperty("java.class.path").split(":", -1)) {
      Path path = Path.of(entry);
      (Files.isDirectory(path) ? directories : jars).add(path);
    }
    Set<String> packed = new HashSet<>();
    try (JarOutputStream out = new JarOutputStream(Files.newOutputStream(jar), manifest(jars))) {
      for (Path directory : directories) {
        try (Stream<Path> files = Files.walk(directory)) {
          for (Path file : files.filter(Files::isRegularFile).toList()) {
            String name = directory.relativize(file).toString();
            if (!name.startsWith("META-INF") && packed.add(name)) {
              out.putNextEntry(new ZipEntry(name));
              Files.copy(file, out);
            }
          }
        }
      }
    }
  }

  /** The only archive under a directory. */
  private static Path archive(Path root) throws IOException {
    try (Stream<Path> files = Files.walk(root)) {
      List<Path> archives = files.filter(file -> file.endsWith("classes")).toList();
      assertThat(archives).hasSize(1);
      return archives.get(0);
    }
  }

  private void assertVersionIsTold(Map<String, String> environment) throws Exception {
    Cli.Result result = run(environment, script.toString(), "--version");
    assertThat(result.out()).describedAs(result.toString()).startsWith("sifr ").hasLineCount(1);
    assertThat(result.err()).isEmpty();
    assertThat(result.exitCode()).isZero();
  }

  @Test
  void aClassArchiveIsMadeOnceAndUsed() throws Exception {
    writePackedJar();
    assertVersionIsTold(Map.of());

    Path archive = archive(target);
    FileTime made = Files.getLastModifiedTime(archive);
    assertVersionIsTold(Map.of());
    assertThat(Files.getLastModifiedTime(archive)).isEqualTo(made);

    Cli.Result result =
        run(
            Map.of("SIFR_JAVA_OPTS", "-Xlog:class+load"),
            script.toString(),
            "get",
            "--db",
            store.toString(),
            "key");
    assertThat(result.out()).containsPattern("io.sifr.cli.CliContext source: shared objects file");
  }

  @Test
  void anArchiveThatIsDamagedOrOfAnotherJarIsMadeAnew() throws Exception {
    writePackedJar();
    assertVersionIsTold(Map.of());
    Path archive = archive(target);
    byte[] whole = Files.readAllBytes(archive);

    Files.write(archive, Arrays.copyOf(whole, 100_000)); // a JVM 17 crashes on this one
    assertVersionIsTold(Map.of());
    assertThat(Files.size(archive)).isGreaterThan(1_000_000);

    FileTime before = Files.getLastModifiedTime(archive);
    Files.setLastModifiedTime(jar, FileTime.fromMillis(0));
    assertVersionIsTold(Map.of());
    assertThat(Files.getLastModifiedTime(archive)).isNotEqualTo(before);

    // Not noticed by the script, but by the JVM.
    FileTime time = Files.getLastModifiedTime(archive);
    byte[] damaged = Files.readAllBytes(archive);
    Arrays.fill(damaged, 0, 4096, (byte) 7);
    Files.write(archive, damaged);
    Files.setLastModifiedTime(archive, time);
    assertVersionIsTold(Map.of());
    assertThat(archive).hasBinaryContent(damaged);
  }

  @Test
  void commandsThatStartTogetherMakeOneArchive() throws Exception {
    writePackedJar();

    Cli.Result result =
        run(
            Map.of(),
            "bash",
            "-c",
            "for i in 1 2 3; do \"$0\" --version & done; wait",
            script.toString());

    assertThat(result.out().lines()).hasSize(3).allMatch(line -> line.startsWith("sifr "));
    assertThat(result.err()).isEmpty();
    assertThat(archive(target)).isNotEmptyFile();
    try (Stream<Path> left = Files.list(jar.resolveSibling("class-archive"))) {
      assertThat(left).hasSize(1);
    }
  }

  @Test
  void anArchiveLiesWithTheUserWhereItCannotLieBesideTheJar() throws Exception {
    writePackedJar();
    // Nobody makes a directory there, not even who may write everywhere.
    Files.createFile(jar.resolveSibling("class-archive"));
    assertVersionIsTold(Map.of());
    assertVersionIsTold(Map.of("HOME", Files.createFile(temporary.resolve("file")).toString()));

    Path cache = temporary.resolve("cache");
    assertVersionIsTold(Map.of("XDG_CACHE_HOME", cache.toString()));
    assertThat(archive(cache)).isNotEmptyFile();
    assertVersionIsTold(Map.of("XDG_CACHE_HOME", cache.toString()));
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
    for (String tool : new String[] {"bash", "readlink"}) {
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

  @Test
  void followingChangesEndsWithAnInterrupt() throws Exception {
    writeJar();
    Path err = temporary.resolve("err");
    String[] following = {
      "env",
      "--default-signal=INT",
      script.toString(),
      "changes",
      "--follow",
      "--db",
      store.toString()
    };
    try (Store opened = Store.open(store)) {
      opened.database().put("a".getBytes(UTF_8), "1".getBytes(UTF_8));
      Process follow = process(Map.of(), following).redirectError(err.toFile()).start();
      try (BufferedReader out =
          new BufferedReader(new InputStreamReader(follow.getInputStream(), UTF_8))) {
        assertThat(out.readLine()).endsWith("1  put  default  a  1");
        opened.database().put("b".getBytes(UTF_8), "2".getBytes(UTF_8));
        assertThat(out.readLine()).endsWith("2  put  default  b  2");

        Process kill = new ProcessBuilder("kill", "-INT", Long.toString(follow.pid())).start();
        assertThat(kill.waitFor()).isZero();
        assertThat(follow.waitFor(1, TimeUnit.MINUTES)).isTrue();
        assertThat(out.readLine()).isNull();
      }
      assertThat(follow.exitValue()).isEqualTo(ExitCodes.STOPPED);
      assertThat(err).content().contains("is in use by process").hasLineCount(1);
    }
  }

  @Test
  void followingChangesEndsWithItsOutput() throws Exception {
    writeJar();
    try (Store opened = Store.open(store)) {
      opened.database().put("key".getBytes(UTF_8), "v".getBytes(UTF_8));
      AtomicBoolean isDone = new AtomicBoolean();
      Thread writing =
          new Thread(
              () -> {
                while (!isDone.get()) {
                  opened.database().put("key".getBytes(UTF_8), "v".getBytes(UTF_8));
                  LockSupport.parkNanos(10_000_000);
                }
              });
      writing.start();
      Cli.Result result =
          run(
              Map.of(),
              "bash",
              "-c",
              "\"$0\" changes --follow --db \"$1\" | head -n 2; exit \"${PIPESTATUS[0]}\"",
              script.toString(),
              store.toString());
      isDone.set(true);
      writing.join();

      assertThat(result.exitCode()).isEqualTo(ExitCodes.OUTPUT_CLOSED);
      assertThat(result.out()).hasLineCount(2);
      assertThat(result.err()).contains("is in use by process").hasLineCount(1);
    }
  }
}
