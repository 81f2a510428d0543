package io.sifr.ratis;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.sifr.ratis.Command.Kind;
import java.io.IOException;
import java.io.PrintStream;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.logging.Level;
import java.util.logging.Logger;
import org.apache.ratis.client.RaftClient;
import org.apache.ratis.conf.RaftProperties;
import org.apache.ratis.proto.RaftProtos.RaftPeerRole;
import org.apache.ratis.protocol.Message;
import org.apache.ratis.protocol.RaftClientReply;
import org.apache.ratis.protocol.RaftGroup;
import org.apache.ratis.protocol.RaftPeer;
import org.apache.ratis.retry.RetryPolicies;
import org.apache.ratis.thirdparty.com.google.protobuf.ByteString;
import org.apache.ratis.thirdparty.io.grpc.StatusRuntimeException;
import org.apache.ratis.util.TimeDuration;
import org.jspecify.annotations.Nullable;

/**
 * A client of the servers, as a class and as a program: {@code Client SERVERS put KEY VALUE},
 * {@code get KEY}, {@code delete KEY}, {@code scan PREFIX} or {@code leader}.
 *
 * <p>A write that returns is in the logs of a majority of the servers, on disk. It finds the leader
 * by itself, and waits for a new one for half a minute. All methods throw {@link IOException} when
 * they get no answer; a write may then be done or not, or be done later. Safe for any number of
 * threads.
 */
public final class Client implements AutoCloseable {
  /** Held, or else its level would be forgotten. */
  private static final Logger TRANSPORT = Logger.getLogger("org.apache.ratis.thirdparty.io.grpc");

  private static final int ATTEMPTS = 150;
  private static final TimeDuration PAUSE = TimeDuration.valueOf(200, TimeUnit.MILLISECONDS);

  private final RaftGroup group;
  private final RaftClient raft;

  /** A client of the servers {@code a=host:port,b=host:port,c=host:port}. */
  public Client(String servers) {
    this.group = Servers.parse(servers);
    this.raft =
        RaftClient.newBuilder()
            .setRaftGroup(group)
            .setProperties(new RaftProperties())
            .setRetryPolicy(RetryPolicies.retryUpToMaximumCountWithFixedSleep(ATTEMPTS, PAUSE))
            .build();
  }

  /** Writes a value. */
  public void put(String key, String value) throws IOException {
    change(new Command(Kind.PUT, bytes(key), bytes(value)));
  }

  /** Deletes a key, whether it has a value or not. */
  public void delete(String key) throws IOException {
    change(new Command(Kind.DELETE, bytes(key)));
  }

  /**
   * The value of a key, null if it has none: of the last write that was acknowledged, or a later
   * one.
   */
  public @Nullable String get(String key) throws IOException {
    return entries(raft.io().sendReadOnly(new Command(Kind.GET, bytes(key)).message())).get(key);
  }

  /** As {@link #get}, but what one server has, which may be older. */
  public @Nullable String getFrom(String server, String key) throws IOException {
    Message request = new Command(Kind.GET, bytes(key)).message();
    RaftPeer peer = peer(server);
    return entries(raft.io().sendStaleRead(request, 0, peer.getId())).get(key);
  }

  /** The first thousand keys with a prefix, sorted, and their values. */
  public Map<String, String> scan(String prefix) throws IOException {
    return entries(raft.io().sendReadOnly(new Command(Kind.SCAN, bytes(prefix)).message()));
  }

  /** The server that leads now; null if there is none, as during an election. */
  public @Nullable String leader() {
    for (RaftPeer peer : group.getPeers()) {
      try {
        var info = raft.getGroupManagementApi(peer.getId()).info(group.getGroupId());
        if (info.getRoleInfoProto().getRole() == RaftPeerRole.LEADER) {
          return peer.getId().toString();
        }
      } catch (IOException | StatusRuntimeException e) {
        // This one is down; another one leads.
      }
    }
    return null;
  }

  /**
   * Lets one server take a snapshot now.
   *
   * @return the index of the last entry that it contains
   */
  public long takeSnapshot(String server) throws IOException {
    RaftPeer peer = peer(server);
    long timeoutMillis = PAUSE.toLong(TimeUnit.MILLISECONDS) * ATTEMPTS;
    return checked(raft.getSnapshotManagementApi(peer.getId()).create(1, timeoutMillis))
        .getLogIndex();
  }

  @Override
  public void close() throws IOException {
    raft.close();
  }

  private void change(Command command) throws IOException {
    var unused = checked(raft.io().send(command.message()));
  }

  private RaftPeer peer(String server) {
    return group.getPeers().stream()
        .filter(peer -> peer.getId().toString().equals(server))
        .findFirst()
        .orElseThrow(() -> new IllegalArgumentException("there is no server " + server));
  }

  private static RaftClientReply checked(RaftClientReply reply) throws IOException {
    if (!reply.isSuccess()) {
      throw new IOException("refused: " + reply, reply.getException());
    }
    return reply;
  }

  private static Map<String, String> entries(RaftClientReply reply) throws IOException {
    List<ByteString> parts = Parts.of(checked(reply).getMessage().getContent());
    Map<String, String> entries = new LinkedHashMap<>();
    for (int i = 0; i < parts.size(); i += 2) {
      entries.put(parts.get(i).toStringUtf8(), parts.get(i + 1).toStringUtf8());
    }
    return entries;
  }

  private static ByteString bytes(String text) {
    return ByteString.copyFromUtf8(text);
  }

  /** Runs one command; exits with 1 if there is no such key, or no leader. */
  public static void main(String[] arguments) throws IOException {
    // It would report what it has found out about the platform.
    TRANSPORT.setLevel(Level.WARNING);
    PrintStream out = new PrintStream(System.out, true, UTF_8);
    boolean found = true;
    try (Client client = new Client(arguments.length < 2 ? "" : arguments[0])) {
      String[] command = List.of(arguments).subList(1, arguments.length).toArray(String[]::new);
      found = client.run(command, out);
    } catch (IllegalArgumentException e) {
      System.err.println(
          "usage: Client SERVERS (put KEY VALUE | get KEY | delete KEY | scan PREFIX | leader)");
      System.exit(2);
    }
    System.exit(found ? 0 : 1);
  }

  private boolean run(String[] command, PrintStream out) throws IOException {
    String name = command[0] + "/" + (command.length - 1);
    switch (name) {
      case "put/2" -> put(command[1], command[2]);
      case "delete/1" -> delete(command[1]);
      case "scan/1" -> scan(command[1]).forEach((key, value) -> out.println(key + " " + value));
      case "get/1", "leader/0" -> {
        String answer = name.startsWith("get") ? get(command[1]) : leader();
        if (answer == null) {
          return false;
        }
        out.println(answer);
      }
      default -> throw new IllegalArgumentException(name);
    }
    return true;
  }
}
