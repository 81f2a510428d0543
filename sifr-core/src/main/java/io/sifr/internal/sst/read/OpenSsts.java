package io.sifr.internal.sst.read;

import io.sifr.internal.resources.SharedOpenFiles;
import java.util.function.Consumer;

/**
 * The SSTs of a store whose files are open.
 *
 * @param files the open files, perhaps of other stores too
 * @param retire runs a task once every reader without a pin has left
 */
public record OpenSsts(SharedOpenFiles files, Consumer<Runnable> retire) {
  /** Those of one store alone, at most so many. */
  public OpenSsts(int most, Consumer<Runnable> retire) {
    this(new SharedOpenFiles(most), retire);
  }
}
