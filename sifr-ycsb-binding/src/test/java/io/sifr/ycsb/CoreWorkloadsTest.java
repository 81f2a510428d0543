package io.sifr.ycsb;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import java.util.TreeMap;
import java.util.concurrent.CountDownLatch;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.apache.htrace.core.Tracer;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import site.ycsb.ClientThread;
import site.ycsb.DBFactory;
import site.ycsb.Workload;
import site.ycsb.measurements.Measurements;
import site.ycsb.measurements.exporter.TextMeasurementsExporter;
import site.ycsb.workloads.CoreWorkload;

/**
 * Loads and runs the bundled workloads with YCSB's own client threads, which check the content of
 * what they read.
 */
class CoreWorkloadsTest {
  private static final int RECORDS = 3000;
  private static final int OPERATIONS = 6000;
  private static final int THREADS = 4;
  private static final Tracer TRACER = new Tracer.Builder("test").build();
  private static final Pattern COUNT =
      Pattern.compile("\\[(.+)], (Operations|Return=\\w+), (\\d+)");

  @TempDir Path directory;

  @ParameterizedTest
  @CsvSource({
    "workloada, READ UPDATE",
    "workloadb, READ UPDATE",
    "workloadc, READ",
    "workloadd, READ INSERT",
    "workloade, SCAN INSERT",
    "workloadf, READ UPDATE READ-MODIFY-WRITE"
  })
  void everyOperationSucceedsAndEveryRecordIsAsItWasWritten(String name, String operations)
      throws Exception {
    Properties properties = properties(name);

    assertThat(run(properties, false))
        .containsEntry("INSERT Return=OK", (long) RECORDS)
        .allSatisfy(CoreWorkloadsTest::isNoFailure);

    Map<String, Long> counts = run(properties, true);
    assertThat(counts).allSatisfy(CoreWorkloadsTest::isNoFailure);
    for (String operation : operations.split(" ", -1)) {
      assertThat(counts).containsKey(operation + " Operations");
    }
    // Every record that was read was compared with what had been written.
    assertThat(counts.get("VERIFY Return=OK")).isEqualTo(counts.get("READ Return=OK"));
  }

  private Properties properties(String workload) throws Exception {
    Properties properties = new Properties();
    try (InputStream in = Files.newInputStream(Path.of("workloads", workload))) {
      properties.load(in);
    }
    properties.setProperty("recordcount", "" + RECORDS);
    properties.setProperty("operationcount", "" + OPERATIONS);
    properties.setProperty("dataintegrity", "true");
    properties.setProperty("sifr.dir", directory.toString());
    // So small that records pass through flushes and merges too.
    properties.setProperty("sifr.writeBufferBytes", "256k");
    properties.setProperty("sifr.splitUnitBytes", "64k");
    return properties;
  }

  /** How often YCSB counted what in one phase. */
  private static Map<String, Long> run(Properties properties, boolean transactions)
      throws Exception {
    Measurements.setProperties(properties);
    Map<String, Long> before = counts();
    Workload workload = new CoreWorkload();
    workload.init(properties);
    CountDownLatch done = new CountDownLatch(THREADS);
    List<Thread> threads = new ArrayList<>();
    for (int i = 0; i < THREADS; i++) {
      ClientThread client =
          new ClientThread(
              DBFactory.newDB(SifrClient.class.getName(), properties, TRACER),
              transactions,
              workload,
              properties,
              (transactions ? OPERATIONS : RECORDS) / THREADS,
              0,
              done);
      client.setThreadId(i);
      client.setThreadCount(THREADS);
      threads.add(new Thread(client, "client " + i));
    }
    threads.forEach(Thread::start);
    for (Thread thread : threads) {
      thread.join();
    }
    workload.cleanup();
    Map<String, Long> counts = counts();
    before.forEach((what, count) -> counts.merge(what, -count, Long::sum));
    counts.values().removeIf(count -> count == 0);
    return counts;
  }

  /** What YCSB has counted in this process so far; it cannot be told to begin anew. */
  private static Map<String, Long> counts() throws IOException {
    ByteArrayOutputStream report = new ByteArrayOutputStream();
    try (TextMeasurementsExporter exporter = new TextMeasurementsExporter(report)) {
      Measurements.getMeasurements().exportMeasurements(exporter);
    }
    Map<String, Long> counts = new TreeMap<>();
    Matcher line = COUNT.matcher(report.toString(StandardCharsets.UTF_8));
    while (line.find()) {
      counts.put(line.group(1) + " " + line.group(2), Long.valueOf(line.group(3)));
    }
    return counts;
  }

  private static void isNoFailure(String what, Long count) {
    assertThat(what)
        .describedAs("counted %d times", count)
        .matches("[A-Z-]+ (Operations|Return=OK)")
        .doesNotContain("-FAILED");
  }
}
