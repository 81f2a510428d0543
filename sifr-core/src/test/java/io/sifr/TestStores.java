package io.sifr;

import io.sifr.config.StoreOptions;
import io.sifr.crash.FollowingWrites;
import io.sifr.event.StoreListener;
import io.sifr.internal.codec.BlockCodec;
import io.sifr.internal.compaction.pick.Policies;
import io.sifr.internal.entry.EntryKinds;
import io.sifr.internal.io.StoreFileSystem;
import io.sifr.internal.manifest.Manifest;
import io.sifr.internal.offline.Removal;
import io.sifr.internal.sst.format.BlockCodecs;
import io.sifr.internal.sst.read.TestCodecs;
import io.sifr.internal.state.Extensions;
import io.sifr.internal.state.Extensions.Tuning;
import io.sifr.testing.PolicyRules;
import io.sifr.testing.TestPolicies;
import java.nio.file.Path;
import java.util.List;

/** Opens stores on file systems of the tests' own. */
public final class TestStores {
  private TestStores() {}

  /** Opens a store whose every access to the disk goes through {@code fileSystem}. */
  @SuppressWarnings("exports") // nobody but the tests of this module sees it
  public static Store open(Path directory, StoreOptions options, StoreFileSystem fileSystem) {
    return open(directory, options, fileSystem, StoreListener.NONE);
  }

  /** As above, with a listener. */
  @SuppressWarnings("exports") // nobody but the tests of this module sees it
  public static Store open(
      Path directory, StoreOptions options, StoreFileSystem fileSystem, StoreListener listener) {
    return open(
        directory, options, fileSystem, listener, extensions(options, TestCodecs.of(options)));
  }

  /** As above, with numbers that users cannot choose. */
  @SuppressWarnings("exports") // nobody but the tests of this module sees it
  public static Store open(
      Path directory, StoreOptions options, Tuning tuning, StoreFileSystem fileSystem) {
    return open(directory, options, tuning, fileSystem, StoreListener.NONE);
  }

  /** As above, with a listener. */
  @SuppressWarnings("exports") // nobody but the tests of this module sees it
  public static Store open(
      Path directory,
      StoreOptions options,
      Tuning tuning,
      StoreFileSystem fileSystem,
      StoreListener listener) {
    return open(
        directory,
        options,
        fileSystem,
        listener,
        extensions(options, TestCodecs.of(options)).with(tuning));
  }

  /** As above, with extensions of the test's own. */
  @SuppressWarnings("exports") // nobody but the tests of this module sees it
  public static Store open(
      Path directory,
      StoreOptions options,
      StoreFileSystem fileSystem,
      StoreListener listener,
      Extensions extensions) {
    return Store.builder(directory)
        .options(options)
        .fileSystem(fileSystem)
        .listener(listener)
        .extensions(extensions)
        .open();
  }

  /** As above, with SSTs whose blocks are encoded, and whose indexes are in small parts. */
  @SuppressWarnings("exports") // nobody but the tests of this module sees it
  public static Store open(
      Path directory, StoreOptions options, StoreFileSystem fileSystem, BlockCodec codec) {
    BlockCodecs codecs = TestCodecs.inSmallParts(codec);
    return open(directory, options, fileSystem, StoreListener.NONE, extensions(options, codecs));
  }

  /** As above, with numbers that users cannot choose. */
  @SuppressWarnings("exports") // nobody but the tests of this module sees it
  public static Store open(
      Path directory,
      StoreOptions options,
      Tuning tuning,
      StoreFileSystem fileSystem,
      BlockCodec codec) {
    BlockCodecs codecs = TestCodecs.inSmallParts(codec);
    return open(
        directory,
        options,
        fileSystem,
        StoreListener.NONE,
        extensions(options, codecs).with(tuning));
  }

  /** As above, with resources that it shares with other stores. */
  @SuppressWarnings("exports") // nobody but the tests of this module sees it
  public static Store open(
      Path directory, StoreOptions options, StoreFileSystem fileSystem, Resources resources) {
    return Store.builder(directory)
        .options(options)
        .fileSystem(fileSystem)
        .resources(resources)
        .open();
  }

  /** Opens a store to be read only. */
  @SuppressWarnings("exports") // nobody but the tests of this module sees it
  public static Store openReadOnly(
      Path directory, StoreOptions options, StoreFileSystem fileSystem) {
    return openReadOnly(
        directory, options, fileSystem, extensions(options, TestCodecs.of(options)));
  }

  /** As above, with extensions of the test's own. */
  @SuppressWarnings("exports") // nobody but the tests of this module sees it
  public static Store openReadOnly(
      Path directory, StoreOptions options, StoreFileSystem fileSystem, Extensions extensions) {
    return Store.builder(directory)
        .options(options)
        .fileSystem(fileSystem)
        .extensions(extensions)
        .openReadOnly();
  }

  /** Deletes a store. */
  @SuppressWarnings("exports") // nobody but the tests of this module sees it
  public static void destroy(Path directory, StoreFileSystem fileSystem) {
    Removal.remove(fileSystem, directory);
  }

  /** Whether there is a store. */
  @SuppressWarnings("exports") // nobody but the tests of this module sees it
  public static boolean exists(Path directory, StoreFileSystem fileSystem) {
    return fileSystem.isDirectory(directory) && Manifest.exists(fileSystem, directory);
  }

  /** Writes files for a store, in its file system and with its settings. */
  public static SstFileWriter writer(Store store, Path file) {
    return SstFileWriter.create(store.engine().fileSystem(), file, store.options());
  }

  /** Has a store reserve so many numbers of files, and use none of them. */
  public static void useNumbers(Store store, int count) {
    for (int i = 0; i < count; i++) {
      var unused = store.engine().state().catalog().nextNumber();
    }
  }

  /** Makes a directory in the file system of a store. */
  public static void makeDirectory(Store store, Path directory) {
    store.engine().fileSystem().createDirectories(directory);
  }

  /** Of a store that writes each value once that is to be apart. */
  private static Extensions extensions(StoreOptions options, BlockCodecs codecs) {
    return new Extensions(
            EntryKinds.STANDARD,
            codecs,
            PolicyRules.withReads(Policies.of(options, TestPolicies.GUARD_BITS)))
        .with(Tuning.DEFAULT.withWriteValuesOnceFrom(1))
        .with(new Extensions.Operators(List.of(FollowingWrites.OPERATOR), false));
  }
}
