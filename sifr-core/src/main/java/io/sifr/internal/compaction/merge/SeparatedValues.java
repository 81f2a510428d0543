package io.sifr.internal.compaction.merge;

import io.sifr.internal.entry.ForwardIterator;
import io.sifr.internal.entry.SeparatedKind;
import io.sifr.internal.entry.SingleEntry;
import io.sifr.internal.entry.Trailer;
import io.sifr.internal.value.ValueFiles;
import io.sifr.internal.value.ValueWriter;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Writes the large values of a flush to value files, and hands over references in their place. All
 * SSTs of the flush share these files, until one has {@value #FILE_BYTES} bytes. Holds them until
 * it is closed: those that no SST refers to then are deleted. Used by one thread.
 */
final class SeparatedValues implements AutoCloseable {
  private static final long FILE_BYTES = 64 << 20;

  private final TaskEnvironment environment;
  private final Consumer<ForwardIterator> output;
  private final SingleEntry referring = new SingleEntry();
  private final List<Long> held = new ArrayList<>();
  private @Nullable ValueWriter current;

  /**
   * @param output receives all entries in order, each positioned on it; during the call
   */
  SeparatedValues(TaskEnvironment environment, Consumer<ForwardIterator> output) {
    this.environment = environment;
    this.output = output;
  }

  /** Hands over the next entry, or one that refers to its value. */
  void add(ForwardIterator entry) {
    if (!environment.output().separates(entry.trailer(), entry.valueLength())) {
      output.accept(entry);
      return;
    }
    ValueWriter writer = current;
    if (writer == null) {
      writer = begin();
      current = writer;
    }
    int from = entry.keyOffset();
    referring.set(
        Trailer.of(Trailer.sequence(entry.trailer()), SeparatedKind.CODE),
        Arrays.copyOfRange(entry.keyArray(), from, from + entry.keyLength()),
        writer.add(entry).encoded());
    if (writer.bytes() >= FILE_BYTES) {
      writer.finish();
      current = null;
    }
    output.accept(referring);
  }

  private ValueWriter begin() {
    TaskEnvironment.Files files = environment.files();
    TaskEnvironment.Output form = environment.output();
    long number = files.numbers().getAsLong();
    ValueWriter begun =
        values().create(number, files.uniqueIds().getAsLong(), form.databaseId(), form.codec());
    held.add(number);
    return begun;
  }

  private ValueFiles values() {
    return environment.files().access().values();
  }

  /** Makes the content of the last file durable. Its name is durable with its directory. */
  void finish() {
    ValueWriter last = current;
    if (last != null) {
      last.finish(); // if that fails, it has still to be closed
      current = null;
    }
  }

  @Override
  public void close() {
    ValueWriter unfinished = current;
    current = null;
    try {
      if (unfinished != null) {
        unfinished.close();
      }
    } finally {
      held.forEach(values()::letGo);
    }
  }
}
