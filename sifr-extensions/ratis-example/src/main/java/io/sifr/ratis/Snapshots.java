package io.sifr.ratis;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.apache.ratis.io.MD5Hash;
import org.apache.ratis.server.protocol.TermIndex;
import org.apache.ratis.server.storage.FileInfo;
import org.apache.ratis.server.storage.RaftStorage;
import org.apache.ratis.statemachine.SnapshotInfo;
import org.apache.ratis.statemachine.SnapshotRetentionPolicy;
import org.apache.ratis.statemachine.StateMachineStorage;
import org.apache.ratis.statemachine.impl.FileListSnapshotInfo;
import org.apache.ratis.util.FileUtils;
import org.apache.ratis.util.MD5FileUtil;
import org.jspecify.annotations.Nullable;

/**
 * The snapshots of one server: each is a checkpoint of its store, a directory that is named by the
 * last entry of the log that it contains.
 *
 * <p>The leader sends the files of the newest one to a server that needs entries which the log does
 * not have any more. There Ratis puts them into a directory of the same name, each with a file
 * beside it that has its MD5, and exchanges the directory of all snapshots for that. So nothing of
 * them is kept in memory: what counts is what the directory holds.
 */
final class Snapshots implements StateMachineStorage {
  private static final Pattern NAME = Pattern.compile("snapshot\\.(\\d+)_(\\d+)");
  private static final String UNFINISHED = ".tmp";

  private @Nullable Path directory;

  /** A snapshot: its directory, and the last entry that it contains. */
  private record Snapshot(Path directory, TermIndex last) {}

  @Override
  public void init(RaftStorage storage) throws IOException {
    directory = Files.createDirectories(storage.getStorageDir().getStateMachineDir().toPath());
    deleteUnfinished();
  }

  /** Makes a snapshot. It is durable when the call returns; Ratis may drop its log up to there. */
  void take(Replica replica) throws IOException {
    String name = name(replica.applied());
    Path snapshot = directory().resolve(name);
    if (Files.exists(snapshot)) {
      return;
    }
    Path unfinished = directory().resolve(name + UNFINISHED);
    replica.checkpoint(unfinished);
    Files.move(unfinished, snapshot, StandardCopyOption.ATOMIC_MOVE);
    sync(directory());
  }

  /** The last entry that the newest snapshot contains. */
  TermIndex last() throws IOException {
    List<Snapshot> all = newestFirst();
    return all.isEmpty() ? TermIndex.INITIAL_VALUE : all.get(0).last();
  }

  /**
   * Copies the newest snapshot. Nothing is linked: the copy becomes a store that writes to its
   * files, and the snapshot may have to be sent to others.
   *
   * @throws IOException when one of its files is not what was received, among others
   */
  void copyNewest(Path target) throws IOException {
    FileUtils.deleteFully(target.toFile());
    Files.createDirectories(target);
    for (Path file : files(newestFirst().get(0).directory())) {
      MD5Hash received = MD5FileUtil.readStoredMd5ForFile(file.toFile());
      if (received != null && !received.equals(MD5FileUtil.computeMd5ForFile(file.toFile()))) {
        throw new IOException(file + " is not what was received");
      }
      Path copy = Files.copy(file, target.resolve(file.getFileName()));
      sync(copy);
    }
    sync(target);
  }

  @Override
  public @Nullable SnapshotInfo getLatestSnapshot() {
    try {
      List<Snapshot> all = newestFirst();
      if (all.isEmpty()) {
        return null;
      }
      List<FileInfo> files = new ArrayList<>();
      for (Path file : files(all.get(0).directory())) {
        // Without a digest: Ratis computes it while it sends the file.
        files.add(new FileInfo(file, null));
      }
      return new FileListSnapshotInfo(files, all.get(0).last());
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  @Override
  public void cleanupOldSnapshots(SnapshotRetentionPolicy policy) throws IOException {
    int kept = policy.getNumSnapshotsRetained();
    List<Snapshot> all = newestFirst();
    if (kept > 0 && kept < all.size()) {
      for (Snapshot old : all.subList(kept, all.size())) {
        // Under another name first: half of a snapshot is none.
        Path unfinished = directory().resolve(name(old.last()) + UNFINISHED);
        Files.move(old.directory(), unfinished, StandardCopyOption.ATOMIC_MOVE);
      }
    }
    deleteUnfinished();
  }

  @Override
  public void format() {
    // Ratis empties the directory that this one is in.
  }

  private void deleteUnfinished() throws IOException {
    for (Path path : list(directory())) {
      if (path.toString().endsWith(UNFINISHED)) {
        FileUtils.deleteFully(path.toFile());
      }
    }
  }

  private List<Snapshot> newestFirst() throws IOException {
    List<Snapshot> all = new ArrayList<>();
    for (Path path : list(directory())) {
      Matcher name = NAME.matcher(path.getFileName().toString());
      if (name.matches()) {
        all.add(
            new Snapshot(
                path,
                TermIndex.valueOf(Long.parseLong(name.group(1)), Long.parseLong(name.group(2)))));
      }
    }
    all.sort(Comparator.comparingLong((Snapshot one) -> one.last().getIndex()).reversed());
    return all;
  }

  private static String name(TermIndex last) {
    return "snapshot." + last.getTerm() + "_" + last.getIndex();
  }

  /** The files of a checkpoint, without those that Ratis has put beside them. */
  private static List<Path> files(Path snapshot) throws IOException {
    return list(snapshot).stream()
        .filter(file -> !file.toString().endsWith(MD5FileUtil.MD5_SUFFIX))
        .toList();
  }

  /** What a directory holds; nothing if it is not there, as when Ratis exchanges it. */
  private static List<Path> list(Path directory) throws IOException {
    if (!Files.exists(directory)) {
      return List.of();
    }
    try (Stream<Path> paths = Files.list(directory)) {
      return paths.toList();
    }
  }

  private static void sync(Path path) throws IOException {
    try (FileChannel channel = FileChannel.open(path, StandardOpenOption.READ)) {
      channel.force(true);
    }
  }

  private Path directory() {
    if (directory == null) {
      throw new IllegalStateException("not initialized");
    }
    return directory;
  }
}
