package io.sifr.internal.backup;

import io.sifr.error.SifrException;
import io.sifr.spi.BackupStorage.StoredObject;
import java.security.SecureRandom;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.function.LongSupplier;
import java.util.regex.Pattern;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Claims are objects that say who is at work in a storage. Each has a name that nobody else draws,
 * and is put again, under this name, as long as its work goes on; so every listing has it. It is
 * taken for dead when it was not put for long, by the clock of the storage. Its owner looks at its
 * own clocks and gives up much earlier.
 *
 * <p>Whoever adds a point puts its claim before it looks which points there are. Whoever deletes
 * looks for claims after it has deleted a list of a point. So one of them knows of the other: the
 * one that adds does not find the point, or the one that deletes leaves its files.
 */
final class Claims {
  private static final Logger LOG = LoggerFactory.getLogger(Claims.class);

  /** Before the names of claims. */
  private static final String CLAIMS = "claims/";

  private static final Pattern OF_CREATION = Pattern.compile(CLAIMS + "create-[0-9a-f]{16}");
  private static final SecureRandom RANDOM = new SecureRandom();

  /** For the object access that does nothing before each step. */
  private final ObjectAccess objects;

  private final Timing timing;

  /**
   * The times of claims.
   *
   * @param renewAfter after how long a claim is put again
   * @param deadAfter how old a dead one is
   * @param wallClock goes on while the machine sleeps
   * @param nanos goes on when the wall clock is set
   */
  record Timing(
      Duration renewAfter, Duration deadAfter, InstantSource wallClock, LongSupplier nanos) {
    /** What is used but by tests: a request that is on its way for so long is none any more. */
    static final Timing DEFAULT =
        new Timing(
            Duration.ofMinutes(1),
            Duration.ofMinutes(30),
            InstantSource.system(),
            System::nanoTime);

    private Moment now() {
      return new Moment(wallClock.instant(), nanos.getAsLong());
    }
  }

  /** A moment by both clocks, of which the one is right that has gone on more. */
  private record Moment(Instant wall, long nanos) {
    Duration until(Moment later) {
      Duration byWall = Duration.between(wall, later.wall);
      Duration byNanos = Duration.ofNanos(later.nanos - nanos);
      return byWall.compareTo(byNanos) > 0 ? byWall : byNanos;
    }
  }

  Claims(ObjectAccess objects, Timing timing) {
    this.objects = objects;
    this.timing = timing;
  }

  /** Sixteen digits that nobody else draws. */
  static String drawId() {
    return HexFormat.of().toHexDigits(RANDOM.nextLong());
  }

  /** Puts a claim. */
  Claim begin(boolean creates) {
    Claim claim = new Claim(CLAIMS + (creates ? "create-" : "delete-") + drawId());
    try {
      claim.put();
    } catch (RuntimeException | Error e) {
      claim.close(); // it may be there all the same
      throw e;
    }
    return claim;
  }

  /** Work that others are to know of. Used by one thread. */
  final class Claim implements AutoCloseable {
    private final String name;
    private Moment putAt = timing.now();
    private Moment triedAt = putAt;
    private boolean isPutting;

    private Claim(String name) {
      this.name = name;
    }

    private void put() {
      Moment before = timing.now();
      triedAt = before;
      isPutting = true;
      try {
        objects.put(name, new byte[0]);
      } finally {
        isPutting = false;
      }
      putAt = before;
    }

    /**
     * Called at each step: puts the claim again when it is time.
     *
     * @throws SifrException when it could not be put for so long that others may soon take it for
     *     dead
     */
    void goOn() {
      if (isPutting) {
        return;
      }
      Moment now = timing.now();
      requireAlive(now);
      if (triedAt.until(now).compareTo(timing.renewAfter()) >= 0) {
        try {
          put();
        } catch (SifrException e) {
          LOG.warn("a claim could not be renewed, which is tried again: {}", e.getMessage());
        }
        requireAlive(timing.now());
      }
    }

    private void requireAlive(Moment now) {
      Duration age = putAt.until(now);
      if (age.compareTo(timing.deadAfter().dividedBy(2)) > 0) {
        throw new SifrException(
            "the claim "
                + objects.path(name)
                + " could not be renewed for "
                + age.toSeconds()
                + " s, so others may take this backup for dead; it is given up");
      }
    }

    /** Checks that it is there. */
    void requireThere() {
      var unused = find(objects.list(CLAIMS));
    }

    private StoredObject find(List<StoredObject> claims) {
      return claims.stream()
          .filter(claim -> claim.name().equals(name))
          .findAny()
          .orElseThrow(
              () ->
                  new SifrException(
                      "the claim "
                          + objects.path(name)
                          + " is not in a listing: others have taken it for dead and deleted it,"
                          + " or the storage does not list what was put before"));
    }

    /** Whether nobody else adds a point. Deletes dead claims. */
    boolean isAlone() {
      List<StoredObject> claims = objects.list(CLAIMS);
      Instant dead = find(claims).modified().minus(timing.deadAfter());
      boolean isAlone = true;
      List<String> left = new ArrayList<>();
      for (StoredObject claim : claims) {
        if (claim.name().equals(name)) {
          continue;
        }
        if (claim.modified().isBefore(dead)) {
          left.add(claim.name());
        } else {
          isAlone &= !OF_CREATION.matcher(claim.name()).matches();
        }
      }
      left.forEach(objects::delete);
      return isAlone;
    }

    /** Ends the claim. What was done is done: one that cannot be deleted dies. */
    @Override
    public void close() {
      try {
        objects.delete(name);
      } catch (SifrException e) {
        LOG.warn("a claim is left, until it is dead: {}", e.getMessage());
      }
    }
  }
}
