package io.sifr.infinispan;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.BufferedReader;
import java.io.File;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.OutputStreamWriter;
import java.io.UncheckedIOException;
import java.io.Writer;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.Predicate;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/** Nodes in JVMs of their own, on this machine, by their numbers from 0. Not thread-safe. */
final class Cluster implements AutoCloseable {
  private static final long LONGEST_NANOS = TimeUnit.MINUTES.toNanos(15);
  private static final long LONGEST_ANSWER_MINUTES = 5;
  private static final Pattern STATUS = Pattern.compile("(\\d+) nodes, (\\w+), (\\d+) writes");

  // Below the ports that the system gives away, so that a node finds its own free again.
  private static final int FIRST_PORT = 10_000;
  private static final int LAST_PORT = 11_000;
  private static final int FAILURE_DETECTION = 1_000; // node.xml says so, too
  private static final int CLIENTS = 2_000;

  /** Held open as long as a cluster may start nodes, so that no other one has the same ports. */
  private static final int RESERVATION = 3_000;

  private static final int PORTS_OF_A_CLUSTER = 10;
  private static final int LINES_OF_LOG = 20;

  private final Path directory;
  private final int most;
  private final int memoryMegabytes;
  private final ServerSocket reservation;
  private final int port;
  private final Map<Integer, Node> running = new LinkedHashMap<>();

  /**
   * What a node says of itself.
   *
   * @param nodes how many have the cache
   * @param isWhole whether each entry is on as many as it is to be, and none is being moved
   * @param writes how many entries it has written since it was started
   */
  record Status(int nodes, boolean isWhole, long writes) {
    /** Whether so many nodes have all entries. */
    boolean isWell(int expected) {
      return nodes == expected && isWhole;
    }
  }

  private record Node(Process process, BufferedReader answers, Writer commands) {}

  /**
   * A cluster of which no node is started.
   *
   * @param directory where nodes keep their entries and write their logs
   * @param most how many nodes it can have
   * @param memoryMegabytes how much of the entries each node keeps in memory
   */
  Cluster(Path directory, int most, int memoryMegabytes) {
    this.directory = directory;
    this.most = most;
    this.memoryMegabytes = memoryMegabytes;
    if (most > PORTS_OF_A_CLUSTER) {
      throw new IllegalArgumentException(
          "most is " + most + "; allowed: up to " + PORTS_OF_A_CLUSTER);
    }
    this.reservation = reserved();
    this.port = reservation.getLocalPort() - RESERVATION;
  }

  private ServerSocket reserved() {
    for (int first = FIRST_PORT; first < LAST_PORT; first += PORTS_OF_A_CLUSTER) {
      try {
        ServerSocket socket = new ServerSocket(first + RESERVATION);
        if (areFree(first)) {
          return socket;
        }
        socket.close();
      } catch (IOException e) {
        // It is another cluster's.
      }
    }
    throw new IllegalStateException("no ports are free from " + FIRST_PORT + " to " + LAST_PORT);
  }

  private boolean areFree(int first) {
    return IntStream.range(first, first + most)
        .flatMap(each -> IntStream.of(each, each + FAILURE_DETECTION, each + CLIENTS))
        .allMatch(Cluster::isFree);
  }

  private static boolean isFree(int port) {
    try (ServerSocket socket = new ServerSocket(port)) {
      return socket.isBound();
    } catch (IOException e) {
      return false;
    }
  }

  /** Where clients find the cluster. */
  String clientAddresses() {
    return addresses(port + CLIENTS, "127.0.0.1:%d", ";");
  }

  private String addresses(int first, String form, String separator) {
    return IntStream.range(first, first + most)
        .mapToObj(form::formatted)
        .collect(Collectors.joining(separator));
  }

  /**
   * Starts nodes, and waits until they are ready. Which of them becomes the coordinator is open, if
   * none is running.
   */
  void start(int... nodes) throws IOException {
    for (int node : nodes) {
      Process process = process(node);
      running.put(
          node,
          new Node(
              process,
              new BufferedReader(new InputStreamReader(process.getInputStream(), UTF_8)),
              new OutputStreamWriter(process.getOutputStream(), UTF_8)));
    }
    for (int node : nodes) {
      awaitAnswer(node, "ready"::equals);
    }
  }

  private Process process(int node) throws IOException {
    Path own = Files.createDirectories(directory.resolve("node" + node));
    List<String> command = new ArrayList<>();
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    command.add("-Xmx512m");
    command.add("-Dnode.memory=" + memoryMegabytes + "MB");
    command.add("-Dnode.name=node" + node);
    command.add("-Dnode.port=" + (port + node));
    command.add("-Dnode.hosts=" + addresses(port, "127.0.0.1[%d]", ","));
    command.add("-Dnode.directory=" + own);
    command.addAll(List.of("-cp", System.getProperty("java.class.path")));
    command.addAll(List.of(ClusterNode.class.getName(), Integer.toString(port + CLIENTS + node)));
    return new ProcessBuilder(command)
        .redirectError(ProcessBuilder.Redirect.appendTo(log(node)))
        .start();
  }

  private File log(int node) {
    return directory.resolve("node" + node + ".log").toFile();
  }

  /** Kills a node, so that it has no time for anything. */
  void kill(int node) throws InterruptedException {
    node(node).process().destroyForcibly().waitFor();
    running.remove(node);
  }

  /** Shuts the cluster down in an orderly way: each node keeps what it has. */
  void shutDown() throws IOException {
    String command = "shut down\n";
    for (int node : running.keySet()) {
      node(node).commands().write(command);
      node(node).commands().flush();
      awaitAnswer(node, "shut down"::equals);
      command = "await shutdown\n";
    }
    stop();
  }

  Status status(int node) throws IOException {
    node(node).commands().write("status\n");
    node(node).commands().flush();
    Matcher status = STATUS.matcher(awaitAnswer(node, answer -> answer.contains("writes")));
    if (!status.matches()) {
      throw new IOException("node" + node + " gives an odd answer; see " + log(node));
    }
    return new Status(
        Integer.parseInt(status.group(1)),
        status.group(2).equals("whole"),
        Long.parseLong(status.group(3)));
  }

  /** Waits until a node says what is expected, and returns after how many milliseconds. */
  long await(int node, Predicate<Status> expected) throws IOException, InterruptedException {
    long start = System.nanoTime();
    Status status = status(node);
    while (!expected.test(status)) {
      if (System.nanoTime() - start > LONGEST_NANOS) {
        throw new AssertionError("node" + node + " still says " + status + "; see " + log(node));
      }
      Thread.sleep(50);
      status = status(node);
    }
    return TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - start);
  }

  private String awaitAnswer(int node, Predicate<String> expected) throws IOException {
    BufferedReader answers = node(node).answers();
    // Reading cannot be given up after a time, but it ends with the process.
    CompletableFuture<?> tooLong =
        CompletableFuture.runAsync(
            node(node).process()::destroyForcibly,
            CompletableFuture.delayedExecutor(LONGEST_ANSWER_MINUTES, TimeUnit.MINUTES));
    try {
      for (String line = answers.readLine(); line != null; line = answers.readLine()) {
        if (line.startsWith("node: ") && expected.test(line.substring("node: ".length()))) {
          return line.substring("node: ".length());
        }
      }
    } finally {
      tooLong.cancel(false);
    }
    throw new IOException(
        "node%d has ended, or did not answer; see %s, which ends with%n%s"
            .formatted(node, log(node), endOfLog(node)));
  }

  /** Without the places in the code. */
  private String endOfLog(int node) throws IOException {
    List<String> lines =
        Files.readAllLines(log(node).toPath(), UTF_8).stream()
            .filter(line -> !line.strip().startsWith("at "))
            .toList();
    int from = Math.max(0, lines.size() - LINES_OF_LOG);
    return String.join(System.lineSeparator(), lines.subList(from, lines.size()));
  }

  private Node node(int node) {
    return Objects.requireNonNull(running.get(node));
  }

  /** Stops all nodes. None can be started any more. */
  @Override
  public void close() {
    stop();
    try {
      reservation.close();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private void stop() {
    running
        .values()
        .forEach(
            node -> {
              try {
                node.commands().close(); // the end of its input tells it to stop
              } catch (IOException e) {
                // It has ended.
              }
            });
    running.values().forEach(node -> awaitEnd(node.process()));
    running.clear();
  }

  private static void awaitEnd(Process process) {
    try {
      if (!process.waitFor(1, TimeUnit.MINUTES)) {
        process.destroyForcibly().waitFor();
      }
    } catch (InterruptedException e) {
      process.destroyForcibly();
      Thread.currentThread().interrupt();
    }
  }
}
