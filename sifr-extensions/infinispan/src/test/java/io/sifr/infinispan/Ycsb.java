package io.sifr.infinispan;

import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** A run of YCSB in a process of its own, on a cluster. */
final class Ycsb {
  private final Process process;
  private final File output;

  private Ycsb(Process process, File output) {
    this.process = process;
    this.output = output;
  }

  /**
   * Starts one.
   *
   * @param nodes addresses of the cluster
   * @param phase {@code -load} or {@code -t}
   * @param properties those of the workload
   * @param output where its report goes, and what it logs
   */
  static Ycsb start(String nodes, String phase, Map<String, Object> properties, Path output)
      throws IOException {
    List<String> command = new ArrayList<>();
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    command.addAll(List.of("-Xmx256m", "-cp", System.getProperty("java.class.path")));
    command.addAll(List.of("site.ycsb.Client", phase, "-db", "io.sifr.ycsb.SifrClient"));
    command.addAll(List.of("-threads", "8"));
    property(command, "workload", "site.ycsb.workloads.CoreWorkload");
    property(command, "sifr.cluster", nodes);
    // Every record has what its key says, and every read is checked.
    property(command, "dataintegrity", true);
    properties.forEach((name, value) -> property(command, name, value));
    return new Ycsb(
        new ProcessBuilder(command)
            .redirectErrorStream(true)
            .redirectOutput(output.toFile())
            .start(),
        output.toFile());
  }

  private static void property(List<String> command, String name, Object value) {
    command.addAll(List.of("-p", name + "=" + value));
  }

  boolean isRunning() {
    return process.isAlive();
  }

  /** Waits for its end. */
  Ycsb awaitEnd() throws InterruptedException, IOException {
    if (process.waitFor() != 0) {
      throw new IOException("YCSB has failed; see " + output);
    }
    return this;
  }

  /** How many operations of a kind ended with a result. */
  long count(String kind, String result) throws IOException {
    return (long) figure("\\[" + kind + "\\], Return=" + result + ", (\\d+)");
  }

  /** Operations a second. */
  long throughput() throws IOException {
    return Math.round(figure("\\[OVERALL\\], Throughput\\(ops/sec\\), ([0-9.E]+)"));
  }

  private double figure(String pattern) throws IOException {
    Matcher found = Pattern.compile(pattern).matcher(Files.readString(output.toPath()));
    return found.find() ? Double.parseDouble(found.group(1)) : 0;
  }
}
