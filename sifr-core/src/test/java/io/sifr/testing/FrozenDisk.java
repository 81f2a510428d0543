package io.sifr.testing;

import io.sifr.internal.crypt.FileKeys;
import java.util.IdentityHashMap;
import java.util.Random;
import java.util.function.Function;

/**
 * A {@link CrashDisk} at one moment. Any number of crashes can be drawn from it, each of which
 * costs little: only pages that a crash changes are copied.
 */
public final class FrozenDisk {
  private final CrashNames<FrozenFile> names;
  private final long capacity;
  private final FileKeys keys;

  private FrozenDisk(CrashNames<FrozenFile> names, long capacity, FileKeys keys) {
    this.names = names;
    this.capacity = capacity;
    this.keys = keys;
  }

  static FrozenDisk of(CrashNames<CrashFile> names, long capacity, FileKeys keys) {
    return new FrozenDisk(names.map(onceEach(CrashFile::freeze)), capacity, keys);
  }

  /** Whether a crash cannot tell the two apart. */
  boolean isSame(FrozenDisk other) {
    return capacity == other.capacity && names.isSame(other.names);
  }

  /** A file has durable names and others, and must not be frozen in two states. */
  private static <A, B> Function<A, B> onceEach(Function<A, B> translation) {
    IdentityHashMap<A, B> done = new IdentityHashMap<>();
    return file -> done.computeIfAbsent(file, translation);
  }

  /**
   * What a power loss may leave: of each page of 4 KiB that was not durable the durable content,
   * the new one, or a mixture of both; sizes between; each name that was not durable come, gone and
   * moved, or not. All that is left is durable on the new disk.
   */
  public CrashDisk crash(Random random) {
    FrozenFile.Luck luck = FrozenFile.Luck.draw(random);
    CrashNames<FrozenFile> left = names.afterPowerLoss(random, luck);
    return disk(left.map(onceEach(file -> CrashFile.of(file.afterPowerLoss(random, luck)))));
  }

  /**
   * What a killed process leaves: everything it had written or stored. It is not more durable than
   * before: a power loss may follow.
   */
  public CrashDisk kill() {
    return disk(names.map(onceEach(CrashFile::of)));
  }

  private CrashDisk disk(CrashNames<CrashFile> files) {
    CrashDisk disk = new CrashDisk(files);
    disk.setCapacity(capacity);
    disk.encrypt(keys);
    return disk;
  }
}
