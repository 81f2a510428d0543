package io.sifr.bench.report;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class MachineTest {
  @TempDir Path root;

  @Test
  void readsWhatTheOperatingSystemTells() throws Exception {
    write("proc/cpuinfo", "processor\t: 0\nmodel name\t: Imagined: 2 GHz\nmodel name\t: Other\n");
    write("etc/os-release", "NAME=\"X\"\nPRETTY_NAME=\"Imagined Linux 3\"\n");
    write("sys/devices/system/cpu/cpu0/cpufreq/scaling_governor", "performance\n");

    assertThat(Machine.describe(root, root).rows())
        .contains(
            List.of("processor", "Imagined: 2 GHz"),
            List.of("operating system", "Imagined Linux 3"),
            List.of("frequency governor", "performance"),
            List.of("file system", Files.getFileStore(root).type()));
  }

  @Test
  void leavesOutWhatIsUnknown() throws Exception {
    List<List<String>> rows = Machine.describe(root, root).rows();

    assertThat(rows)
        .extracting(row -> row.get(0))
        .contains("date", "processors", "memory", "JVM", "largest heap")
        .doesNotContain("processor", "operating system", "frequency governor");
    assertThat(rows).allSatisfy(row -> assertThat(row.get(1)).isNotBlank());
  }

  @Test
  void knowsTheVersionsTheBuildChose() throws Exception {
    List<List<String>> rows = Machine.describe(root, root).rows();

    for (String store : List.of("sifr", "rocksdb", "leveldb", "mvstore", "lmdb", "xodus")) {
      assertThat(rows)
          .filteredOn(row -> row.get(0).equals(store))
          .singleElement()
          .satisfies(row -> assertThat(row.get(1)).matches("\\d+\\.\\d+.*"));
    }
  }

  @Test
  void namesNoPaths() throws Exception {
    assertThat(Machine.describe(root).toString())
        .doesNotContain(root.toString())
        .doesNotContain("HeapDumpPath");
  }

  /** A run that writes its figures to a page as it goes on can be continued. */
  @Test
  void commitIsThatOfTheProgramsWhateverPagesSay() throws Exception {
    write("pom.xml", "<project/>");
    write("core/src/main/java/A.java", "class A {}");
    write("page.md", "figures");
    git("init", "-q");
    git("add", ".");
    git("-c", "user.name=A", "-c", "user.email=a@example.com", "commit", "-q", "-m", "all");
    String clean = Machine.commit(root);
    assertThat(clean).matches("[0-9a-f]{10}");
    write("page.md", "more figures");
    assertThat(Machine.commit(root)).isEqualTo(clean);
    for (String source : List.of("pom.xml", "core/src/main/java/A.java")) {
      write(source, "something else");
      assertThat(Machine.commit(root.resolve("core"))).as(source).isEqualTo(clean + "-dirty");
      git("checkout", "-q", source);
    }
    assertThat(Machine.commit(root)).isEqualTo(clean);
  }

  private void git(String... arguments) throws Exception {
    List<String> command = new ArrayList<>(List.of("git"));
    command.addAll(List.of(arguments));
    Process git = new ProcessBuilder(command).directory(root.toFile()).inheritIO().start();
    assertThat(git.waitFor()).isZero();
  }

  private void write(String file, String text) throws Exception {
    Path path = root.resolve(file);
    Files.createDirectories(path.getParent());
    Files.writeString(path, text);
  }
}
