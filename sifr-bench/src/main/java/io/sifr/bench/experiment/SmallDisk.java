package io.sifr.bench.experiment;

import io.sifr.Store;
import io.sifr.bench.measure.Looks;
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
import java.util.concurrent.atomic.LongAccumulator;

/** A random load on a disk with little more space than the data needs. */
final class SmallDisk {
  /** Size of the disk over that of the live SSTs at the end of the load, in percent. */
  private static final int PERCENT = 115;

  /** The free space is sampled so often. */
  private static final long LOOK_MILLIS = 20;

  private static final String COMPLETES = "completes";
  private static final String CLAIM =
      "a load that fills the disk fails while it merges, and does not with early cleaning";

  private SmallDisk() {}

  static void run(Laboratory laboratory, Findings findings) {
    Optional<String> obstacle = DiskImage.obstacle();
    if (laboratory.scale().compareTo(Scale.MEDIUM) < 0) {
      findings
          .claim("TPDS §4.3", CLAIM, Measured.nothing("needs the medium scale"))
          .missing(
              "All of it: at this scale the file system and the log take more than 15 % of the"
                  + " data. It needs the medium scale.");
      return;
    } else if (obstacle.isPresent()) {
      findings
          .claim("TPDS §4.3", CLAIM, Measured.nothing(obstacle.get()))
          .missing("All of it: " + obstacle.get() + ".");
      return;
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
    findings
        .claim(
            "TPDS §4.3",
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
                rows));
  }

  private static StoreOptions options(boolean cleaning) {
    return StoreOptions.builder()
        .writeBufferBytes(Laboratory.WRITE_BUFFER_BYTES)
        .earlyCleaning(cleaning)
        .build();
  }

  private static long liveBytes(Laboratory laboratory) {
    laboratory.tell("sifr: the same load where there is space");
    return laboratory.inDirectory(
        "small-disk",
        directory -> {
          try (Store store = Store.open(directory, options(true))) {
            new RandomLoad(laboratory.scale().entries()).putAll(store);
            return store.statistics().get(Metric.LIVE_BYTES);
          }
        });
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
      LongAccumulator leastFree = new LongAccumulator(Math::min, free);
      Looks looks = new Looks(LOOK_MILLIS, () -> leastFree.accumulate(disk.freeBytes()));
      String end;
      try (looks) {
        end = fill();
      }
      String acknowledged = Figures.count(load.acknowledged());
      CheckReport check = StoreCheck.run(directory, CheckProgress.NONE);
      return List.of(
          cleaning ? "on" : "off",
          Figures.count(Figures.inMib(free)),
          end,
          Figures.count(Figures.inMib(leastFree.get())),
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
