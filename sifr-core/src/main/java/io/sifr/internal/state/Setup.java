package io.sifr.internal.state;

import io.sifr.config.StoreOptions;
import io.sifr.event.StoreListener;
import io.sifr.internal.io.StoreFileSystem;
import java.nio.file.Path;

/**
 * Where a store lies, and how its user wants it.
 *
 * @param fileSystem what the store lies on
 * @param directory the store's directory, as a real path
 * @param options the user's settings
 * @param extensions what the store is made with
 * @param listener the user's, made such that it throws nothing
 */
public record Setup(
    StoreFileSystem fileSystem,
    Path directory,
    StoreOptions options,
    Extensions extensions,
    StoreListener listener) {}
