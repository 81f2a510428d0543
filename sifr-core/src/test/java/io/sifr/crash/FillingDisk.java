package io.sifr.crash;

import io.sifr.config.LogAccess;
import io.sifr.config.StoreOptions;
import io.sifr.internal.compaction.pick.Rule;
import io.sifr.testing.CrashDisk;
import java.util.List;
import java.util.Random;

/** Others take space of the disk, all of it now and then, and give it back. */
final class FillingDisk implements Scenario {
  private static final int CHANGES_ONE_IN = 4;

  private final StepDrawing drawing;

  FillingDisk(int mostDatabases) {
    this.drawing = new StepDrawing(mostDatabases);
  }

  @Override
  public boolean fillsDisk() {
    return true;
  }

  @Override
  public void changeSpace(CrashDisk disk, Random random) {
    if (random.nextInt(CHANGES_ONE_IN) == 0) {
      change(disk, random);
    }
  }

  /** Leaves nothing, little or all. */
  static void change(CrashDisk disk, Random random) {
    disk.setCapacity(
        switch (random.nextInt(4)) {
          case 0 -> disk.usedBytes();
          case 1 -> disk.usedBytes() + random.nextInt(16 << 10);
          case 2 -> disk.usedBytes() + random.nextInt(256 << 10);
          default -> Long.MAX_VALUE;
        });
  }

  @Override
  public StoreOptions options(LogAccess logAccess, Random random) {
    return drawing.options(logAccess, random);
  }

  @Override
  public List<Rule> readRules(Random random) {
    return drawing.readRules(random);
  }

  @Override
  public List<Step> steps(ModelState first, int count, Random random) {
    return drawing.steps(first, count, random);
  }
}
