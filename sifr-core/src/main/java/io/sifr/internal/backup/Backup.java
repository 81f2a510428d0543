package io.sifr.internal.backup;

import io.sifr.error.CorruptionException;
import io.sifr.internal.backup.BackupSite.Turn;
import io.sifr.internal.backup.Claims.Timing;
import io.sifr.internal.engine.StoreEngine;
import io.sifr.internal.io.DirectoryLock;
import io.sifr.internal.io.DiskFileSystem;
import io.sifr.internal.io.StoreFileSystem;
import io.sifr.spi.BackupStorage;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.function.LongSupplier;

/**
 * Points to which stores can be restored, as objects in a directory or a storage. An SST is there
 * once, however many points hold it; a new point puts those that no other has. A file belongs to a
 * point only when the point's list names it, and the list is put when everything in it is durable:
 * what is killed before leaves objects that no list names, which the next change deletes.
 */
public final class Backup {
  private final BackupSite site;

  private Backup(BackupSite site) {
    this.site = site;
  }

  /** The backup in a directory, whether there is one or not. */
  public static Backup in(StoreFileSystem fileSystem, Path directory) {
    return new Backup(new DirectorySite(fileSystem, directory));
  }

  /** The backup in a storage, whether there is one or not. */
  public static Backup in(BackupStorage storage) {
    return new Backup(new StorageSite(storage, new DiskFileSystem(), Timing.DEFAULT));
  }

  /**
   * The same with other times, for tests.
   *
   * @param renewAfter after how long a claim is put again
   * @param deadAfter how old a dead one is
   * @param clock tells the time
   * @param nanos goes on when that clock is set
   */
  public static Backup in(
      BackupStorage storage,
      Duration renewAfter,
      Duration deadAfter,
      InstantSource clock,
      LongSupplier nanos) {
    return new Backup(
        new StorageSite(
            storage, new DiskFileSystem(), new Timing(renewAfter, deadAfter, clock, nanos)));
  }

  /**
   * A point, as users see it.
   *
   * @param number counted from 1
   * @param taken when
   * @param databases names of the databases
   * @param ssts how many SSTs it holds
   * @param bytes of the store that is restored from it
   * @param copiedBytes bytes copied for it
   */
  public record Summary(
      long number, Instant taken, List<String> databases, int ssts, long bytes, long copiedBytes) {}

  private static Summary summary(BackupPoint point) {
    return new Summary(
        point.number(),
        point.taken(),
        point.databases(),
        point.ssts(),
        point.bytes(),
        point.copiedBytes());
  }

  private void requireBackup() {
    if (!site.isBackup()) {
      throw new IllegalArgumentException(site + " holds no backup");
    }
  }

  /** Numbers of the points, ascending. */
  public List<Long> numbers() {
    requireBackup();
    return Points.numbers(site.objects());
  }

  public Summary point(long number) {
    requireBackup();
    return summary(read(number));
  }

  /** All points, ascending; without those that somebody deletes meanwhile. */
  public List<Summary> list() {
    List<Summary> points = new ArrayList<>();
    for (long number : numbers()) {
      BackupPoint point = Points.readIfThere(site.objects(), number);
      if (point != null) {
        points.add(summary(point));
      }
    }
    return points;
  }

  private BackupPoint read(long number) {
    BackupPoint point = Points.readIfThere(site.objects(), number);
    if (point == null) {
      throw new IllegalArgumentException(
          site + " holds no point " + number + "; it holds " + Points.numbers(site.objects()));
    }
    if (!Points.isComplete(site.objects(), number)) {
      throw new CorruptionException(
          site.objects().path(Points.current(number)),
          0,
          "the file is missing, and without it point " + number + " is none");
    }
    return point;
  }

  /** Adds a point with what an open store holds now. */
  public Summary create(StoreEngine engine, ByteProgress progress) {
    engine.checkMayBeCopied();
    site.createIfMissing(engine);
    try (Turn turn = site.begin(true)) {
      return summary(Creation.run(engine, site, turn, progress));
    }
  }

  /** Deletes a point, and the SSTs that no other one holds. */
  public void delete(long number) {
    requireBackup();
    try (Turn turn = site.begin(false)) {
      ObjectAccess objects = turn.objects();
      List<Long> numbers = Points.numbers(objects);
      if (!numbers.contains(number)) {
        throw new IllegalArgumentException(
            site + " holds no point " + number + "; it holds " + numbers);
      }
      // From then on it is no point, whatever is left of it.
      objects.delete(ObjectNames.list(number));
      objects.sync();
      var unused = Cleaning.run(turn, number);
    }
  }

  /**
   * Deletes what belongs to no point.
   *
   * @return how many objects
   */
  public int deleteUnfinished() {
    requireBackup();
    try (Turn turn = site.begin(false)) {
      return Cleaning.run(turn, 0).deleted();
    }
  }

  /**
   * Reads all files of a point.
   *
   * @throws CorruptionException when one is missing or damaged
   */
  public void verify(long number, ByteProgress progress) {
    requireBackup();
    try (DirectoryLock lock = site.lockForReading()) {
      new PointReader(site, read(number), progress).verify();
    }
  }

  /** Makes a store from a point, see {@link io.sifr.Backups#restore}. */
  public void restore(long number, Path target, ByteProgress progress) {
    requireBackup();
    site.requireOutside(target);
    try (DirectoryLock lock = site.lockForReading()) {
      PointReader reader = new PointReader(site, read(number), progress);
      try (NewStore store = NewStore.begin(site.fileSystem(), target)) {
        reader.restore(store.directory());
        store.finish();
      }
    }
  }
}
