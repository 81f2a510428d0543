package io.sifr.ratis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sifr.ratis.Command.Kind;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.apache.ratis.proto.RaftProtos.RaftPeerRole;
import org.apache.ratis.proto.RaftProtos.StateMachineLogEntryProto;
import org.apache.ratis.protocol.ClientId;
import org.apache.ratis.protocol.Message;
import org.apache.ratis.protocol.RaftClientRequest;
import org.apache.ratis.protocol.RaftGroup;
import org.apache.ratis.protocol.RaftPeerId;
import org.apache.ratis.server.RaftServer;
import org.apache.ratis.server.protocol.TermIndex;
import org.apache.ratis.server.raftlog.LogProtoUtils;
import org.apache.ratis.server.raftlog.RaftLog;
import org.apache.ratis.server.storage.FileInfo;
import org.apache.ratis.server.storage.RaftStorage;
import org.apache.ratis.statemachine.SnapshotInfo;
import org.apache.ratis.statemachine.SnapshotRetentionPolicy;
import org.apache.ratis.statemachine.TransactionContext;
import org.apache.ratis.thirdparty.com.google.protobuf.ByteString;
import org.apache.ratis.util.FileUtils;
import org.apache.ratis.util.LifeCycle;
import org.apache.ratis.util.MD5FileUtil;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** State machines without servers that talk: the test calls them as Ratis does. */
class SifrStateMachineTest {
  private static final RaftGroup GROUP = Servers.parse("a=127.0.0.1:6001");
  private static final long TERM = 1;

  private final List<SifrStateMachine> machines = new ArrayList<>();

  @TempDir Path directory;
  private RaftServer server;

  @BeforeEach
  void createServer() throws IOException {
    server = Server.create(RaftPeerId.valueOf("a"), GROUP, directory.resolve("unused"));
  }

  @AfterEach
  void closeAll() throws IOException {
    machines.forEach(SifrStateMachine::close);
    server.close();
  }

  @Test
  void whatTheStoreContainsIsNotAppliedAgain() throws Exception {
    SifrStateMachine machine = open("a");
    put(machine, 1, "key", "first");
    assertThat(machine.takeSnapshot()).isEqualTo(1);
    put(machine, 2, "key", "second");
    machine.notifyTermIndexUpdated(TERM, 3);
    delete(machine, 4, "key");
    machine.close();

    SifrStateMachine again = open("a");
    // Ratis begins after the snapshot.
    assertThat(again.getLastAppliedTermIndex()).isEqualTo(TermIndex.valueOf(TERM, 1));
    assertThat(scan(again)).isEmpty();
    put(again, 2, "key", "second");
    again.notifyTermIndexUpdated(TERM, 3);
    assertThat(scan(again)).isEmpty();
    assertThat(again.takeSnapshot()).isEqualTo(RaftLog.INVALID_LOG_INDEX);
    delete(again, 4, "key");
    assertThat(again.takeSnapshot()).isEqualTo(4);
    put(again, 5, "key", "third");
    assertThat(scan(again)).containsExactly("key", "third");
  }

  @Test
  void aSnapshotOfTheLeadersReplacesTheStore() throws Exception {
    SifrStateMachine leader = open("a");
    for (int i = 1; i <= 100; i++) {
      put(leader, i, "key " + i, "value");
    }
    assertThat(leader.takeSnapshot()).isEqualTo(100);
    SifrStateMachine follower = open("b");
    put(follower, 1, "key 1", "value");
    put(follower, 2, "what Raft did not commit would not be here", "value");
    assertThat(follower.takeSnapshot()).isEqualTo(2);

    follower.pause();
    install(leader, "b");
    follower.reinitialize();

    assertThat(follower.getLifeCycleState()).isEqualTo(LifeCycle.State.RUNNING);
    assertThat(follower.getLastAppliedTermIndex()).isEqualTo(TermIndex.valueOf(TERM, 100));
    assertThat(scan(follower)).isEqualTo(scan(leader)).hasSize(200);
    put(follower, 101, "key 101", "value");
    assertThat(scan(follower)).hasSize(202);
    // The snapshot is as it was received: this server may be the next leader.
    assertThat(filesOf(follower)).isEqualTo(filesOf(leader));
    follower.close();
    assertThat(scan(open("b"))).hasSize(202);
  }

  @Test
  void aSnapshotThatWasDamagedLaterIsRefused() throws Exception {
    SifrStateMachine leader = open("a");
    put(leader, 9, "key", "new");
    assertThat(leader.takeSnapshot()).isEqualTo(9);
    SifrStateMachine follower = open("b");
    put(follower, 1, "key", "old");

    follower.pause();
    for (Path file : install(leader, "b")) {
      byte[] bytes = Files.readAllBytes(file);
      byte[] damaged = bytes.clone();
      damaged[bytes.length / 2] ^= 1;
      Files.write(file, damaged);
      assertThatThrownBy(follower::reinitialize).hasMessage(file + " is not what was received");
      Files.write(file, bytes);
    }

    follower.close();
    FileUtils.deleteFully(directory.resolve("b/sm").toFile());
    assertThat(scan(open("b"))).containsExactly("key", "old");
  }

  @Test
  void aSnapshotUnderTheNameOfAnotherIsRefused() throws Exception {
    SifrStateMachine leader = open("a");
    put(leader, 9, "key", "new");
    assertThat(leader.takeSnapshot()).isEqualTo(9);
    SifrStateMachine follower = open("b");
    follower.pause();
    install(leader, "b");
    Files.move(directory.resolve("b/sm/snapshot.1_9"), directory.resolve("b/sm/snapshot.1_10"));

    assertThatThrownBy(follower::reinitialize)
        .isInstanceOf(IOException.class)
        .hasMessageContaining("contains the log up to");
  }

  @Test
  void aServerWhoseSnapshotsAreLostTakesOne() throws Exception {
    SifrStateMachine machine = open("a");
    put(machine, 5, "key", "value");
    machine.close();
    FileUtils.deleteFully(directory.resolve("a/sm").toFile());

    SifrStateMachine again = open("a");

    assertThat(latest(again).getTermIndex()).isEqualTo(TermIndex.valueOf(TERM, 5));
    assertThat(again.getLastAppliedTermIndex()).isEqualTo(TermIndex.valueOf(TERM, 5));
    assertThat(scan(again)).containsExactly("key", "value");
  }

  @Test
  void aServerWhoseStoreIsLostMakesItOfTheSnapshot() throws Exception {
    SifrStateMachine machine = open("a");
    put(machine, 5, "key", "value");
    assertThat(machine.takeSnapshot()).isEqualTo(5);
    machine.close();
    FileUtils.deleteFully(directory.resolve("a/store").toFile());

    assertThat(scan(open("a"))).containsExactly("key", "value");
  }

  @Test
  void oldSnapshotsGo() throws Exception {
    SifrStateMachine machine = open("a");
    Files.createDirectories(directory.resolve("a/sm/snapshot.1_99.tmp"));
    for (int i = 1; i <= 3; i++) {
      put(machine, i, "key", "value " + i);
      assertThat(machine.takeSnapshot()).isEqualTo(i);
    }
    machine
        .getStateMachineStorage()
        .cleanupOldSnapshots(
            new SnapshotRetentionPolicy() {
              @Override
              public int getNumSnapshotsRetained() {
                return 2;
              }
            });

    assertThat(directory.resolve("a/sm"))
        .isDirectoryContaining("glob:**snapshot.1_2")
        .isDirectoryContaining("glob:**snapshot.1_3");
    assertThat(directory.resolve("a/sm").toFile().list()).hasSize(2);
    assertThat(latest(machine).getIndex()).isEqualTo(3);
  }

  @Test
  void whatNoStoreTakesDoesNotGetIntoTheLog() throws Exception {
    SifrStateMachine machine = open("a");
    ByteString longest = ByteString.copyFrom(new byte[65_536]);

    assertThat(start(machine, new Command(Kind.PUT, longest).message()).getException()).isNull();
    Message tooLong =
        Parts.message(
            List.of(
                ByteString.copyFromUtf8("PUT"),
                longest.concat(ByteString.copyFromUtf8("!")),
                ByteString.EMPTY));
    assertThat(start(machine, tooLong).getException()).hasMessageContaining("at most 65536");
    assertThat(start(machine, Message.valueOf("any bytes")).getException()).isNotNull();
    assertThat(start(machine, new Command(Kind.GET, longest).message()).getException())
        .hasMessageContaining("no change");
    assertThat(machine.query(new Command(Kind.DELETE, longest).message()))
        .isCompletedExceptionally();
  }

  private SifrStateMachine open(String name) throws IOException {
    Path place = Files.createDirectories(directory.resolve(name));
    try (RaftStorage storage =
        RaftStorage.newBuilder()
            .setDirectory(place.toFile())
            .setOption(RaftStorage.StartupOption.RECOVER)
            .build()) {
      SifrStateMachine machine = new SifrStateMachine();
      machine.initialize(server, GROUP.getGroupId(), storage);
      machines.add(machine);
      return machine;
    }
  }

  /** Puts the newest snapshot where Ratis puts what it has received, and returns its files. */
  private List<Path> install(SifrStateMachine leader, String follower) throws IOException {
    Path place = directory.resolve(follower).resolve("sm");
    FileUtils.deleteFully(place.toFile());
    List<Path> installed = new ArrayList<>();
    for (FileInfo file : latest(leader).getFiles()) {
      Path from = file.getPath();
      Path to = place.resolve(directory.resolve("a/sm").relativize(from));
      Files.createDirectories(to.getParent());
      Files.copy(from, to);
      var unused = MD5FileUtil.computeAndSaveMd5ForFile(to.toFile());
      installed.add(to);
    }
    return installed;
  }

  private static List<String> filesOf(SifrStateMachine machine) {
    return latest(machine).getFiles().stream()
        .map(file -> file.getPath().getFileName() + " " + file.getFileSize())
        .sorted()
        .toList();
  }

  private static SnapshotInfo latest(SifrStateMachine machine) {
    return Objects.requireNonNull(machine.getLatestSnapshot());
  }

  private static void put(SifrStateMachine machine, long index, String key, String value) {
    apply(
        machine,
        index,
        new Command(Kind.PUT, ByteString.copyFromUtf8(key), ByteString.copyFromUtf8(value)));
  }

  private static void delete(SifrStateMachine machine, long index, String key) {
    apply(machine, index, new Command(Kind.DELETE, ByteString.copyFromUtf8(key)));
  }

  private static void apply(SifrStateMachine machine, long index, Command command) {
    StateMachineLogEntryProto change =
        StateMachineLogEntryProto.newBuilder().setLogData(command.message().getContent()).build();
    TransactionContext transaction =
        TransactionContext.newBuilder()
            .setServerRole(RaftPeerRole.FOLLOWER)
            .setStateMachine(machine)
            .setLogEntry(LogProtoUtils.toLogEntryProto(change, TERM, index))
            .build();
    assertThat(machine.applyTransaction(transaction)).isCompleted();
  }

  private TransactionContext start(SifrStateMachine machine, Message message) throws IOException {
    return machine.startTransaction(
        RaftClientRequest.newBuilder()
            .setClientId(ClientId.randomId())
            .setServerId(server.getId())
            .setGroupId(GROUP.getGroupId())
            .setType(RaftClientRequest.writeRequestType())
            .setMessage(message)
            .build());
  }

  /** All keys and values, by turns. */
  private static List<String> scan(SifrStateMachine machine) {
    Message found = machine.query(new Command(Kind.SCAN, ByteString.EMPTY).message()).join();
    return Parts.of(found.getContent()).stream().map(ByteString::toStringUtf8).toList();
  }
}
