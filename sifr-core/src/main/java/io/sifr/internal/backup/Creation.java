package io.sifr.internal.backup;

import io.sifr.error.SifrException;
import io.sifr.internal.backup.BackupPoint.CopiedFile;
import io.sifr.internal.backup.BackupPoint.SharedFile;
import io.sifr.internal.backup.BackupSite.Turn;
import io.sifr.internal.engine.Capture;
import io.sifr.internal.engine.StoreEngine;
import io.sifr.internal.forest.Forest;
import io.sifr.internal.forest.IndexName;
import io.sifr.internal.format.FileKind;
import io.sifr.internal.sst.format.SstMeta;
import io.sifr.internal.sst.format.SstMeta.ValueUse;
import io.sifr.internal.sst.read.Sst;
import io.sifr.internal.value.ValueFile;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/** Adds a point to a backup: puts the files that are missing, and last its list. */
final class Creation {
  private final StoreEngine engine;
  private final Turn turn;
  private final ObjectAccess objects;
  private final Cleaning.Result present;
  private final long number;
  private final ByteProgress progress;
  private final List<SharedFile> shared = new ArrayList<>();
  private final List<CopiedFile> files = new ArrayList<>();

  /** Numbers of the value files that are there. */
  private final Set<Long> values = new HashSet<>();

  private long total;
  private long done;
  private long copied;
  private boolean mayBeThere;

  private Creation(
      StoreEngine engine, Turn turn, Cleaning.Result present, long number, ByteProgress progress) {
    this.engine = engine;
    this.turn = turn;
    this.objects = turn.objects();
    this.present = present;
    this.number = number;
    this.progress = progress;
  }

  /** Adds a point. When it fails, there is none, or the exception says that there may be one. */
  static BackupPoint run(StoreEngine engine, BackupSite site, Turn turn, ByteProgress progress) {
    Cleaning.Result present = Cleaning.run(turn, 0);
    Creation creation = new Creation(engine, turn, present, turn.newNumber(), progress);
    try {
      return creation.create();
    } catch (RuntimeException | Error e) {
      creation.giveUp(site.objects(), e);
      throw e;
    }
  }

  private BackupPoint create() {
    try (Spool spool = turn.spool(engine.fileSystem(), number);
        Capture capture = engine.capture()) {
      Instant taken = Instant.now();
      capture.copyLog(spool.directory());
      total = capture.catalog().bytes() + valueFileBytes(capture);
      capture.forEachSst(sst -> add(capture, sst));
      capture.writeManifest(spool.directory());
      addOwnFiles(spool, capture);
      objects.sync(); // all names are durable before there is a list of them
      BackupPoint point = new BackupPoint(number, taken, databases(capture), copied, shared, files);
      putList(point);
      return point;
    }
  }

  /** In an encrypted backup no name can be read. */
  private List<String> databases(Capture capture) {
    return engine.fileSystem().keys().current() != 0
        ? List.of()
        : capture.catalog().forests().stream()
            .map(Forest::name)
            .filter(name -> !IndexName.isOne(name))
            .sorted()
            .toList();
  }

  private static long valueFileBytes(Capture capture) {
    return capture.catalog().forests().stream()
        .flatMap(forest -> forest.ssts().stream())
        .flatMap(sst -> sst.meta().values().stream())
        .map(ValueUse::file)
        .filter(file -> !capture.isOfLog(file))
        .distinct()
        .mapToLong(file -> capture.values(file).bytes())
        .sum();
  }

  private void add(Capture capture, Sst sst) {
    SstMeta meta = sst.meta();
    SharedFile file = file(FileKind.SST, meta.number(), meta.uniqueId(), meta.fileBytes());
    add(capture, file, () -> capture.verify(sst));
    for (ValueUse use : meta.values()) {
      if (!capture.isOfLog(use.file()) && values.add(use.file())) {
        ValueFile of = capture.values(use.file());
        add(capture, file(FileKind.VALUES, use.file(), of.uniqueId(), of.bytes()), of::verify);
      }
    }
  }

  /** As it would be put. */
  private SharedFile file(FileKind kind, long of, long uniqueId, long bytes) {
    return new SharedFile(kind, of, uniqueId, bytes, 0, turn.upload(number));
  }

  private void add(Capture capture, SharedFile file, Runnable verify) {
    SharedFile known = present.shared().get(file.identity());
    if (known == null || known.bytes() != file.bytes()) {
      put(capture, file, verify);
    } else if (present.isThere(known)) {
      shared.add(known);
    } else {
      put(capture, known, verify); // under its name, which mends the points that hold it
    }
    done += file.bytes();
    progress.done(done, total);
  }

  private void put(Capture capture, SharedFile file, Runnable verify) {
    FileContent content =
        new FileContent(
            engine.fileSystem(),
            file.kind().path(engine.directory(), file.number()),
            file.bytes(),
            capture::checkGoesOn);
    objects.put(ObjectNames.SSTS + file.name(), content);
    verify.run();
    shared.add(file.withChecksum(content.checksum()));
    copied += file.bytes();
  }

  private void addOwnFiles(Spool spool, Capture capture) {
    for (String name : engine.fileSystem().list(spool.directory())) {
      Path file = spool.directory().resolve(name);
      long bytes = engine.fileSystem().size(file);
      int checksum =
          spool.put(file, objects, ObjectNames.point(number) + name, capture::checkGoesOn);
      files.add(new CopiedFile(name, bytes, checksum));
      copied += bytes;
    }
  }

  /** A put that has failed may have had its effect. */
  private void putList(BackupPoint point) {
    byte[] list = PointFile.encode(point);
    turn.requireKnown();
    mayBeThere = true;
    try {
      objects.put(ObjectNames.list(number), list);
    } catch (SifrException e) {
      if (!isListThere(list, e)) {
        throw e;
      }
    }
    objects.sync();
  }

  private boolean isListThere(byte[] list, SifrException failure) {
    try {
      return Arrays.equals(list, objects.content(ObjectNames.list(number), list.length));
    } catch (SifrException e) {
      failure.addSuppressed(e);
      return false;
    }
  }

  /**
   * Deletes what is left of the point, first what makes it one: the list, or, where it may come
   * later, that without which it means nothing.
   *
   * @param plain for these deletions, which are right after others have taken this for dead, too
   */
  private void giveUp(ObjectAccess plain, Throwable cause) {
    try {
      String current = Points.current(number);
      String list = ObjectNames.list(number);
      plain.delete(plain.mayBeLate() ? current : list);
      plain.delete(plain.mayBeLate() ? list : current);
      plain.sync();
    } catch (SifrException e) {
      if (mayBeThere) {
        SifrException unknown =
            new SifrException(
                "it is not known whether there is point "
                    + number
                    + ": it was made, but it failed to be listed, and then to be given up; if it is"
                    + " there, it is whole",
                cause);
        unknown.addSuppressed(e);
        throw unknown;
      }
      cause.addSuppressed(e); // the next change tries again
      return;
    }
    try {
      var unused = Cleaning.run(turn, number);
    } catch (SifrException e) {
      cause.addSuppressed(e); // likewise
    }
  }
}
