package io.sifr.bench.report;

import io.sifr.cli.terminal.Units;
import java.io.IOException;
import java.io.InputStream;
import java.lang.management.GarbageCollectorMXBean;
import java.lang.management.ManagementFactory;
import java.nio.charset.StandardCharsets;
import java.nio.file.FileStore;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.LocalDate;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Properties;
import java.util.TreeSet;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * The environment of the measurements: machine, operating system, file system, JVM, versions.
 * Unknown facts are omitted. Names of hosts and users are not included.
 */
public final class Machine {
  private static final String ALL_CODE = ":(top,glob)**/src/main/**";
  private static final String ALL_POMS = ":(top,glob)**/pom.xml";

  private final Path root;
  private final List<List<String>> rows = new ArrayList<>();

  private Machine(Path root) {
    this.root = root;
  }

  /**
   * A table of the facts now.
   *
   * @param directory where the stores are
   */
  public static Block.Table describe(Path directory) throws IOException {
    return describe(directory, Path.of("/"));
  }

  /** The facts of {@link #describe(Path)} as one paragraph. */
  public static Block.Text inWords(Path directory) throws IOException {
    return new Block.Text(
        describe(directory).rows().stream()
            .map(row -> row.get(0) + " " + row.get(1))
            .collect(Collectors.joining("; ", "Measured on: ", ".")));
  }

  /** The same with the files of the operating system below a directory. */
  static Block.Table describe(Path directory, Path root) throws IOException {
    return new Machine(root).table(directory);
  }

  private Block.Table table(Path directory) throws IOException {
    add("date", LocalDate.now(ZoneOffset.UTC).toString());
    add("commit", commit());
    addHardware();
    addOperatingSystem();
    addFileSystem(directory);
    addJvm();
    addVersions();
    return new Block.Table(List.of("", "measured on"), rows);
  }

  /**
   * The commit of the sources here, "-dirty" if what programs are built of differs from it, and not
   * only a page such as the one that the figures are written to; empty if there are none.
   */
  public static String commit() {
    return commit(Path.of(""));
  }

  /** The same of the sources in a directory. */
  static String commit(Path directory) {
    String commit = git(directory, "describe", "--always", "--abbrev=10");
    String changed = git(directory, "diff", "--name-only", "HEAD", "--", ALL_CODE, ALL_POMS);
    return changed.isEmpty() ? commit : commit + "-dirty";
  }

  private static String git(Path directory, String... arguments) {
    List<String> command = new ArrayList<>(List.of("git"));
    command.addAll(List.of(arguments));
    ProcessBuilder git =
        new ProcessBuilder(command)
            .directory(directory.toAbsolutePath().toFile())
            .redirectError(ProcessBuilder.Redirect.DISCARD);
    try (InputStream out = git.start().getInputStream()) {
      return new String(out.readAllBytes(), StandardCharsets.UTF_8).strip();
    } catch (IOException e) {
      return ""; // no git
    }
  }

  private void addHardware() throws IOException {
    add("processor", value("proc/cpuinfo", ':', "model name"));
    add("processors", Integer.toString(Runtime.getRuntime().availableProcessors()));
    add("frequency governor", text("sys/devices/system/cpu/cpu0/cpufreq/scaling_governor"));
    if (ManagementFactory.getOperatingSystemMXBean()
        instanceof com.sun.management.OperatingSystemMXBean system) {
      add("memory", Units.bytes(system.getTotalMemorySize()));
    }
  }

  private void addOperatingSystem() throws IOException {
    add("operating system", value("etc/os-release", '=', "PRETTY_NAME").replace("\"", ""));
    add("kernel", properties("os.name", "os.version", "os.arch"));
    add("huge pages", text("sys/kernel/mm/transparent_hugepage/enabled"));
  }

  private void addFileSystem(Path directory) throws IOException {
    FileStore store = Files.getFileStore(directory);
    add("file system", store.type());
    add("its size", Units.bytes(store.getTotalSpace()));
    add("unused of it", Units.bytes(store.getUsableSpace()));
  }

  private void addJvm() {
    add("JVM", properties("java.vm.name", "java.vm.version"));
    add("JVM vendor", properties("java.vendor"));
    add("largest heap", Units.bytes(Runtime.getRuntime().maxMemory()));
    add(
        "garbage collectors",
        ManagementFactory.getGarbageCollectorMXBeans().stream()
            .map(GarbageCollectorMXBean::getName)
            .collect(Collectors.joining(", ")));
    // Other arguments, and those with paths, could reveal facts about the user.
    add(
        "JVM flags",
        ManagementFactory.getRuntimeMXBean().getInputArguments().stream()
            .filter(argument -> argument.startsWith("-X") && !argument.contains("/"))
            .collect(Collectors.joining(" ")));
  }

  private void addVersions() throws IOException {
    Properties versions = new Properties();
    try (InputStream in = Machine.class.getResourceAsStream("versions.properties")) {
      versions.load(Objects.requireNonNull(in));
    }
    for (String name : new TreeSet<>(versions.stringPropertyNames())) {
      add(name, versions.getProperty(name));
    }
  }

  private void add(String fact, String value) {
    if (!value.isBlank()) {
      rows.add(List.of(fact, value.strip()));
    }
  }

  private static String properties(String... names) {
    return Stream.of(names)
        .map(System::getProperty)
        .filter(Objects::nonNull)
        .collect(Collectors.joining(" "));
  }

  /** The first value of that name in a file of names and values; empty if there is none. */
  private String value(String file, char separator, String name) throws IOException {
    return text(file)
        .lines()
        .filter(line -> line.indexOf(separator) > 0)
        .filter(line -> line.substring(0, line.indexOf(separator)).strip().equals(name))
        .map(line -> line.substring(line.indexOf(separator) + 1))
        .findFirst()
        .orElse("");
  }

  private String text(String file) throws IOException {
    Path path = root.resolve(file);
    return Files.isReadable(path) ? Files.readString(path) : "";
  }
}
