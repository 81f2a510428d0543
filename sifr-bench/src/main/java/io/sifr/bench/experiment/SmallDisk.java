package io.sifr.bench.experiment;

import io.sifr.Store;
import io.sifr.bench.measure.DiskSpace;
import io.sifr.bench.process.DiskImage;
import io.sifr.bench.report.Block;
import io.sifr.config.StoreOptions;
import io.sifr.error.StoreFullException;
import io.sifr.event.Metric;
import io.sifr.inspect.CheckProgress;
import io.sifr.inspect.check.CheckReport;
import io.sifr.inspect.check.StoreCheck;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** A random load on a disk with little more space than the data needs. */
final class SmallDisk implements Experiment {
  /** Size of the disk over that of the live SSTs at the end of the load, in percent. */
  private static final int PERCENT = 115;

  private static final String COMPLETES = "completes";
  private static final String CLAIM =
      "a load that fills the disk fails while it merges, and does not with early cleaning";

  @Override
  public String name() {
    return "small-disk";
  }

  @Override
  public String title() {
    return "a random load on a disk of 1.15 × its data (TPDS §4.3)";
  }

  @Override
  public Findings run(Laboratory laboratory) {
    Findings findings =
        new Findings(laboratory.scale())
            .paper(
                "with early cleaning no load fails because of space that a merge takes for a"
                    + " while; Size-Tiered runs out of a disk of 90 GB long before 90 GB are"
                    + " stored.");
    Optional<String> obstacle = DiskImage.obstacle();
    if (laboratory.scale().compareTo(Scale.MEDIUM) < 0) {
      return findings
          .claim("TPDS", "§4.3", CLAIM, Measured.nothing("needs the medium scale"))
          .missing(
              "All of it: at this scale the file system and the log take more than 15 % of the"
                  + " data. It needs the medium scale.");
    } else if (obstacle.isPresent()) {
      return findings
          .claim("TPDS", "§4.3", CLAIM, Measured.nothing(obstacle.get()))
          .missing("All of it: " + obstacle.get() + ".");
    }
    long liveBytes = liveBytes(laboratory);
    long diskBytes = liveBytes * PERCENT / 100;
    findings.text(
        "The data: "
            + Figures.count(laboratory.scale().entries())
            + " entries, "
            + Figures.mib(liveBytes)
            + " of live SSTs at the end. The disk: ext4, "
            + Figures.mib(diskBytes)
            + ", made with mkfs.ext4 -m 0 and mounted through a loop device; what the file system"
            + " takes for itself is part of that.");
    List<List<String>> rows = new ArrayList<>();
    for (boolean cleaning : new boolean[] {true, false}) {
      laboratory.tell(
          "sifr: random load on a small disk, early cleaning " + (cleaning ? "on" : "off"));
      try (DiskImage disk = DiskImage.create(laboratory.directory(), diskBytes)) {
        rows.add(new Trial(disk, cleaning, laboratory.scale().entries()).run());
      }
    }
    String with = rows.get(0).get(2);
    String without = rows.get(1).get(2);
    return findings
        .claim(
            "TPDS",
            "§4.3",
            CLAIM,
            Measured.fact(
                "with early cleaning: " + with + "; without: " + without,
                with.equals(COMPLETES) && !without.equals(COMPLETES)))
        .add(
            new Block.Table(
                List.of(
                    "early cleaning",
                    "free when new, MiB",
                    "the load",
                    "least free, MiB",
                    "entries acknowledged",
                    "sifr check",
                    "reopened with early cleaning"),
                rows))
        .comparable(
            "which of the two loads completes. All options except the write buffer of 4 MiB are"
                + " the store's defaults.");
  }

  private static StoreOptions options(boolean cleaning) {
    return StoreOptions.builder()
        .writeBufferBytes(RandomLoad.WRITE_BUFFER_BYTES)
        .earlyCleaning(cleaning)
        .build();
  }

  private static long liveBytes(Laboratory laboratory) {
    laboratory.tell("sifr: the same load where there is space");
    Path directory = laboratory.directory().resolve("sifr-bench-small-disk");
    try (Store store = Store.open(directory, options(true))) {
      new RandomLoad(laboratory.scale().entries()).putAll(store);
      return store.statistics().get(Metric.LIVE_BYTES);
    } finally {
      DiskSpace.delete(directory);
    }
  }

  /** One load on one disk, and its outcome. */
  private static final class Trial {
    private final DiskImage disk;
    private final boolean cleaning;
    private final RandomLoad load;
    private final Path directory;

    private Trial(DiskImage disk, boolean cleaning, int entries) {
      this.disk = disk;
      this.cleaning = cleaning;
      this.load = new RandomLoad(entries);
      this.directory = disk.directory().resolve("store");
    }

    private List<String> run() {
      long free = disk.freeBytes();
      FreeSpace space = new FreeSpace(disk);
      String end;
      try (space) {
        end = fill();
      }
      String acknowledged = Figures.count(load.acknowledged());
      CheckReport check = StoreCheck.run(directory, CheckProgress.NONE);
      return List.of(
          cleaning ? "on" : "off",
          Figures.count(Figures.inMib(free)),
          end,
          Figures.count(Figures.inMib(space.leastBytes())),
          acknowledged,
          check.findings().isEmpty() ? "nothing found" : check.findings().toString(),
          openAgain());
    }

    private String fill() {
      try (Store store = Store.open(directory, options(cleaning))) {
        load.putAll(store);
        return COMPLETES;
      } catch (StoreFullException e) {
        return (load.isComplete() ? "fails in its last merges: " : "fails in a put: ") + reason(e);
      }
    }

    private String reason(StoreFullException e) {
      return String.valueOf(e.getMessage()).replace(directory + "/", "");
    }

    private String openAgain() {
      try (Store store = Store.open(directory, options(true))) {
        load.checkAll(store);
        load.putAll(store);
        load.checkAll(store);
        return "all acknowledged are present; the load and its merges complete";
      } catch (StoreFullException e) {
        return "all acknowledged are present; the load, again, fails: " + reason(e);
      }
    }
  }
}
