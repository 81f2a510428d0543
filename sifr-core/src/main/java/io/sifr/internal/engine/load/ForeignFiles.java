package io.sifr.internal.engine.load;

import io.sifr.config.IngestFiles;
import io.sifr.config.IngestOptions;
import io.sifr.error.CorruptionException;
import io.sifr.error.SifrException;
import io.sifr.error.StoreIoException;
import io.sifr.error.UnsupportedFormatException;
import io.sifr.internal.entry.range.RangeTombstones;
import io.sifr.internal.format.FileKind;
import io.sifr.internal.io.FileCopy;
import io.sifr.internal.io.RandomWriteFile;
import io.sifr.internal.io.StoreFileSystem;
import io.sifr.internal.sst.block.SstAccess;
import io.sifr.internal.sst.format.SstMeta;
import io.sifr.internal.sst.read.Sst;
import io.sifr.internal.sst.read.SstReader;
import io.sifr.internal.state.DatabaseHandle;
import io.sifr.internal.state.Setup;
import io.sifr.internal.state.StoreState;
import io.sifr.internal.util.KeyText;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Brings files of sorted entries that others have written into the directory of a store, under
 * numbers of their own, and checks them there: what is checked is what is added. Used by one
 * thread, once.
 */
public final class ForeignFiles {
  private static final Logger LOG = LoggerFactory.getLogger(ForeignFiles.class);

  private final StoreFileSystem fileSystem;
  private final Path directory;
  private final SstAccess access;
  private final StoreState state;
  private final IngestOptions options;
  private final FileCopy copy;

  /** Numbers of the files in the store's directory. */
  private final List<Long> brought = new ArrayList<>();

  private final List<Path> sources = new ArrayList<>();

  public ForeignFiles(Setup setup, SstAccess access, StoreState state, IngestOptions options) {
    this.fileSystem = setup.fileSystem();
    this.directory = setup.directory();
    this.access = access;
    this.state = state;
    this.options = options;
    this.copy = new FileCopy(fileSystem, state.lifecycle()::checkOpen);
  }

  /** An SST in the store's directory, and the file that it was. */
  private record Brought(Path file, SstMeta meta) {}

  /**
   * Brings and checks files. If one of them is refused, none stays in the directory.
   *
   * @return the SSTs of each database, ascending, durable except for their names; databases without
   *     files are left out
   * @throws CorruptionException when a file is damaged; it names the file
   * @throws IllegalArgumentException when files of a database overlap, or a file is one that a
   *     store has written
   */
  public Map<DatabaseHandle, List<SstMeta>> bring(Map<DatabaseHandle, List<Path>> files) {
    Map<DatabaseHandle, List<SstMeta>> all = new LinkedHashMap<>();
    try {
      files.forEach(
          (database, ofDatabase) -> {
            if (!ofDatabase.isEmpty()) {
              all.put(database, bring(ofDatabase));
            }
          });
      return all;
    } catch (RuntimeException | Error e) {
      for (long number : brought) {
        var unused = Sst.delete(fileSystem, directory, number);
      }
      throw e;
    }
  }

  private List<SstMeta> bring(List<Path> files) {
    List<Brought> all = new ArrayList<>();
    for (Path file : files) {
      state.lifecycle().checkOpen();
      all.add(new Brought(file, bring(file)));
    }
    all.sort(Comparator.comparing(each -> each.meta().smallestKey(), Arrays::compareUnsigned));
    for (int i = 1; i < all.size(); i++) {
      Brought before = all.get(i - 1);
      Brought after = all.get(i);
      if (Arrays.compareUnsigned(before.meta().largestKey(), after.meta().smallestKey()) >= 0) {
        throw new IllegalArgumentException(
            "%s and %s overlap: the one ends with %s, the other begins with %s%s"
                .formatted(
                    before.file(),
                    after.file(),
                    KeyText.of(before.meta().largestKey()),
                    KeyText.of(after.meta().smallestKey()),
                    before.meta().rangeTombstones() == 0
                        ? ""
                        : "; a file with a deleted range ends with the key after the range"));
      }
    }
    return all.stream().map(Brought::meta).toList();
  }

  /** A symbolic link is followed once, here: all that is done is done to the file it names. */
  private SstMeta bring(Path given) {
    Path file = fileSystem.realPath(given);
    long number = state.catalog().nextNumber();
    brought.add(number);
    Path target = FileKind.SST.path(directory, number);
    if (options.files() == IngestFiles.COPY || !link(file, target)) {
      long size = fileSystem.size(file);
      state.log().withSpace(size, () -> copyTo(target, file, size));
      state.counters().flushBytes.add(size);
    }
    sources.add(file);
    try {
      return check(given, number);
    } catch (CorruptionException e) {
      throw e.retold(given, e.what());
    } catch (UnsupportedFormatException e) {
      throw new UnsupportedFormatException(given, e.what());
    }
  }

  private Path copyTo(Path target, Path file, long size) {
    fileSystem.delete(target); // of an attempt for which there was no space
    var unused = copy.copy(file, target, size, size);
    return target;
  }

  /**
   * Links a file, and makes its content durable, which may have been copied without a sync. Returns
   * false where that is impossible: on another volume, or when the file cannot be synced because
   * this process may not write to it.
   */
  private boolean link(Path file, Path target) {
    if (!fileSystem.link(file, target)) {
      return false;
    }
    try (RandomWriteFile linked = fileSystem.openForWrite(target, 0)) {
      linked.sync();
      return true;
    } catch (StoreIoException e) {
      LOG.debug("{} is copied because it cannot be synced: {}", file, e.getMessage());
      fileSystem.delete(target);
      return false;
    }
  }

  private SstMeta check(Path file, long number) {
    try (SstReader reader = SstReader.open(access, number)) {
      SstMeta meta = reader.meta();
      if (!isForeign(reader)) {
        throw new IllegalArgumentException(
            file + " was written by a store; only files of an SstFileWriter can be ingested");
      }
      if (fileSystem.keys().current() != 0 && !reader.isEncrypted()) {
        throw new IllegalArgumentException(
            file
                + " is not encrypted, and the store is; files for it are written by an"
                + " SstFileWriter that has the keys");
      }
      return options.verify() ? meta.with(reader.verify()) : meta;
    }
  }

  /** Whether it is as {@link SortedFiles} writes it. */
  private static boolean isForeign(SstReader reader) {
    SstMeta meta = reader.meta();
    RangeTombstones ranges = reader.rangeTombstones();
    boolean hasItsNumbers =
        ranges == null
            ? meta.maxSequence() == 0
            : meta.minSequence() == SortedFiles.RANGE_SEQUENCE
                && ranges.newest() == SortedFiles.RANGE_SEQUENCE
                && meta.maxSequence() <= SortedFiles.RANGE_SEQUENCE + 1
                && reader.tail().properties().origin().databaseId() == 0;
    return hasItsNumbers && meta.values().isEmpty();
  }

  /** After the SSTs were added: deletes the files if they were to be moved. */
  public void added() {
    if (options.files() != IngestFiles.MOVE) {
      return;
    }
    for (Path source : sources) {
      try {
        fileSystem.delete(source);
      } catch (SifrException e) {
        LOG.warn("{} is in the store, but its old name cannot be deleted", source, e);
      }
    }
  }
}
