package io.sifr.internal.compaction.merge;

import io.sifr.internal.entry.ForwardIterator;
import io.sifr.internal.entry.SeparatedKind;
import io.sifr.internal.entry.SeparatedKind.Reference;
import io.sifr.internal.entry.SingleEntry;
import io.sifr.internal.entry.Trailer;
import io.sifr.internal.value.ValueFiles;
import io.sifr.internal.value.ValueRecord;
import io.sifr.internal.value.ValueWriter;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import java.util.function.Consumer;
import java.util.function.IntConsumer;
import org.jspecify.annotations.Nullable;

/**
 * Writes large values to value files, and copies values out of others, and hands over entries that
 * refer to them. All SSTs of a task share these files, until one is large enough. Holds them until
 * it is closed: those that no SST refers to then are deleted. Used by one thread.
 */
final class SeparatedValues implements AutoCloseable {
  private final TaskEnvironment environment;
  private final Set<Long> emptied;
  private final Consumer<ForwardIterator> output;
  private final IntConsumer written;
  private final SingleEntry referring = new SingleEntry();
  private final List<Long> held = new ArrayList<>();
  private @Nullable ValueWriter current;

  /**
   * @param emptied files out of which values are copied
   * @param output receives all entries in order, each positioned on it; during the call
   * @param written told of the bytes of values that were written, each time a little
   */
  SeparatedValues(
      TaskEnvironment environment,
      Set<Long> emptied,
      Consumer<ForwardIterator> output,
      IntConsumer written) {
    this.environment = environment;
    this.emptied = emptied;
    this.output = output;
    this.written = written;
  }

  /** Where the value of an entry is from now on; null if it stays where it is. */
  private @Nullable Reference write(ForwardIterator entry) {
    long trailer = entry.trailer();
    if (SeparatedKind.is(trailer)) {
      if (emptied.isEmpty()) {
        return null;
      }
      Reference old = SeparatedKind.referenceOf(entry);
      return emptied.contains(old.file())
          ? writer().copy(entry, old, values().file(old.file()), written)
          : null;
    }
    if (!environment.output().separates(trailer, entry.valueLength())) {
      return null;
    }
    Reference added = writer().add(entry);
    written.accept((int) ValueRecord.bytes(added, entry.keyLength()));
    return added;
  }

  /** Hands over the next entry, or one that refers to its value where it is now. */
  void add(ForwardIterator entry) {
    Reference now = write(entry);
    if (now == null) {
      output.accept(entry);
      return;
    }
    int begin = entry.keyOffset();
    referring.set(
        Trailer.of(Trailer.sequence(entry.trailer()), SeparatedKind.CODE),
        Arrays.copyOfRange(entry.keyArray(), begin, begin + entry.keyLength()),
        now.encoded());
    if (currentBytes() >= environment.output().sizes().valueFileBytes()) {
      finish();
    }
    output.accept(referring);
  }

  /** Bytes that are not durable yet; 0 if there are none. */
  long currentBytes() {
    return current == null ? 0 : current.bytes();
  }

  private ValueWriter writer() {
    ValueWriter writer = current;
    if (writer == null) {
      writer = begin();
      current = writer;
    }
    return writer;
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
