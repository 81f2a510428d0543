package io.sifr.internal.backup;

import io.sifr.internal.engine.Capture;
import io.sifr.internal.engine.StoreEngine;
import io.sifr.internal.format.FileKind;
import io.sifr.internal.io.FileCopy;
import io.sifr.internal.io.StoreFileSystem;
import io.sifr.internal.sst.format.SstMeta.ValueUse;
import io.sifr.internal.sst.read.Sst;
import java.nio.file.Path;
import java.util.HashSet;
import java.util.Set;

/**
 * Makes a store with the content of an open one: its SSTs and value files are linked, since they
 * never change, and copied where they cannot be linked, and verified then; the end of the log is
 * copied, and so are values that belong to it.
 */
public final class Checkpoint {
  private final StoreFileSystem fileSystem;
  private final Capture capture;
  private final Path source;
  private final Path target;
  private final FileCopy copies;

  /** Numbers of the value files that are there. */
  private final Set<Long> placed = new HashSet<>();

  private Checkpoint(StoreEngine engine, Capture capture, Path target) {
    this.fileSystem = engine.fileSystem();
    this.capture = capture;
    this.source = engine.directory();
    this.target = target;
    this.copies = new FileCopy(fileSystem, capture::checkGoesOn);
  }

  /** Takes a checkpoint, see {@link io.sifr.Store#checkpoint}. */
  public static void take(StoreEngine engine, Path target) {
    engine.checkMayBeCopied();
    Places.requireOutside(engine.fileSystem(), target, engine.directory());
    try (NewStore copy = NewStore.begin(engine.fileSystem(), target)) {
      try (Capture capture = engine.capture()) {
        Checkpoint checkpoint = new Checkpoint(engine, capture, copy.directory());
        capture.copyLog(copy.directory());
        capture.forEachSst(checkpoint::place);
        capture.writeManifest(copy.directory()); // makes the names durable, then CURRENT
      }
      copy.finish();
    }
  }

  private void place(Sst sst) {
    if (!isLinked(FileKind.SST, sst.number())) {
      copy(FileKind.SST, sst.number(), sst.meta().fileBytes());
      capture.verify(sst);
    }
    for (ValueUse use : sst.meta().values()) {
      if (!capture.isOfLog(use.file())
          && placed.add(use.file())
          && !isLinked(FileKind.VALUES, use.file())) {
        copy(FileKind.VALUES, use.file(), capture.values(use.file()).bytes());
        capture.values(use.file()).verify();
      }
    }
  }

  private boolean isLinked(FileKind kind, long number) {
    return fileSystem.link(kind.path(source, number), kind.path(target, number));
  }

  private void copy(FileKind kind, long number, long bytes) {
    var unused = copies.copy(kind.path(source, number), kind.path(target, number), bytes, bytes);
  }
}
