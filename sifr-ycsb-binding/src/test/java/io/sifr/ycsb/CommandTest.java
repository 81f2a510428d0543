package io.sifr.ycsb;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.DisabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;

/** {@code bin/sifr-ycsb} as a user calls it, on the classes of this build. */
@DisabledOnOs(OS.WINDOWS) // it is a bash script
class CommandTest {
  @TempDir Path directory;

  @Test
  void aBundledWorkloadIsLoadedAndRun() throws Exception {
    Outcome load = call("load", "-P", "workloadb", "-p", "dataintegrity=true", "-threads", "2");
    assertThat(load.exit()).describedAs(load.toString()).isZero();
    assertThat(load.out()).contains("[INSERT], Return=OK, 1000");
    assertThat(directory.resolve("sifr-ycsb-data")).isDirectory();

    Outcome run = call("run", "-P", "workloads/workloadb", "-p", "dataintegrity=true", "-s");
    assertThat(run.exit()).describedAs(run.toString()).isZero();
    assertThat(run.out()).containsPattern("\\[VERIFY], Return=OK, \\d+");
    assertThat(run.err()).contains("1000 operations");
  }

  @Test
  void operationsThatFailMakeTheCommandFail() throws Exception {
    Outcome run = call("run", "-P", "workloadc", "-p", "sifr.dir=empty");

    assertThat(run.exit()).isEqualTo(1);
    assertThat(run.err()).contains("not all went well:", "[READ-FAILED], Operations, 1000");
    assertThat(directory.resolve("empty")).isDirectory();
  }

  @Test
  void aReportInAFileIsReadToo() throws Exception {
    Files.writeString(directory.resolve("report"), "[OVERALL], RunTime(ms), 1\n");
    Outcome run =
        call(
            "run",
            "-P",
            "workloadc",
            "-p",
            "exportfile=report",
            "-p",
            "exporter=site.ycsb.measurements.exporter.JSONMeasurementsExporter");

    assertThat(run.exit()).isEqualTo(1);
    assertThat(run.err()).contains("\"measurement\" : \"Return=NOT_FOUND\"");
  }

  @Test
  void aWrongPropertyMakesTheCommandFail() throws Exception {
    Outcome load = call("load", "-P", "workloada", "-p", "sifr.durability=always");

    assertThat(load.exit()).isEqualTo(1);
    assertThat(load.err())
        .contains("property sifr.durability: durability is always; allowed: NONE, BUFFERED, SYNC");
  }

  @Test
  void mistakesInTheCallAreExplained() throws Exception {
    assertThat(call().err()).contains("say load or run");
    assertThat(call("drive").err()).contains("drive is neither load nor run");
    assertThat(call("load").err()).contains("say which workload with -P");
    assertThat(call("load", "-P").err()).contains("-P needs a workload");

    Outcome unknown = call("load", "-P", "workloadx");
    assertThat(unknown.err())
        .contains("there is no workload workloadx; bundled: workloada workloadb");
    assertThat(unknown.exit()).isEqualTo(2);

    Outcome help = call("--help");
    assertThat(help.exit()).isZero();
    assertThat(help.out()).startsWith("usage: sifr-ycsb load|run");
  }

  private Outcome call(String... arguments) throws IOException, InterruptedException {
    List<String> command = new ArrayList<>();
    command.add(Path.of("bin", "sifr-ycsb").toAbsolutePath().toString());
    command.addAll(List.of(arguments));
    Path out = directory.resolve("out");
    Path err = directory.resolve("err");
    ProcessBuilder process =
        new ProcessBuilder(command)
            .directory(directory.toFile())
            .redirectOutput(out.toFile())
            .redirectError(err.toFile());
    process.environment().put("SIFR_YCSB_CLASSPATH", System.getProperty("java.class.path"));
    process.environment().put("JAVA_HOME", System.getProperty("java.home"));
    return new Outcome(process.start().waitFor(), Files.readString(out), Files.readString(err));
  }

  private record Outcome(int exit, String out, String err) {}
}
