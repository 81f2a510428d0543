package io.sifr.internal.state;

import io.sifr.config.StoreOptions;
import io.sifr.event.StoreListener;
import io.sifr.internal.io.StoreFileSystem;
import java.nio.file.Path;

/**
 * Where a store is, and how it is configured.
 *
 * @param fileSystem the file system of the store
 * @param directory the store's directory, as a real path
 * @param options the user's settings
 * @param extensions its exchangeable parts
 * @param listener the user's listener, wrapped so that it throws nothing
 */
public record Setup(
    StoreFileSystem fileSystem,
    Path directory,
    StoreOptions options,
    Extensions extensions,
    StoreListener listener) {}
