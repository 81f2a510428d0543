package io.sifr.internal.backup;

import io.sifr.internal.backup.Claims.Claim;
import io.sifr.internal.backup.Claims.Timing;
import io.sifr.internal.engine.StoreEngine;
import io.sifr.internal.io.DirectoryLock;
import io.sifr.internal.io.StoreFileSystem;
import io.sifr.spi.BackupStorage;
import io.sifr.spi.BackupStorage.StoredObject;
import java.nio.file.Path;
import java.util.List;
import java.util.OptionalLong;
import java.util.concurrent.ThreadLocalRandom;

/**
 * A backup in a storage, which has no locks: several processes may use it at once, and a call may
 * have an effect after it has failed. {@link Claims} say who is at work; each new point has a
 * number that no other attempt had, and all it puts has a name with this number. So nothing that
 * comes late can replace or delete what another point needs.
 */
final class StorageSite implements BackupSite {
  /** Before objects that tell which numbers were given; what follows is drawn. */
  private static final String NUMBERS = "numbers/";

  private static final int MOST_ATTEMPTS = 100;

  private final BackupStorage storage;
  private final StoreFileSystem fileSystem;
  private final ObjectAccess objects;
  private final Claims claims;

  /**
   * @param fileSystem of stores that are restored
   */
  StorageSite(BackupStorage storage, StoreFileSystem fileSystem, Timing timing) {
    this.storage = storage;
    this.fileSystem = fileSystem;
    this.objects = access(() -> {});
    this.claims = new Claims(objects, timing);
  }

  private ObjectAccess access(Runnable eachStep) {
    return new ObjectAccess(storage, Path::of, true, eachStep);
  }

  @Override
  public String toString() {
    return storage.toString();
  }

  @Override
  public StoreFileSystem fileSystem() {
    return fileSystem;
  }

  @Override
  public ObjectAccess objects() {
    return objects;
  }

  @Override
  public boolean isBackup() {
    return objects.content(ObjectNames.MARK, PointFile.MOST_BYTES) != null;
  }

  @Override
  public void createIfMissing(StoreEngine engine) {
    if (!isBackup()) {
      for (StoredObject object : objects.list("")) {
        if (!object.name().equals(ObjectNames.MARK)) { // it may come late
          throw new IllegalArgumentException(
              this
                  + " has the object "
                  + object.name()
                  + " and holds no backup; a backup begins where nothing is");
        }
      }
      objects.put(ObjectNames.MARK, ObjectNames.markContent());
      objects.sync();
    }
  }

  @Override
  public void requireOutside(Path target) {
    // No directory is part of it.
  }

  @Override
  public DirectoryLock lockForReading() {
    return () -> {};
  }

  @Override
  public Turn begin(boolean creates) {
    return new Claimed(claims.begin(creates));
  }

  /** A change that others know of. */
  private final class Claimed implements Turn {
    private final Claim claim;
    private final ObjectAccess objects;

    Claimed(Claim claim) {
      this.claim = claim;
      this.objects = access(claim::goOn);
    }

    @Override
    public ObjectAccess objects() {
      return objects;
    }

    /**
     * Puts an object with the number, and something drawn, in its name, and takes the number if no
     * other object has it or a larger one. Of two that do so at once, one at least finds the other.
     */
    @Override
    public long newNumber() {
      long number = 1 + Math.max(largest(marks()), largestPoint());
      for (int attempt = 1; attempt <= MOST_ATTEMPTS; attempt++) {
        String mark = NUMBERS + ObjectNames.digits(number) + "-" + Claims.drawId();
        objects.put(mark, new byte[0]);
        List<String> others = marks().stream().filter(name -> !name.equals(mark)).toList();
        if (largest(others) < number) {
          return number;
        }
        number = largest(others) + 1 + ThreadLocalRandom.current().nextInt(attempt);
      }
      throw new IllegalStateException(
          "no number for a point of " + StorageSite.this + ": too many begin at once");
    }

    private List<String> marks() {
      return objects.list(NUMBERS).stream().map(StoredObject::name).toList();
    }

    private static long largest(List<String> marks) {
      return marks.stream().flatMapToLong(mark -> numberOf(mark).stream()).max().orElse(0);
    }

    private static OptionalLong numberOf(String mark) {
      String name = mark.substring(NUMBERS.length());
      int dash = name.indexOf('-');
      return dash < 0 ? OptionalLong.empty() : ObjectNames.number(name.substring(0, dash));
    }

    private long largestPoint() {
      return objects.list(ObjectNames.POINTS).stream()
          .flatMapToLong(object -> ObjectNames.pointOf(object.name()).stream())
          .max()
          .orElse(0);
    }

    @Override
    public Spool spool(StoreFileSystem ofStore, long number) {
      return Spool.temporary(ofStore);
    }

    @Override
    public long upload(long number) {
      return number;
    }

    @Override
    public boolean isAlone() {
      return claim.isAlone();
    }

    @Override
    public void requireKnown() {
      claim.requireThere();
    }

    @Override
    public int tidy(List<StoredObject> all, boolean isAlone) {
      List<String> names = all.stream().map(StoredObject::name).toList();
      List<String> marks = names.stream().filter(name -> name.startsWith(NUMBERS)).toList();
      long largest = largest(marks);
      List<String> left =
          marks.stream()
              .filter(mark -> numberOf(mark).orElse(isAlone ? 0 : largest) < largest)
              .toList();
      left.forEach(objects::delete);
      return left.size();
    }

    @Override
    public void close() {
      claim.close();
    }
  }
}
