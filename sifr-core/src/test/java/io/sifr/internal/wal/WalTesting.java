package io.sifr.internal.wal;

import static org.assertj.core.api.Assertions.assertThat;

import io.sifr.config.LogAccess;
import io.sifr.internal.format.FileKind;
import io.sifr.internal.io.StoreFileSystem;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.Stream;

/** A log in a directory, and what was appended to it. */
final class WalTesting {
  /** Runs what it gets at once. */
  static final Executor DIRECT = Runnable::run;

  /** Accepts what it gets and never runs it. */
  static final Executor NEVER = task -> {};

  static final int SEGMENT_BYTES = 8192;

  /** A record as it was appended or replayed. */
  record Batch(long firstSequence, int operationCount, String operations) {
    static Batch of(long firstSequence, int count, byte[] operations) {
      return new Batch(firstSequence, count, operations.length + ":" + Arrays.hashCode(operations));
    }
  }

  private final StoreFileSystem files;
  private final Path directory;
  private final AtomicLong fileNumbers = new AtomicLong();
  private final Random random = new Random(7);
  private final List<Batch> appended = new ArrayList<>();
  private long nextSequence = 1;

  WalTesting(StoreFileSystem files, Path directory) {
    this.files = files;
    this.directory = directory;
  }

  WalWriter open(LogAccess access, Executor executor) {
    return open(access, executor, SEGMENT_BYTES);
  }

  WalWriter open(LogAccess access, Executor executor, long segmentBytes) {
    return new WalWriter(
        new WalParts(
            files, directory, fileNumbers::incrementAndGet, segmentBytes, access, executor),
        nextSequence - 1);
  }

  /** Goes on, mapped, with a log that was closed there. */
  WalWriter resume(WalEnd end) {
    return WalWriter.resume(
        new WalParts(
            files, directory, fileNumbers::incrementAndGet, SEGMENT_BYTES, LogAccess.MAPPED, NEVER),
        nextSequence - 1,
        1,
        end);
  }

  /** Appends a batch with so many bytes of random operations; answers its segment. */
  long append(WalWriter writer, int bytes) {
    return append(writer, bytes, 1);
  }

  long append(WalWriter writer, int bytes, int operationCount) {
    byte[] operations = new byte[bytes + 10];
    random.nextBytes(operations);
    long segment = writer.append(nextSequence, operationCount, operations, 5, bytes);
    appended.add(
        Batch.of(nextSequence, operationCount, Arrays.copyOfRange(operations, 5, 5 + bytes)));
    nextSequence += operationCount;
    return segment;
  }

  long lastSequence() {
    return nextSequence - 1;
  }

  /** Lets sequence numbers out, as writes without a log do. */
  void skipSequences(int count) {
    nextSequence += count;
  }

  List<Batch> appended() {
    return List.copyOf(appended);
  }

  /** What replay finds. */
  record Replayed(List<Batch> batches, WalReplay.Result result) {}

  Replayed replay() {
    return replay(0);
  }

  Replayed replay(long firstNeeded) {
    return replay(files, directory, firstNeeded);
  }

  static Replayed replay(StoreFileSystem files, Path directory, long firstNeeded) {
    List<Batch> batches = new ArrayList<>();
    WalReplay.Result result =
        WalReplay.replay(
            files,
            directory,
            firstNeeded,
            (first, count, operations, offset, length) ->
                batches.add(
                    Batch.of(
                        first, count, Arrays.copyOfRange(operations, offset, offset + length))));
    assertThat(result.records()).isEqualTo(batches.size());
    return new Replayed(batches, result);
  }

  Path segment(long number) {
    return FileKind.WAL.path(directory, number);
  }

  List<String> fileNames() {
    return files.list(directory);
  }

  byte[] read(long segment) {
    try {
      return Files.readAllBytes(segment(segment));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  void overwrite(long segment, byte[] content) {
    Path file = segment(segment);
    try {
      if (Files.exists(file) && Files.size(file) == content.length) {
        Files.write(file, content, StandardOpenOption.WRITE); // truncating first costs a disk write
      } else {
        Files.write(file, content);
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Flips all bits of one byte. */
  void damage(long segment, int offset) {
    byte[] content = read(segment);
    content[offset] = (byte) ~content[offset];
    overwrite(segment, content);
  }

  /** Puts zeros where a page was never written back. */
  void lose(long segment, int from, int to) {
    byte[] content = read(segment);
    Arrays.fill(content, from, to, (byte) 0);
    overwrite(segment, content);
  }

  static Stream<LogAccess> accesses() {
    return Arrays.stream(LogAccess.values());
  }
}
