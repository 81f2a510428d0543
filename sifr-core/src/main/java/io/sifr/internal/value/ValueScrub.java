package io.sifr.internal.value;

import io.sifr.error.CorruptionException;
import io.sifr.error.StoreIoException;
import io.sifr.internal.util.Scrub;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Checks all values of a value file of an open store, also those that nothing refers to any more.
 * Between two steps it holds nothing: the file may be deleted meanwhile.
 */
public final class ValueScrub implements Scrub {
  /** After so many bytes a step ends. */
  private static final int STEP_BYTES = 1 << 20;

  private final ValueFiles files;
  private final long number;
  private final Consumer<CorruptionException> damaged;

  /** Where the next record begins, or the one of {@link #value}. */
  private long offset = ValueFile.FIRST_RECORD;

  /** The value that is being checked; null between values. */
  private @Nullable ValueRecord value;

  /** Bytes of it that are checked. */
  private int checked;

  private int failures;
  private boolean isDone;

  /**
   * Nothing is read yet.
   *
   * @param damaged told of each value that is damaged
   */
  public ValueScrub(ValueFiles files, long number, Consumer<CorruptionException> damaged) {
    this.files = files;
    this.number = number;
    this.damaged = damaged;
  }

  @Override
  public boolean isDone() {
    return isDone;
  }

  @Override
  public int failures() {
    return failures;
  }

  @Override
  public long step(Runnable goesOn) {
    if (!files.tryHold(number)) {
      isDone = true;
      return 0;
    }
    try {
      return step(files.file(number), goesOn);
    } catch (CorruptionException e) { // no record can be found after that
      isDone = true;
      damaged.accept(e);
      return 0;
    } catch (StoreIoException e) {
      failures++;
      throw e;
    } finally {
      files.letGo(number);
    }
  }

  private long step(ValueFile file, Runnable goesOn) {
    byte[] piece = new byte[ValueFile.VERIFIED_BYTES];
    long read = 0;
    while (read < STEP_BYTES && !isDone) {
      goesOn.run();
      ValueRecord current = value;
      if (current != null) {
        read += checkPiece(file, current, piece);
      } else {
        ValueRecord next = file.nextAt(offset);
        value = next;
        isDone = next == null;
        read += next == null ? 0 : next.bytes() - next.storedBytes();
      }
    }
    return read;
  }

  /** Checks the next piece of a value, or finds that there is none. Returns how much was read. */
  private int checkPiece(ValueFile file, ValueRecord of, byte[] piece) {
    int length = Math.min(piece.length, of.valueBytes() - checked);
    try {
      file.read(of.reference(number), of.key(), checked, length, piece, 0);
      checked += length;
    } catch (CorruptionException e) {
      damaged.accept(e);
      checked = of.valueBytes();
    }
    if (checked == of.valueBytes()) {
      offset = of.offset() + of.bytes();
      value = null;
      checked = 0;
    }
    return length;
  }
}
