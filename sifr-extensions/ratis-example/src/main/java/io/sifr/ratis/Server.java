package io.sifr.ratis;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.apache.ratis.conf.RaftProperties;
import org.apache.ratis.grpc.GrpcConfigKeys;
import org.apache.ratis.protocol.RaftGroup;
import org.apache.ratis.protocol.RaftPeer;
import org.apache.ratis.protocol.RaftPeerId;
import org.apache.ratis.server.RaftServer;
import org.apache.ratis.server.RaftServerConfigKeys;
import org.apache.ratis.server.storage.RaftStorage;
import org.apache.ratis.util.NetUtils;
import org.apache.ratis.util.SizeInBytes;
import org.apache.ratis.util.TimeDuration;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A server of the group, as a program: {@code Server ID SERVERS DIRECTORY}, for instance {@code
 * Server a a=127.0.0.1:6001,b=127.0.0.1:6002,c=127.0.0.1:6003 /var/lib/example}. It runs until it
 * is ended by a signal, and exits with 1 when it cannot go on.
 */
public final class Server {
  private static final Logger log = LoggerFactory.getLogger(Server.class);

  /** After how many entries a server takes a snapshot by itself. */
  private static final long SNAPSHOT_ENTRIES = Long.getLong("sifr.ratis.snapshotEntries", 100_000L);

  /** Size of the log's files; those before the last snapshot are deleted as a whole. */
  private static final long SEGMENT_BYTES = Long.getLong("sifr.ratis.segmentBytes", 8L << 20);

  private static final long PAUSE_MILLIS = 200;

  private Server() {}

  /** Runs the server. */
  public static void main(String[] arguments) throws InterruptedException {
    if (arguments.length != 3) {
      System.err.println("usage: Server ID SERVERS DIRECTORY");
      System.exit(2);
    }
    try {
      RaftGroup group = Servers.parse(arguments[1]);
      run(group, create(RaftPeerId.valueOf(arguments[0]), group, Path.of(arguments[2])));
    } catch (IOException | RuntimeException e) {
      log.error("The server {} cannot run", arguments[0], e);
    }
    // Ratis has threads that would keep the process, without a server in it.
    System.exit(1);
  }

  private static void run(RaftGroup group, RaftServer server)
      throws IOException, InterruptedException {
    Runtime.getRuntime().addShutdownHook(new Thread(() -> close(server)));
    server.start();
    while (server.getDivision(group.getGroupId()).getInfo().isAlive()) {
      Thread.sleep(PAUSE_MILLIS);
    }
  }

  /** A server that is not started yet. */
  static RaftServer create(RaftPeerId id, RaftGroup group, Path directory) throws IOException {
    RaftPeer self = group.getPeer(id);
    if (self == null) {
      throw new IllegalArgumentException("there is no server " + id + " in " + group.getPeers());
    }
    Files.createDirectories(directory);
    return RaftServer.newBuilder()
        .setServerId(id)
        .setGroup(group)
        .setStateMachine(new SifrStateMachine())
        // Absolute, since Ratis names the files of a snapshot relative to it only then.
        .setProperties(settings(self, directory.toAbsolutePath()))
        .setOption(RaftStorage.StartupOption.RECOVER)
        .build();
  }

  private static RaftProperties settings(RaftPeer self, Path directory) {
    RaftProperties settings = new RaftProperties();
    RaftServerConfigKeys.setStorageDir(settings, List.of(directory.toFile()));
    GrpcConfigKeys.Server.setPort(settings, NetUtils.createSocketAddr(self.getAddress()).getPort());

    // A read sees every write that was acknowledged before it, also when the leader changes.
    RaftServerConfigKeys.Read.setOption(settings, RaftServerConfigKeys.Read.Option.LINEARIZABLE);

    // How long a leader may be silent until another one is elected: more than a busy disk takes.
    RaftServerConfigKeys.Rpc.setTimeoutMin(settings, TimeDuration.valueOf(1, TimeUnit.SECONDS));
    RaftServerConfigKeys.Rpc.setTimeoutMax(settings, TimeDuration.valueOf(2, TimeUnit.SECONDS));

    // The log is kept back to the last snapshot, whoever is away: who lacks more gets the snapshot.
    RaftServerConfigKeys.Snapshot.setAutoTriggerEnabled(settings, true);
    RaftServerConfigKeys.Snapshot.setAutoTriggerThreshold(settings, SNAPSHOT_ENTRIES);
    RaftServerConfigKeys.Snapshot.setRetentionFileNum(settings, 2);
    RaftServerConfigKeys.Log.setPurgeUptoSnapshotIndex(settings, true);
    RaftServerConfigKeys.Log.setPurgeGap(settings, 1);
    // A server that is down is given up, and tried again, after eight times this; a piece of a
    // snapshot has to get there meanwhile.
    GrpcConfigKeys.Server.setInstallSnapshotRequestTimeout(
        settings, TimeDuration.valueOf(500, TimeUnit.MILLISECONDS));
    RaftServerConfigKeys.Log.Appender.setSnapshotChunkSizeMax(
        settings, SizeInBytes.valueOf(4L << 20));
    RaftServerConfigKeys.Log.setSegmentSizeMax(settings, SizeInBytes.valueOf(SEGMENT_BYTES));
    RaftServerConfigKeys.Log.setPreallocatedSize(settings, SizeInBytes.valueOf(SEGMENT_BYTES));
    return settings;
  }

  private static void close(RaftServer server) {
    try {
      server.close();
    } catch (IOException e) {
      // What it has acknowledged is in the log, closed or not.
      log.warn("The server {} is not closed as it should be", server.getId(), e);
    }
  }
}
