package io.sifr.internal.compaction.merge;

import io.sifr.internal.entry.ForwardIterator;
import io.sifr.internal.entry.SeparatedKind;
import io.sifr.internal.entry.SeparatedKind.Reference;
import io.sifr.internal.entry.Trailer;
import io.sifr.internal.util.Bytes;
import io.sifr.internal.value.ValueFiles;
import io.sifr.internal.value.ValueWriter;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import java.util.function.Consumer;
import java.util.function.IntConsumer;
import org.jspecify.annotations.Nullable;

/**
 * Writes values to value files, and hands over entries that refer to them. All SSTs of a task share
 * these files, until one is large enough. Holds them until it is closed: those that no SST refers
 * to then are deleted. Used by one thread.
 */
abstract class SeparatedValues implements AutoCloseable {
  private final TaskEnvironment environment;
  private final Consumer<ForwardIterator> output;
  private final ReferringEntry referring = new ReferringEntry();
  private final List<Long> held = new ArrayList<>();
  private @Nullable ValueWriter current;

  /**
   * @param output receives all entries in order, each positioned on it; during the call
   */
  private SeparatedValues(TaskEnvironment environment, Consumer<ForwardIterator> output) {
    this.environment = environment;
    this.output = output;
  }

  /** For a flush, which writes large values. */
  static SeparatedValues ofFlush(TaskEnvironment environment, Consumer<ForwardIterator> output) {
    return new SeparatedValues(environment, output) {
      @Override
      @Nullable Reference write(ForwardIterator entry) {
        boolean separates = environment.output().separates(entry.trailer(), entry.valueLength());
        return separates ? writer().add(entry) : null;
      }
    };
  }

  /**
   * For a compaction, which copies values out of some files.
   *
   * @param copied told what was written, each time a little
   */
  static SeparatedValues emptying(
      Set<Long> files,
      TaskEnvironment environment,
      Consumer<ForwardIterator> output,
      IntConsumer copied) {
    return new SeparatedValues(environment, output) {
      @Override
      @Nullable Reference write(ForwardIterator entry) {
        if (!SeparatedKind.is(entry.trailer())) {
          return null;
        }
        Reference old = Reference.decode(entry.value());
        return files.contains(old.file())
            ? writer().copy(entry, old, values().file(old.file()), copied)
            : null;
      }
    };
  }

  /** Hands over the next entry, or one that refers to its value where it is now. */
  final void add(ForwardIterator entry) {
    Reference written = write(entry);
    if (written == null) {
      output.accept(entry);
      return;
    }
    referring.set(entry, written);
    if (currentBytes() >= environment.output().sizes().valueFileBytes()) {
      finish();
    }
    output.accept(referring);
  }

  /** Writes the value of an entry if it is to be written; else null. */
  abstract @Nullable Reference write(ForwardIterator entry);

  /** Bytes that are not durable yet; 0 if there are none. */
  final long currentBytes() {
    return current == null ? 0 : current.bytes();
  }

  final ValueWriter writer() {
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

  final ValueFiles values() {
    return environment.files().access().values();
  }

  /** Makes the content of the last file durable. Its name is durable with its directory. */
  final void finish() {
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

  /** An entry that refers to the value of another one, on which it is positioned. */
  private static final class ReferringEntry implements ForwardIterator {
    private byte[] key = Bytes.EMPTY;
    private long trailer;
    private byte[] value = Bytes.EMPTY;

    void set(ForwardIterator entry, Reference reference) {
      int begin = entry.keyOffset();
      key = Arrays.copyOfRange(entry.keyArray(), begin, begin + entry.keyLength());
      trailer = Trailer.of(Trailer.sequence(entry.trailer()), SeparatedKind.CODE);
      value = reference.encoded();
    }

    @Override
    public boolean seekToFirst() {
      return true;
    }

    @Override
    public boolean next() {
      return false;
    }

    @Override
    public boolean valid() {
      return true;
    }

    @Override
    public byte[] keyArray() {
      return key;
    }

    @Override
    public int keyOffset() {
      return 0;
    }

    @Override
    public int keyLength() {
      return key.length;
    }

    @Override
    public long trailer() {
      return trailer;
    }

    @Override
    public int valueLength() {
      return value.length;
    }

    @Override
    public void copyValue(byte[] target, int offset) {
      System.arraycopy(value, 0, target, offset, value.length);
    }

    @Override
    public ByteBuffer value() {
      return ByteBuffer.wrap(value).asReadOnlyBuffer();
    }

    @Override
    public void close() {}
  }
}
